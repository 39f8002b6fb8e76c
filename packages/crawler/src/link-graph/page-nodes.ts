/**
 * The nodes of the link graph: the stored pages, each once, numbered by site and then by the hash of its address, so that the
 * numbers depend on the pages alone. An address is found by binary search in its hash; one that stands for another page leads
 * to that. 32 bytes a page, and while they are read 24 more a record of the page store.
 */
import type { LinkLog } from './link-log.js'

/** Steps from an address to the one that it stands for, and from there on. */
const MAX_STEPS = 10

/** Hashes of addresses that stand for other ones. */
export type Aliases = ReadonlyMap<number, number>

/** See the head of this file. */
export class PageNodes {
  /** Hash of each page's address. */
  readonly keys: Float64Array
  /** Where each page lies in the page store. */
  readonly offsets: Float64Array
  /** Number of each page's site; ascending. */
  readonly sites: Int32Array
  /** Pages of each site. */
  readonly siteSizes: Int32Array
  readonly #aliases: Aliases
  /** Hashes in ascending order, and the node of each. */
  readonly #sorted: Float64Array
  readonly #nodes: Int32Array

  private constructor(
    parts: Pick<PageNodes, 'keys' | 'offsets' | 'sites' | 'siteSizes'>,
    sorted: Float64Array,
    nodes: Int32Array,
    aliases: Aliases,
  ) {
    this.keys = parts.keys
    this.offsets = parts.offsets
    this.sites = parts.sites
    this.siteSizes = parts.siteSizes
    this.#sorted = sorted
    this.#nodes = nodes
    this.#aliases = aliases
  }

  /** Reads who is in the log. @param aliases pages among them are no nodes of their own */
  static async read(log: LinkLog, aliases: Aliases): Promise<PageNodes> {
    const rows = new LoggedRows()
    const siteNumbers = new Map<string, number>()
    for await (const { key, offset, page } of log.scan()) {
      if (page === undefined || aliases.has(key)) {
        rows.add(key, GONE, 0)
        continue
      }
      let site = siteNumbers.get(page.site)
      if (site === undefined) {
        site = siteNumbers.size
        siteNumbers.set(page.site, site)
      }
      rows.add(key, offset, site)
    }
    const siteNames = [...siteNumbers.keys()].sort()
    const ranks = new Int32Array(siteNames.length)
    for (const [rank, name] of siteNames.entries()) ranks[siteNumbers.get(name)!] = rank
    const latest = rows.latest()
    const siteSizes = new Int32Array(siteNames.length)
    for (const row of latest) siteSizes[ranks[rows.sites[row]]]++
    const next = new Int32Array(siteNames.length)
    for (let site = 1; site < next.length; site++) next[site] = next[site - 1] + siteSizes[site - 1]
    const count = latest.length
    const sorted = new Float64Array(count)
    const nodes = new Int32Array(count)
    const keys = new Float64Array(count)
    const offsets = new Float64Array(count)
    const sites = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      const row = latest[i]
      const site = ranks[rows.sites[row]]
      const node = next[site]++
      sorted[i] = rows.keys[row]
      nodes[i] = node
      keys[node] = rows.keys[row]
      offsets[node] = rows.offsets[row]
      sites[node] = site
    }
    return new PageNodes({ keys, offsets, sites, siteSizes }, sorted, nodes, aliases)
  }

  get length(): number {
    return this.keys.length
  }

  /** The page of a hash, or the one that its address stands for; −1 where there is none. */
  find(key: number): number {
    let node = this.#locate(key)
    for (let step = 0; node < 0 && step < MAX_STEPS; step++) {
      const target = this.#aliases.get(key)
      if (target === undefined) return -1
      key = target
      node = this.#locate(key)
    }
    return node
  }

  #locate(key: number): number {
    const sorted = this.#sorted
    let low = 0
    let high = sorted.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = sorted[middle]
      if (found === key) return this.#nodes[middle]
      if (found < key) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
}

/** In place of an offset: the page is gone, or none of its own. */
const GONE = -1

/** The records of the log in three growing columns. */
class LoggedRows {
  keys = new Float64Array(1024)
  offsets = new Float64Array(1024)
  sites = new Int32Array(1024)
  #length = 0

  add(key: number, offset: number, site: number): void {
    if (this.#length === this.keys.length) {
      this.keys = doubled(this.keys, Float64Array)
      this.offsets = doubled(this.offsets, Float64Array)
      this.sites = doubled(this.sites, Int32Array)
    }
    this.keys[this.#length] = key
    this.offsets[this.#length] = offset
    this.sites[this.#length++] = site
  }

  /** The last row of each hash that is not gone, by hash. */
  latest(): Uint32Array {
    const { keys, offsets } = this
    const rows = Uint32Array.from({ length: this.#length }, (_, i) => i)
    rows.sort((a, b) => keys[a] - keys[b] || a - b)
    let kept = 0
    for (let i = 0; i < rows.length; i++) {
      const isLast = i + 1 === rows.length || keys[rows[i + 1]] !== keys[rows[i]]
      if (isLast && offsets[rows[i]] !== GONE) rows[kept++] = rows[i]
    }
    return rows.subarray(0, kept)
  }
}

function doubled<T extends Float64Array | Int32Array>(array: T, Type: { new (length: number): T }): T {
  const grown = new Type(array.length * 2)
  grown.set(array)
  return grown
}
