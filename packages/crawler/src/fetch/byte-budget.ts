/**
 * Bounds the bytes of large bodies that are in memory at a time, over all fetches. A page costs several times its length while
 * it is decoded, parsed and compressed, so sixteen bodies of 10 MiB at once would take half a gigabyte.
 * First come, first served; what is free is not given to a smaller one further back, so that none waits for ever.
 */

/** A place in the budget, or in the line for it. */
export interface ByteClaim {
  /** True from the moment when the bytes may be used. */
  readonly granted: boolean
  /** Gives the bytes, or the place in the line, back. More than once does no harm. */
  release(): void
}

interface Waiting {
  readonly bytes: number
  readonly onGranted: () => void
  granted: boolean
}

/** See the head of this file. */
export class ByteBudget {
  readonly #limit: number
  #used = 0
  readonly #line = new Set<Waiting>()

  /** @param limit bytes in all; a single claim of more counts as that much */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** @param onGranted called where the bytes are not free at once, when they are */
  claim(bytes: number, onGranted: () => void): ByteClaim {
    const claim = { bytes: Math.min(bytes, this.#limit), onGranted, granted: false }
    let released = false
    this.#line.add(claim)
    this.#grant(claim)
    return {
      get granted() {
        return claim.granted
      },
      release: () => {
        if (released) return
        released = true
        if (claim.granted) this.#used -= claim.bytes
        else this.#line.delete(claim)
        this.#grant()
      },
    }
  }

  /** @param silent not called back, for it can see for itself */
  #grant(silent?: Waiting): void {
    for (const claim of this.#line) {
      if (this.#used + claim.bytes > this.#limit) return
      this.#line.delete(claim)
      this.#used += claim.bytes
      claim.granted = true
      if (claim !== silent) claim.onGranted()
    }
  }
}
