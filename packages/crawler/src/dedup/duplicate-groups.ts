/**
 * Which pages are one page under several addresses. Every indexed page is in a group, most of them alone; the group is found under
 * one address and lists the others. The groups depend on the pages alone, not on the order in which they came:
 *
 * - pages with the same bytes, or the same title and text where there is enough of it, are the same;
 * - a page is one with the page of its host that it names as its canonical one, where that is stored and alike;
 * - two views of an address (print, mobile), and copies under the same name on two sites that have nothing to do with each other,
 *   are one page where one run of whole lines makes up nearly all of both and the titles agree.
 *
 * Pages that are related in these ways are looked at together, in order of preference: each joins the first one before it that it is
 * related to itself, so that a chain of small steps joins nothing.
 *
 * A page is noted when it comes; groups are settled before each commit of the index. Both are O(log n) a page, on disk.
 */
import { variantOf } from '../frontier/page-variants.js'
import { type Alias, hostOf } from '../frontier/workload.js'
import { detectLanguage } from '../indexing/detect-language.js'
import type { StoredPage } from '../pages/stored-page.js'
import { DuplicateStore, type NewPage, type PageRow } from './duplicate-store.js'
import { addressRank, tailOf, viewKey } from './page-addresses.js'
import { byStanding, compareTexts, linksBetween, mayBeCopies, type Node, toNodes } from './page-relations.js'
import { pageSignature } from './page-signature.js'
import { mix } from './page-tokens.js'

/** What a document must become. */
export type GroupChange =
  | { readonly kind: 'remove'; readonly url: string }
  /** @see PageRow.offset */
  | { readonly kind: 'put'; readonly url: string; readonly offset: number; readonly alsoAt: readonly string[] }

/** Where a {@link DuplicateGroups} is and what it follows. */
export interface DuplicateGroupsOptions {
  readonly path: string
  /** Name of the crawl. */
  readonly crawlId: string
  /** Number of the last page that is in the index. */
  readonly sequence: number
  /** Reads a page of the page store. */
  readonly read: (offset: number) => Promise<StoredPage>
}

/** Other addresses that are listed with a page. */
export const MAX_ALSO_AT = 50
/** Pages that are looked at together; where more are related by address and fingerprint, only those that are the same are joined. */
const MAX_COMPONENT = 500
/** Pages before it that one is compared with. */
const MAX_COMPARED = 16
/** Languages that are remembered. */
const MAX_LANGUAGES = 10_000

/** See the head of this file. */
export class DuplicateGroups {
  readonly #store: DuplicateStore
  readonly #read: (offset: number) => Promise<StoredPage>
  /** Addresses whose groups must be settled. */
  readonly #touched = new Set<string>()
  /** Addresses whose documents are not in the index as they must be. */
  readonly #unsettled = new Set<string>()
  /** Languages of texts, by key. */
  readonly #languages = new Map<string, string>()
  /** Number of the last page that the index has. */
  #base: number

  private constructor(store: DuplicateStore, { read, sequence }: DuplicateGroupsOptions) {
    this.#store = store
    this.#read = read
    this.#base = sequence
  }

  /**
   * Opens what belongs to an index.
   * @returns undefined where nothing is known of pages that are in the index: then it must be filled anew, from `sequence` 0
   */
  static open(options: DuplicateGroupsOptions): DuplicateGroups | undefined {
    const { path, crawlId, sequence } = options
    const store = DuplicateStore.open(path)
    try {
      const isOfCrawl = store.meta('crawl') === crawlId
      // The index is where it was when they were last made durable, or a step behind: killed in between.
      const isLevel = Number(store.meta('sequence') ?? 0) === sequence
      const isAhead = Number(store.meta('base') ?? -1) === sequence
      const groups = new DuplicateGroups(store, options)
      if (sequence > 0 && isOfCrawl && (isLevel || isAhead)) {
        if (!isLevel) groups.#repeat()
        return groups
      }
      if (sequence > 0) {
        store.close()
        return undefined
      }
      store.setMeta('crawl', crawlId)
      groups.startOver()
      return groups
    } catch (error) {
      store.close()
      throw error
    }
  }

  /** Forgets all pages. */
  startOver(): void {
    const crawl = this.#store.meta('crawl') ?? ''
    this.#store.clear()
    this.#store.setMeta('crawl', crawl)
    this.#touched.clear()
    this.#unsettled.clear()
    this.#base = 0
  }

  /** What was settled and did not get into the index is settled again. */
  #repeat(): void {
    for (const url of this.#store.dirty) {
      this.#unsettled.add(url)
      this.#touched.add(url)
    }
  }

  /**
   * Notes a page, new or changed.
   * @returns true where nothing is related to it, so that it may go into the index as it is; else {@link settle} decides
   */
  note(page: StoredPage): boolean {
    const next = toRow(page)
    const before = this.#store.find(next.url)
    if (before !== undefined && !isSame(before, next)) this.#touchRelated(before)
    if (before === undefined || !isSame(before, next)) this.#store.save(next, before === undefined)
    else {
      this.#store.move(next.url, next.offset)
      if (before.lead !== undefined || before.alsoAt !== '') return this.#mustSettle(next.url)
    }
    return this.#hasRelated(next) ? this.#mustSettle(next.url) : true
  }

  /** The page of an address is gone, or asks not to be indexed. */
  forget(url: string): void {
    const before = this.#store.find(url)
    this.#unsettled.delete(url)
    if (before === undefined) return
    this.#touchRelated(before)
    this.#store.remove(url)
  }

  /** True where {@link settle} has something to do. */
  get isUnsettled(): boolean {
    return this.#touched.size > 0
  }

  /** What must change in the index for the pages noted so far. */
  async *settle(): AsyncGenerator<GroupChange, void, void> {
    const done = new Set<string>()
    const changed = new Set(this.#unsettled)
    for (const url of this.#touched) {
      const page = this.#store.find(url)
      if (page === undefined) {
        if (this.#unsettled.has(url)) yield { kind: 'remove', url }
        continue
      }
      if (done.has(url)) continue
      for (const { lead, others } of await this.#groupsAround(page)) {
        for (const { url } of [lead, ...others]) done.add(url)
        const alsoAt = listed(lead, others)
        const lines = alsoAt.join('\n')
        if (lead.lead !== undefined || lead.alsoAt !== lines || this.#unsettled.has(lead.url)) {
          changed.add(lead.url)
          this.#store.setGroup(lead.url, undefined, lines)
          yield { kind: 'put', url: lead.url, offset: lead.offset, alsoAt }
        }
        for (const other of others) {
          const isIn = other.lead === undefined || this.#unsettled.has(other.url)
          if (!isIn && other.lead === lead.url) continue
          changed.add(other.url)
          this.#store.setGroup(other.url, lead.url, '')
          if (isIn) yield { kind: 'remove', url: other.url }
        }
      }
    }
    this.#touched.clear()
    this.#unsettled.clear()
    this.#store.setDirty(changed)
  }

  /** Pages that are not found under their own address, with the one that stands for each. */
  members(): Iterable<Alias> {
    return this.#store.members()
  }

  /** The other addresses that are listed with a page. */
  alsoAt(url: string): string[] {
    const listed = this.#store.find(url)?.alsoAt ?? ''
    return listed === '' ? [] : listed.split('\n')
  }

  /** Makes everything durable, before the index is committed with the same number. */
  commit(sequence: number): void {
    this.#store.setMeta('base', String(this.#base))
    this.#store.setMeta('sequence', String(sequence))
    this.#store.commit()
    this.#base = sequence
  }

  /** Gives up what was not committed. */
  close(): void {
    this.#store.close()
  }

  #mustSettle(url: string): false {
    this.#touched.add(url)
    this.#unsettled.add(url)
    return false
  }

  #touchRelated(page: PageRow): void {
    // Pages that are the same are settled together, whichever of them is touched.
    const same = this.#store.sameAs(page)
    if (same !== undefined) this.#touched.add(same)
    const related = [...this.#store.withView(page.view), ...this.#namedOrAlike(page)]
    for (const { url } of related) if (url !== page.url) this.#touched.add(url)
    for (const url of page.alsoAt.split('\n')) if (url !== '') this.#touched.add(url)
    if (page.lead !== undefined) this.#touched.add(page.lead)
  }

  #hasRelated(page: NewPage): boolean {
    if (this.#store.sameAs(page) !== undefined || this.#store.hasOtherView(page)) return true
    return this.#namedOrAlike(page).some(({ url }) => url !== page.url)
  }

  /** Pages that may be one with a page as what it names, what names it, or its copies; known without reading them. */
  #namedOrAlike(page: NewPage): PageRow[] {
    const store = this.#store
    const canonical = page.canonical === undefined ? undefined : store.find(page.canonical)
    const related = canonical === undefined ? [] : [canonical]
    related.push(...store.naming(page.url))
    related.push(...store.copies(page).filter((other) => mayBeCopies(page, other)))
    return related
  }

  /** The pages around one, as groups. */
  async #groupsAround(start: PageRow): Promise<Group[]> {
    const pages = new Map<string, PageRow>([[start.url, start]])
    const keys = new Set<string>()
    const views = new Set<number>()
    const add = (others: Iterable<PageRow>) => {
      for (const other of others) if (!pages.has(other.url)) pages.set(other.url, other)
    }
    for (const page of pages.values()) {
      // What is the same is always looked at whole, and once.
      if (!keys.has(page.key)) add(this.#store.withKey(page.key))
      keys.add(page.key)
      if (keys.size > MAX_COMPONENT) continue
      if (!views.has(page.view)) add(this.#store.withView(page.view))
      views.add(page.view)
      add(this.#namedOrAlike(page))
    }
    const groups: { node: Node; members: Node[] }[] = []
    for (const node of toNodes(pages.values(), byStanding(pages))) {
      let joined: (typeof groups)[number] | undefined
      let compared = 0
      for (const group of keys.size > MAX_COMPONENT ? [] : groups) {
        const links = linksBetween(node, group.node, pages)
        if (links === 0) continue
        if (++compared > MAX_COMPARED) break
        if (((await this.#relation(node, group.node)) & links) === 0) continue
        joined = group
        break
      }
      if (joined === undefined) groups.push({ node, members: [node] })
      else joined.members.push(node)
    }
    return Promise.all(groups.map(({ members }) => this.#toGroup(members, pages)))
  }

  async #toGroup(members: readonly Node[], around: ReadonlyMap<string, PageRow>): Promise<Group> {
    const pages = members.flatMap(({ pages }) => pages)
    if (pages.length === 1) return { lead: pages[0]!, others: [] }
    // A site in several languages has the same page in the folder of each until somebody translates it.
    const language = await this.#languageOf(members[0]!)
    const [lead, ...others] = pages.sort(byStanding(around, language))
    return { lead: lead!, others }
  }

  /** By the text, which is the same on all of its pages; their tags may not be. */
  async #languageOf({ key, pages }: Node): Promise<string> {
    const known = this.#languages.get(key)
    if (known !== undefined) return known
    const { parsed } = await this.#read(pages[0]!.offset)
    const language = await detectLanguage(parsed.text, '')
    if (this.#languages.size >= MAX_LANGUAGES) this.#languages.clear()
    this.#languages.set(key, language)
    return language
  }

  /** How the texts of two groups of same pages are related. */
  async #relation(a: Node, b: Node): Promise<number> {
    const known = this.#store.relation(a.key, b.key)
    if (known !== undefined) return known
    // Always in the same order, so that it does not depend on who asked first.
    const [first, second] = a.key < b.key ? [a, b] : [b, a]
    const texts = await Promise.all([first, second].map(({ pages }) => this.#read(pages[0]!.offset)))
    const relation = compareTexts(texts[0]!, texts[1]!)
    this.#store.setRelation(a.key, b.key, relation)
    return relation
  }
}

interface Group {
  readonly lead: PageRow
  readonly others: readonly PageRow[]
}

/** Of the variants of an address that brought the same bytes one is listed; which of them are stored depends on their order. */
function listed({ variant }: PageRow, others: readonly PageRow[]): string[] {
  const variants = new Set([variant])
  const urls: string[] = []
  for (const other of others) {
    if (urls.length === MAX_ALSO_AT) break
    if (!variants.has(other.variant)) urls.push(other.url)
    variants.add(other.variant)
  }
  return urls
}

function toRow(page: StoredPage): NewPage {
  const { url, offset, parsed } = page
  const { key, simhash } = pageSignature(page)
  const isWeb = url.startsWith('http')
  const canonical = isWeb && parsed.canonical !== url && isOneHost(url, parsed.canonical) ? parsed.canonical : undefined
  const isCompared = isWeb && simhash !== undefined
  return {
    url,
    key,
    variant: textHash(`${page.hash} ${variantOf(url)}`),
    simhash,
    offset,
    rank: addressRank(url),
    canonical,
    view: isCompared ? textHash(viewKey(url)) : 0,
    tail: isCompared ? textHash(tailOf(url)) : 0,
  }
}

function isSame(a: PageRow, b: NewPage): boolean {
  return a.key === b.key && a.variant === b.variant && a.canonical === b.canonical && a.rank === b.rank
}

function isOneHost(url: string, other: string | undefined): other is string {
  return other?.startsWith('http') === true && hostOf(url) === hostOf(other)
}

/** A number other than 0 that is equal for equal texts, and hardly ever for others. */
function textHash(text: string): number {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
    high = mix(high ^ text.charCodeAt(i))
  }
  return (mix(low) & 0xfffff) * 0x100000000 + (high >>> 0) + 1
}
