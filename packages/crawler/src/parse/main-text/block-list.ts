/** The blocks of a page's text – what stands on a line of its own – with what is known of each, and the regions that they lie in. */

import type { Mark } from './element-marks.js'

/** Blocks kept apart; in a longer page neighbours of the same region become one. */
const MAX_BLOCKS = 50_000
/** Regions kept apart; further ones belong to the region around them. */
const MAX_REGIONS = 10_000
/** Headings kept apart. */
const MAX_HEADINGS = 1000
/** Share of link text from which on a block is a link. */
const LINKED = 0.6

/** An element that says something of its content. */
export interface Region {
  /** number of the region around it; of the whole page, number 0, itself */
  readonly parent: number
  readonly mark: Mark
}

/** A heading of text (h1 to h3): its blocks from `first` up to `end`. */
export interface Heading {
  readonly level: number
  readonly first: number
  readonly end: number
}

/** See the head of this file. */
export class BlockList {
  readonly regions: Region[] = [{ parent: 0, mark: 0 }]
  /** by block: where it ends in the text; the next one begins behind the line break */
  readonly ends: number[] = []
  /** by block: UTF-16 units that are text of links */
  readonly links: number[] = []
  /** by block: number of its region */
  readonly owners: number[] = []
  /** in their order, without those that are links */
  readonly headings: Heading[] = []

  get count(): number {
    return this.ends.length
  }

  /** Where a block begins. */
  start(block: number): number {
    return block === 0 ? 0 : this.ends[block - 1]! + 1
  }

  /** Adds a block up to `end`. */
  add(end: number, links: number, owner: number): void {
    const last = this.ends.length - 1
    if (last >= MAX_BLOCKS && this.owners[last] === owner) {
      this.ends[last] = end
      this.links[last]! += links
      return
    }
    this.ends.push(end)
    this.links.push(links)
    this.owners.push(owner)
  }

  /** True where the blocks from `first` up to `end` are, for the most part, text of links. */
  isLink(first: number, end: number): boolean {
    let links = 0
    for (let i = first; i < end; i++) links += this.links[i]!
    return links >= LINKED * (this.ends[end - 1]! - this.start(first))
  }

  /** Adds a heading. */
  addHeading(heading: Heading): void {
    if (this.headings.length < MAX_HEADINGS) this.headings.push(heading)
  }

  /** The number of a new region. */
  openRegion(parent: number, mark: Mark): number {
    if (this.regions.length >= MAX_REGIONS) return parent
    return this.regions.push({ parent, mark }) - 1
  }
}
