/**
 * Windows and candidate lists for the parts of a query, reused within a search and by later ones: a query needs as many
 * as it is deep, not wide. After a search that failed they may not be empty, and are thrown away.
 */
import { Candidates } from './candidates.js'
import { Window } from './window.js'

/** A stack of scratch structures. What is taken must be given back, empty. */
export class Scratch {
  readonly #windows: Window[] = []
  readonly #candidates: Candidates[] = []

  /** An empty window, over the same documents as `like` where it is given. */
  takeWindow(like?: Window): Window {
    const window = this.#windows.pop() ?? new Window()
    if (like !== undefined) window.reset(like.lo, like.hi)
    return window
  }

  giveWindow(window: Window): void {
    this.#windows.push(window)
  }

  takeCandidates(): Candidates {
    return this.#candidates.pop() ?? new Candidates()
  }

  giveCandidates(candidates: Candidates): void {
    candidates.length = 0
    this.#candidates.push(candidates)
  }
}
