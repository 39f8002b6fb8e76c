/**
 * Hosts that are one: `example.org` where each address leads to the same one of `www.example.org`, `http:` where it leads to
 * `https:`. Once that was seen {@link PROOFS} times, and never otherwise, addresses of the one are taken for those of the other before
 * they are asked for; every {@link LOOK}th is asked all the same. Learned anew in each run, which costs the few requests.
 */

import { originOf } from '../frontier/workload.js'

/** Redirects of an origin that show where it leads. */
export const PROOFS = 5
/** Of the addresses that need not be asked for one in so many is. */
export const LOOK = 16
/** `http://a` → `https://a` → `https://www.a`. */
const MAX_STEPS = 2
/** Origins remembered. */
const MAX_ORIGINS = 10_000

interface Origin {
  /** Where it leads. */
  to: string
  /** Redirects seen; -1 once something else was. */
  proofs: number
  spared: number
}

/** See the head of this file. All addresses are canonical. */
export class HostAliases {
  readonly #origins = new Map<string, Origin>()
  #learned = 0

  /** Told a redirect. */
  redirected(from: string, to: string): void {
    const origin = originOf(from)
    const target = originOf(to)
    if (origin === target) return
    const isSame = siteOf(origin) === siteOf(target) && from.slice(origin.length) === to.slice(target.length)
    const known = this.#origins.get(origin)
    if (known === undefined) {
      if (isSame && this.#origins.size < MAX_ORIGINS) this.#origins.set(origin, { to: target, proofs: 1, spared: 0 })
    } else if (known.to === target && isSame) {
      if (known.proofs >= 0 && ++known.proofs === PROOFS) this.#learned++
    } else this.#refute(known)
  }

  /** Told an address that answered with a page of its own. */
  answered(url: string): void {
    if (this.#origins.size === 0) return
    const known = this.#origins.get(originOf(url))
    if (known !== undefined) this.#refute(known)
  }

  /** The address that one leads to, as far as is known; itself where that is not. */
  resolve(url: string): string {
    let at = url
    for (let step = 0; step < MAX_STEPS && this.#learned > 0; step++) {
      const origin = originOf(at)
      const known = this.#origins.get(origin)
      if (known === undefined || known.proofs < PROOFS) break
      if (step === 0 && ++known.spared % LOOK === 0) break
      at = known.to + at.slice(origin.length)
    }
    return at
  }

  #refute(known: Origin): void {
    if (known.proofs >= PROOFS) this.#learned--
    known.proofs = -1
  }
}

/** What is the same for the hosts that may be one: the name without `www.`, and a port of its own. */
function siteOf(origin: string): string {
  return origin.slice(origin.indexOf('//') + 2).replace(/^www\./, '')
}
