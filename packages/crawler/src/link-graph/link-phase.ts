/**
 * Makes findable what the pages say of each other, at the end of a crawl, when all of them are in the index. Ranks, hubs and
 * authorities become doc values without a page being indexed again; pages whose link texts have changed, or what they have in
 * common with the other pages of their site, are indexed again from the page store.
 *
 * What comes of it depends on the stored pages alone: not on their order, nor on how often the crawl was stopped or killed. It
 * is one commit, which says what it was made of; until then, the index is as the crawl left it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PageField, type PageFieldName } from '@spindle/core'
import type { IndexReader, SegmentReader } from '@spindle/index'
import type { Alias, Workload } from '../frontier/workload.js'
import type { PageStore } from '../pages/page-store.js'
import type { StoredPage } from '../pages/stored-page.js'
import type { NormalizerOptions } from '../scope/url-normalizer.js'
import type { OwnText } from '../site-frame/page-frame.js'
import { FrameSampler, type SiteFrames } from '../site-frame/site-frames.js'
import { LinkAnalysis } from './link-analysis.js'
import { linkKey } from './link-key.js'
import { LinkLog } from './link-log.js'

/** The index as far as links change it. */
export interface LinkSink {
  /** What was said at the last commit of the links; undefined where pages were committed since. */
  readonly linkState: string | undefined
  /** Pages that are found under another address. */
  members(): Iterable<Alias>
  /** All pages put so far. To be closed. */
  openReader(): Promise<IndexReader>
  /**
   * Indexes a page again that is in the index.
   * @param anchor texts of links that lead to it, one a line
   * @param own its text where that is not all that it says
   */
  renew(page: StoredPage, anchor: string | undefined, own: OwnText | undefined): Promise<void>
  /** Changes a doc value; null: none. */
  setNumber(url: string, field: PageFieldName, value: number | null): Promise<void>
  commitLinks(linkState: string): Promise<void>
}

/** What {@link applyLinks} works on. */
export interface LinkPhaseParts {
  readonly workload: Pick<Workload, 'aliases' | 'counts' | 'generation' | 'sync'>
  readonly pages: PageStore
  readonly sink: LinkSink
  /** For the log of links. */
  readonly folder: string
  /** Name of the crawl. */
  readonly crawlId: string
  /** How the crawl normalises addresses. */
  readonly normalize?: NormalizerOptions | undefined
}

/** What was done. */
export interface LinkReport {
  /** Pages of the graph. */
  readonly pages: number
  /** Links between them. */
  readonly links: number
  /** Pages that were indexed again for what links call them, or for what other pages say as well. */
  readonly renewed: number
  /** Pages with other numbers. */
  readonly ranked: number
}

/** Begins every state: another way of ranking begins with another one. */
const METHOD = 'links-2'
const ALIASES_AT_ONCE = 1000
const NUMBERS = [PageField.pageRank, PageField.hub, PageField.authority] as const

const GROUPED_BY = [PageField.type, PageField.site, PageField.lang] as const

const RENEW = 1
const RANK = 2

/**
 * Brings the index up to date with the links; all pages must be in it and committed.
 * @param again also where nothing has changed since the last time
 * @returns undefined where nothing was done
 * @throws errors of the disk
 */
export async function applyLinks(parts: LinkPhaseParts, again = false): Promise<LinkReport | undefined> {
  const { workload, sink, pages } = parts
  const { complete, error } = workload.counts()
  const state = [METHOD, pages.epoch, pages.state.sequence, complete + error, workload.generation()].join(' ')
  if (sink.linkState === state && !again) return undefined
  // The log must never be ahead of the frontier, by which the page store is cut.
  await workload.sync()
  const log = await LinkLog.upToDate(parts)
  const analysis = await LinkAnalysis.of(log, await aliasesOf(parts), parts.folder)
  try {
    const update = new LinkUpdate(analysis, parts)
    const reader = await sink.openReader()
    try {
      await update.findFrames(reader)
      await update.compare(reader)
      await update.renew()
      await update.rank(reader)
    } finally {
      await reader.close()
    }
    await sink.commitLinks(state)
    const { renewed, ranked } = update
    return { pages: analysis.nodes.length, links: analysis.linkCount, renewed, ranked }
  } finally {
    await analysis.close()
  }
}

async function aliasesOf({ workload, sink }: LinkPhaseParts): Promise<Map<number, number>> {
  const aliases = new Map<number, number>()
  for (let last: string | undefined; ; ) {
    const found = await workload.aliases(ALIASES_AT_ONCE, last)
    for (const { url, target } of found) aliases.set(linkKey(url), linkKey(target))
    if (found.length < ALIASES_AT_ONCE) break
    last = found[found.length - 1].url
  }
  for (const { url, target } of sink.members()) aliases.set(linkKey(url), linkKey(target))
  return aliases
}

/** What must change in the index. */
class LinkUpdate {
  renewed = 0
  ranked = 0
  readonly #analysis: LinkAnalysis
  readonly #parts: LinkPhaseParts
  /** By node. */
  readonly #due: Uint8Array
  #frames: SiteFrames | undefined

  constructor(analysis: LinkAnalysis, parts: LinkPhaseParts) {
    this.#analysis = analysis
    this.#parts = parts
    this.#due = new Uint8Array(analysis.nodes.length)
  }

  /** Compares the pages of each site. */
  async findFrames(reader: IndexReader): Promise<void> {
    const sampler = new FrameSampler(this.#analysis.nodes.length)
    for (const segment of reader.segments) {
      const [type, site, language] = await Promise.all(GROUPED_BY.map((field) => keywords(segment, field)))
      for await (const { doc, node } of this.#documents(segment)) {
        if (type(doc) === 'html' && site(doc) !== '') sampler.note(node, site(doc), language(doc))
      }
    }
    this.#frames = await sampler.frames((node) => this.#read(node))
  }

  /** Finds what is not as the links and the other pages say. */
  async compare(reader: IndexReader): Promise<void> {
    const { textKeys } = this.#analysis
    for (const segment of reader.segments) {
      const keys = await segment.docValues(PageField.anchorKey)
      const frameKeys = await segment.docValues(PageField.frameKey)
      const columns = await Promise.all(NUMBERS.map((field) => segment.docValues(field)))
      for await (const { doc, node } of this.#documents(segment)) {
        const key = keys?.numbers(doc)[0] ?? 0
        const frameKey = frameKeys?.numbers(doc)[0] ?? 0
        if (key !== textKeys[node] || frameKey !== (await this.#frameKey(node))) this.#due[node] = RENEW | RANK
        else {
          const wanted = this.#numbersOf(node)
          const isSame = columns.every((column, i) => (column?.numbers(doc)[0] ?? null) === wanted[i])
          if (!isSame) this.#due[node] = RANK
        }
      }
    }
  }

  /** Indexes pages again whose link texts have changed. */
  async renew(): Promise<void> {
    const isDue = (node: number): boolean => (this.#due[node] & RENEW) !== 0
    for await (const [node, text] of this.#analysis.texts(isDue)) await this.#renew(node, text)
    // Those that no link calls anything any more.
    for (let node = 0; node < this.#due.length; node++) {
      if (isDue(node) && this.#analysis.textKeys[node] === 0) await this.#renew(node, undefined)
    }
  }

  async #renew(node: number, text: string | undefined): Promise<void> {
    const page = await this.#read(node)
    await this.#parts.sink.renew(page, text, this.#frames?.strip(node, page))
    this.renewed++
    // The crawl's own signals come in between.
    if ((this.renewed & 15) === 0) await nextTurn()
  }

  /** Writes the numbers that have changed. */
  async rank(reader: IndexReader): Promise<void> {
    const { sink } = this.#parts
    for (const segment of reader.segments) {
      for await (const { node, url } of this.#documents(segment)) {
        if ((this.#due[node] & RANK) === 0) continue
        const values = this.#numbersOf(node)
        for (const [i, field] of NUMBERS.entries()) await sink.setNumber(url, field, values[i])
        this.ranked++
      }
    }
  }

  /** What is to be left out of a page, as a number; 0 for nothing. */
  async #frameKey(node: number): Promise<number> {
    if (this.#frames?.has(node) !== true) return 0
    return this.#frames.strip(node, await this.#read(node))?.key ?? 0
  }

  #read(node: number): Promise<StoredPage> {
    return this.#parts.pages.read(this.#analysis.nodes.offsets[node])
  }

  #numbersOf(node: number): readonly (number | null)[] {
    const { pageRanks, hubs, authorities } = this.#analysis
    return [rounded(pageRanks[node]), rounded(hubs[node]), rounded(authorities[node])]
  }

  /** The live documents of a segment that are nodes. */
  async *#documents(segment: SegmentReader) {
    const { nodes } = this.#analysis
    const ordinals = await segment.docValues(PageField.url)
    if (ordinals === null) return
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      if ((doc & 1023) === 0) await nextTurn()
      if (segment.liveDocs?.get(doc) === false || !ordinals.has(doc)) continue
      const url = segment.data.terms.termAt(PageField.url, ordinals.first(doc))
      const key = linkKey(url)
      const node = nodes.find(key)
      if (node >= 0 && nodes.keys[node] === key) yield { doc, node, url }
    }
  }
}

/** The values of a keyword of a segment's documents; empty where one has none. */
async function keywords(segment: SegmentReader, field: PageFieldName): Promise<(doc: number) => string> {
  const ordinals = await segment.docValues(field)
  const terms = new Map<number, string>()
  return (doc) => {
    if (ordinals?.has(doc) !== true) return ''
    const ordinal = ordinals.first(doc)
    const term = terms.get(ordinal) ?? segment.data.terms.termAt(field, ordinal)
    terms.set(ordinal, term)
    return term
  }
}

/** Three digits are enough to rank by, and pages whose rank hardly moves need no change. Next to nothing is no number. */
function rounded(value: number): number | null {
  const number = value < 10 ? Math.round(value * 1000) / 1000 : Number(value.toPrecision(4))
  return number === 0 ? null : number
}
