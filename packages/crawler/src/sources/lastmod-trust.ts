/**
 * How far the `lastmod` of sitemaps is believed in a recrawl. A page that has not changed since it was stored, by the word of a
 * sitemap of this generation, is left alone, within bounds: the first {@link PROOFS} such pages of a host are asked all the same,
 * after them each in one of {@link SAMPLE} generations, and the first one that has changed ends the trust in its host for the run.
 */
import { urlKey } from '../frontier/url-key.js'
import { type ClaimedUrl, hostOf } from '../frontier/workload.js'
import type { PageHead } from '../pages/stored-page.js'

/** Pages of a host that must be as its sitemaps say before others are left alone. */
export const PROOFS = 5
/** A page is left alone in at most so many generations in a row, less one. */
export const SAMPLE = 10

const DAY_MS = 86_400_000
/** Clocks differ. */
const SLACK_MS = 3_600_000
/** What a date without a time may mean more than its midnight in UTC: its day, in any time zone. */
const DATE_MS = DAY_MS + DAY_MS / 2

/** See the head of this file. */
export class LastmodTrust {
  /** Pages of a host that were as its sitemaps say; -1 once one was not. */
  readonly #proofs = new Map<string, number>()
  readonly #generation: () => number

  /** @param generation the one of now */
  constructor(generation: () => number) {
    this.#generation = generation
  }

  /** True where a sitemap of this generation says that a page has not changed since it was stored. */
  vouches({ previous }: ClaimedUrl, stored: PageHead): boolean {
    const modified = previous?.vouched
    if (modified === undefined || previous?.misses !== 0 || stored.truncated) return false
    const latest = modified % DAY_MS === 0 ? modified + DATE_MS : modified + SLACK_MS
    return latest <= stored.fetchedAt
  }

  /** True where a page for which {@link vouches} is true need not be asked for. */
  isEnough(url: string): boolean {
    if ((this.#proofs.get(hostOf(url)) ?? 0) < PROOFS) return false
    return urlKey(url, this.#generation()) % SAMPLE !== 0
  }

  /** Told what was found of a page for which {@link vouches} is true. */
  learn(url: string, isUnchanged: boolean): void {
    const host = hostOf(url)
    const proofs = this.#proofs.get(host) ?? 0
    if (proofs >= 0) this.#proofs.set(host, isUnchanged ? proofs + 1 : -1)
  }
}
