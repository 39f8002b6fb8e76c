/**
 * Evaluates one part of a query on one segment. There are two ways to ask, and a part must answer both alike:
 * `fill` (or `list`, where the worst may be left out) gives all its documents of a range, `probe` tells which of given
 * candidates it matches. An OR fills, an AND lists its rarest clause and probes the others, so no part is called once a
 * document.
 *
 * Order of additions: the score of a document is the same number whatever is pruned, because every sum runs over its
 * clauses in one fixed order.
 */
import type { BitSet } from '@spindle/core'
import type { Candidates } from './candidates.js'
import type { Scratch } from './scratch.js'
import { FIRST_WINDOW_SIZE, WINDOW_SIZE, type Window } from './window.js'

/** What {@link Scorer.next} returns at the end of the segment. */
export const NO_MORE_DOCS = 0x7fffffff

/** Bounds that are summed in another order than scores are may be too low by rounding; this factor makes up for it. */
export const BOUND_SLACK = 1 + 1e-12

/**
 * One part of a query on one segment. Calls go forward: the documents asked for never go back, and of the documents of
 * a window a part is either asked for a list or about candidates, not both.
 */
export abstract class Scorer {
  /** Documents of the next stretch. */
  #size = FIRST_WINDOW_SIZE

  /** Documents that match, at most. */
  abstract readonly cost: number

  /** A document ≥ `from` before which (from `from` on) nothing matches; {@link NO_MORE_DOCS} where nothing follows. */
  abstract next(from: number): number

  /** An upper bound of the score of any document in `[lo, hi)`; 0 where none matches or nothing is scored. */
  abstract bound(lo: number, hi: number): number

  /**
   * Adds all matching documents of the window, which is empty, with their scores.
   * @param min documents with a score ≤ `min` may be left out, and such a one may come with a score that is too low
   *   (but never one above `min`); −Infinity: all documents are wanted
   */
  abstract fill(window: Window, min: number): void

  /** Sets `matched` of the candidates that match and adds to their scores; the others stay as they are. */
  abstract probe(candidates: Candidates): void

  /**
   * Where the next stretch begins: a document ≥ `from`, the end of a stretch or 0, before which nothing scores above
   * `min`; ≥ the segment's number of documents where nothing follows.
   */
  seek(from: number, _min: number): number {
    return this.next(from) & ~31
  }

  /**
   * A score that at least `count` documents of the segment reach, deleted ones included; −Infinity where none is found
   * with little work.
   */
  floor(_count: number): number {
    return -Infinity
  }

  /** One past the last document of the stretch from `from` on that is best listed at once. Asked once a stretch. */
  stretch(from: number): number {
    // Small ones first: they give a threshold, from which on documents can be skipped.
    const size = this.#size
    if (size < WINDOW_SIZE) this.#size = 2 * size
    return from + size
  }

  /** As `fill`, into an empty list. `[lo, hi)` lies in one stretch. */
  list(candidates: Candidates, lo: number, hi: number, min: number, scratch: Scratch): void {
    const window = scratch.takeWindow()
    window.reset(lo, hi)
    this.fill(window, min)
    candidates.takeFrom(window)
    scratch.giveWindow(window)
  }

  /** Whether its documents are better listed than marked in windows even where they are many. */
  get prefersLists(): boolean {
    return false
  }

  /** Whether `count` takes wide windows. */
  get countsWide(): boolean {
    return false
  }

  /**
   * Number of matching documents of the window that are in `live` (null: all are). Made without scores.
   * @param window empty, and left so
   */
  count(window: Window, live: BitSet | null): number {
    this.fill(window, -Infinity)
    const count = window.countLive(live)
    window.clearBits()
    return count
  }

  /** As `fill`, into a window that may hold documents already: their scores are added up. */
  accumulate(window: Window, min: number, scratch: Scratch): void {
    const own = scratch.takeWindow(window)
    this.fill(own, min)
    window.absorb(own)
    scratch.giveWindow(own)
  }
}
