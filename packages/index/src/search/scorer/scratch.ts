/**
 * Windows and candidate lists for the parts of a query, reused within a search and by later ones: a query needs as many
 * as it is deep, not wide. After a search that failed they may not be empty, and are thrown away.
 */

import { BLOCK_SIZE } from '../../codec/bit-packing.js'
import { TopHits } from '../top-hits.js'
import { Candidates } from './candidates.js'
import { Window } from './window.js'

/** Arrays for blocks of postings that are kept for the next search, at most: 256 KB. */
const MAX_KEPT_BLOCKS = 512
/** Hits that have memory kept for the next search, at most. */
const MAX_KEPT_HITS = 1024

/** A stack of scratch structures. What is taken must be given back, empty. */
export class Scratch {
  readonly #windows: Window[] = []
  readonly #wideWindows: Window[] = []
  readonly #candidates: Candidates[] = []
  #topHits: TopHits | undefined
  readonly #blocks: Int32Array[] = []
  #blocksTaken = 0

  /** An empty window, over the same documents as `like` where it is given. */
  takeWindow(like?: Window): Window {
    const window = like?.isWide === true ? this.takeWideWindow() : (this.#windows.pop() ?? new Window())
    if (like !== undefined) window.reset(like.lo, like.hi)
    return window
  }

  /** An empty window of bits alone. */
  takeWideWindow(): Window {
    return this.#wideWindows.pop() ?? new Window(true)
  }

  giveWindow(window: Window): void {
    const windows = window.isWide ? this.#wideWindows : this.#windows
    windows.push(window)
  }

  /** An empty heap for so many hits. */
  takeTopHits(limit: number): TopHits {
    const top = this.#topHits
    this.#topHits = undefined
    if (top === undefined || top.room < limit) return new TopHits(limit)
    top.reset(limit)
    return top
  }

  giveTopHits(top: TopHits): void {
    if (top.room <= MAX_KEPT_HITS) this.#topHits = top
  }

  takeCandidates(): Candidates {
    return this.#candidates.pop() ?? new Candidates()
  }

  /** An array for the postings of a block, whatever it holds; taken until the end of the search. */
  takeBlock(): Int32Array {
    const at = this.#blocksTaken++
    const block = this.#blocks[at] ?? new Int32Array(BLOCK_SIZE)
    if (at < MAX_KEPT_BLOCKS) this.#blocks[at] = block
    return block
  }

  /** Takes back the blocks of a search that is over. */
  reclaim(): void {
    this.#blocksTaken = 0
  }

  giveCandidates(candidates: Candidates): void {
    candidates.length = 0
    this.#candidates.push(candidates)
  }
}
