/**
 * Windows and candidate lists for the parts of a query, reused within a search and by later ones: a query needs as many
 * as it is deep, not wide. After a search that failed they may not be empty, and are thrown away.
 */
import { Candidates } from './candidates.js'
import { Window } from './window.js'

/** A stack of scratch structures. What is taken must be given back, empty. */
export class Scratch {
  readonly #windows: Window[] = []
  readonly #wideWindows: Window[] = []
  readonly #candidates: Candidates[] = []

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

  takeCandidates(): Candidates {
    return this.#candidates.pop() ?? new Candidates()
  }

  giveCandidates(candidates: Candidates): void {
    candidates.length = 0
    this.#candidates.push(candidates)
  }
}
