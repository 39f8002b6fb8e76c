/**
 * Which regions of a page hold its main text. What a page says of them by names and roles (`element-marks.ts`) is believed as far
 * as it leaves a content: elements are left open, and a name means something else on another site.
 */

import type { BlockList } from './block-list.js'
import { ARTICLE, FRAME, HIDDEN, MAIN, type Mark, MENU, NAVIGATION, NOSCRIPT, SIDE } from './element-marks.js'

/** Letters from which on a text counts as a content of its own. */
const ENOUGH = 200
/** A Han character, kana or Hangul syllable says as much as so many letters. */
const WIDE = 3
/** Share of link text from which on a region is a list of links. */
const LINKED = 0.5
/** The same for a sidebar or header by name; boxes of running text have references. */
const SIDE_LINKED = 0.4
/** The same for a menu by name that is longer than {@link ENOUGH}. */
const MENU_LINKED = 0.2
/** Shares of what stays from which on main, or articles, are all of it. */
const MAIN_SHARE = 0.3
const ARTICLE_SHARE = 0.5
/** Times that names are judged anew. */
const MAX_ROUNDS = 4

/** Outside of anything that says it is content. */
const PLAIN = 0
const IN_ARTICLE = 1
const IN_MAIN = 2
const DROPPED = 3
/** Not to be seen. */
const UNSEEN = 4

/** What became of the regions. */
export interface RegionVerdict {
  /** by region: 1 where its own text stays */
  readonly kept: Uint8Array
  /** by region: 1 where it does not, for no other reason than that the page says which part of it is the content */
  readonly outside: Uint8Array
  /** true where the page says which part of it is the content: then there is nothing to guess */
  readonly explicit: boolean
}

/** Judges the regions of a page. Linear in blocks and regions. */
export function judgeRegions(text: string, blocks: BlockList): RegionVerdict {
  return new Judgement(text, blocks).verdict()
}

class Judgement {
  readonly #text: string
  readonly #blocks: BlockList
  /** by region: UTF-16 units of its own, all that it holds, and link text in that */
  readonly #own: Float64Array
  readonly #all: Float64Array
  readonly #links: Float64Array
  readonly #states: Uint8Array
  /** by region: 1 where its mark is not believed */
  readonly #doubted: Uint8Array
  #plain = 0
  #article = 0
  #main = 0

  constructor(text: string, blocks: BlockList) {
    this.#text = text
    this.#blocks = blocks
    const { regions, ends, links, owners } = blocks
    this.#own = new Float64Array(regions.length)
    this.#links = new Float64Array(regions.length)
    this.#states = new Uint8Array(regions.length)
    this.#doubted = new Uint8Array(regions.length)
    for (let i = 0; i < ends.length; i++) {
      const owner = owners[i]!
      this.#own[owner]! += ends[i]! - blocks.start(i)
      this.#links[owner]! += links[i]!
    }
    this.#all = this.#own.slice()
    // a region has a larger number than the one around it
    for (let r = regions.length - 1; r > 0; r--) {
      const { parent } = regions[r]!
      this.#all[parent]! += this.#all[r]!
      this.#links[parent]! += this.#links[r]!
    }
  }

  verdict(): RegionVerdict {
    this.#decide()
    for (let round = 0; round < MAX_ROUNDS && this.#main === 0 && this.#doubtLarge(); round++) this.#decide()
    if (this.#main + this.#article === 0 && !this.#isEnough()) {
      this.#doubt((mark, region) => mark < HIDDEN && (this.#kept === 0 || this.#linkShare(region) < LINKED))
      this.#decide()
      if (this.#kept === 0) {
        this.#doubt(() => true)
        this.#decide()
      }
    }
    const onlyMain = this.#main > 0 && this.#main >= MAIN_SHARE * this.#kept
    const onlyArticle = !onlyMain && this.#main + this.#article >= ARTICLE_SHARE * this.#kept && this.#article > 0
    const least = onlyMain ? IN_MAIN : onlyArticle ? IN_ARTICLE : PLAIN
    const kept = this.#states.map((state) => (state >= least && state < DROPPED ? 1 : 0))
    return { kept, outside: this.#states.map((state) => (state < least ? 1 : 0)), explicit: least > PLAIN }
  }

  get #kept(): number {
    return this.#plain + this.#article + this.#main
  }

  #decide(): void {
    const { regions } = this.#blocks
    const sums = [0, 0, 0, 0, 0]
    for (let r = 0; r < regions.length; r++) {
      const { parent, mark } = regions[r]!
      const around = r === 0 ? PLAIN : this.#states[parent]!
      const state = this.#doubted[r] === 1 || this.#isNone(r, mark) ? around : within(around, mark)
      this.#states[r] = state
      sums[state]! += this.#own[r]!
    }
    this.#plain = sums[PLAIN]!
    this.#article = sums[IN_ARTICLE]!
    this.#main = sums[IN_MAIN]!
  }

  /** True for what is no list of links, though named like one. */
  #isNone(region: number, mark: Mark): boolean {
    if (mark === SIDE) return this.#linkShare(region) < SIDE_LINKED
    return mark === MENU && this.#all[region]! >= ENOUGH && this.#linkShare(region) < MENU_LINKED
  }

  /** Doubts names that would take most of the page away and are no lists of links. Returns whether any is. */
  #doubtLarge(): boolean {
    const { regions } = this.#blocks
    const limit = Math.max(ENOUGH, 3 * this.#kept)
    let any = false
    for (let r = 1; r < regions.length; r++) {
      const { parent, mark } = regions[r]!
      if (this.#states[r]! < DROPPED || this.#states[parent]! >= DROPPED || mark === NOSCRIPT) continue
      if (this.#all[r]! < limit || this.#linkShare(r) >= LINKED) continue
      this.#doubted[r] = 1
      any = true
    }
    return any
  }

  #doubt(which: (mark: Mark, region: number) => boolean): void {
    for (const [r, { mark }] of this.#blocks.regions.entries()) {
      if (this.#states[r]! >= DROPPED && which(mark, r)) this.#doubted[r] = 1
    }
  }

  #linkShare(region: number): number {
    return this.#all[region] === 0 ? 0 : this.#links[region]! / this.#all[region]!
  }

  #isEnough(): boolean {
    if (this.#kept >= ENOUGH) return true
    if (this.#kept * WIDE < ENOUGH) return false
    const { owners, ends } = this.#blocks
    let letters = 0
    for (let i = 0; i < ends.length; i++) {
      if (this.#states[owners[i]!]! >= DROPPED) continue
      for (let at = this.#blocks.start(i); at < ends[i]!; at++)
        letters += this.#text.charCodeAt(at) >= 0x2e80 ? WIDE : 1
    }
    return letters >= ENOUGH
  }
}

/** What a mark makes of a region within another. */
function within(around: number, mark: Mark): number {
  if (around === UNSEEN) return UNSEEN
  switch (mark) {
    case MAIN:
      return IN_MAIN
    case ARTICLE:
      return around === PLAIN ? IN_ARTICLE : around
    case NAVIGATION:
    case MENU:
      return DROPPED
    case FRAME:
    case SIDE:
      return around === PLAIN ? DROPPED : around
    case HIDDEN:
    case NOSCRIPT:
      return UNSEEN
    default:
      return around
  }
}
