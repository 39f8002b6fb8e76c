/**
 * Ranks, hubs, authorities and link texts of all stored pages, worked out from the log of their links. Memory: some 100 bytes a page,
 * 8 a link, and one partition of the texts; 136 CPU seconds for a million pages with 30 links each.
 */
import { hits, LinkGraph, pageRank } from '@spindle/index'
import { AnchorTexts } from './anchor-texts.js'
import { linkKey } from './link-key.js'
import { type LinkLog, readLinks } from './link-log.js'
import { LinkPartitions, sourceOf, TITLE } from './link-partitions.js'
import { type Aliases, PageNodes } from './page-nodes.js'

/** Distinct links of a page that count. */
const MAX_LINKS = 20_000
const MAX_TITLE_BYTES = 0xffff

/** What is known of the pages by their links; see the head of this file. To be closed. */
export class LinkAnalysis {
  readonly nodes: PageNodes
  /** By node; the means are 1. */
  readonly pageRanks: Float64Array
  readonly hubs: Float64Array
  readonly authorities: Float64Array
  readonly linkCount: number
  /** Hash of each page's link texts; 0 where it has none. */
  readonly textKeys: Float64Array
  readonly #partitions: LinkPartitions
  readonly #texts: AnchorTexts

  private constructor(
    parts: Pick<LinkAnalysis, 'nodes' | 'pageRanks' | 'hubs' | 'authorities' | 'linkCount' | 'textKeys'>,
    partitions: LinkPartitions,
    texts: AnchorTexts,
  ) {
    this.nodes = parts.nodes
    this.pageRanks = parts.pageRanks
    this.hubs = parts.hubs
    this.authorities = parts.authorities
    this.linkCount = parts.linkCount
    this.textKeys = parts.textKeys
    this.#partitions = partitions
    this.#texts = texts
  }

  /**
   * @param aliases addresses that stand for other ones
   * @param folder for temporary files
   */
  static async of(log: LinkLog, aliases: Aliases, folder: string): Promise<LinkAnalysis> {
    const nodes = await PageNodes.read(log, aliases)
    const partitions = await LinkPartitions.create(folder, nodes.length)
    try {
      await collect(log, nodes, partitions)
      const texts = new AnchorTexts(nodes.sites, nodes.siteSizes)
      const graph = await graphOf(nodes, partitions, texts)
      const { ranks } = pageRank(graph)
      const { hubs, authorities } = hits(graph)
      const textKeys = new Float64Array(nodes.length)
      for (let p = 0; p < partitions.length; p++) {
        for (const [node, text] of texts.choose(await partitions.read(p))) textKeys[node] = linkKey(text)
      }
      const { linkCount } = graph
      return new LinkAnalysis({ nodes, pageRanks: ranks, hubs, authorities, linkCount, textKeys }, partitions, texts)
    } catch (error) {
      await partitions.close()
      throw error
    }
  }

  /** The link texts of the pages for which `wanted` says so, in the order of the nodes. */
  async *texts(wanted: (node: number) => boolean): AsyncGenerator<readonly [node: number, text: string], void, void> {
    for (let p = 0; p < this.#partitions.length; p++) {
      const { first, count } = this.#partitions.rangeOf(p)
      let any = false
      for (let node = first; node < first + count && !any; node++) any = wanted(node)
      if (!any) continue
      for (const entry of this.#texts.choose(await this.#partitions.read(p))) if (wanted(entry[0])) yield entry
    }
  }

  async close(): Promise<void> {
    await this.#partitions.close()
  }
}

/** Sorts the links between pages by what they lead to. */
async function collect(log: LinkLog, nodes: PageNodes, partitions: LinkPartitions): Promise<void> {
  for await (const { key, offset, page } of log.scan()) {
    if (page === undefined) continue
    const source = nodes.find(key)
    // An older form of the page, or one that stands for another.
    if (source < 0 || nodes.keys[source] !== key || nodes.offsets[source] !== offset) continue
    partitions.add(TITLE, source, Buffer.from(page.title).subarray(0, MAX_TITLE_BYTES))
    let left = MAX_LINKS
    readLinks(page.links, (targetKey, text) => {
      if (left-- <= 0) return
      const target = nodes.find(targetKey)
      if (target >= 0 && target !== source) partitions.add(source, target, text)
    })
    await partitions.drain()
  }
}

/** The graph of the links; their texts are counted on the way. */
async function graphOf(nodes: PageNodes, partitions: LinkPartitions, texts: AnchorTexts): Promise<LinkGraph> {
  const starts = new Uint32Array(nodes.length + 1)
  const sources = new Int32Array(partitions.linkCount)
  let length = 0
  for (let p = 0; p < partitions.length; p++) {
    const partition = await partitions.read(p)
    const { first, count, bytes, order } = partition
    for (let t = 0; t < count; t++) {
      for (let i = partition.starts[t]; i < partition.starts[t + 1]; i++) {
        const source = sourceOf(bytes, order[i])
        if (source !== TITLE) sources[length++] = source
      }
      starts[first + t + 1] = length
    }
    texts.count(partition)
  }
  return new LinkGraph(starts, sources, nodes.sites)
}
