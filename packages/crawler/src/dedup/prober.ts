/** Asks a host for an address that nobody has made, within its rules and its delay. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetcher } from '../fetch/fetcher.js'
import type { Politeness } from '../frontier/politeness.js'
import { hostOf } from '../frontier/workload.js'
import { parsePage } from '../parse/parse-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import type { RobotsRules } from '../robots/robots-rules.js'

/** Bytes read of the answer. */
const MAX_BODY = 1024 * 1024

/** See the head of this file. */
export class Prober {
  readonly #fetcher: Pick<Fetcher, 'fetch'>
  readonly #politeness: Politeness
  readonly #robotsToken: string
  readonly #signal: AbortSignal

  /** @param fetcher one that tells politeness of its requests */
  constructor(fetcher: Pick<Fetcher, 'fetch'>, politeness: Politeness, robotsToken: string, signal: AbortSignal) {
    this.#fetcher = fetcher
    this.#politeness = politeness
    this.#robotsToken = robotsToken
    this.#signal = signal
  }

  /**
   * To be called while the host's turn is held by the page that gives the cause: its answer has ended, and nothing else is asked
   * for meanwhile.
   * @returns the page that came, undefined where the answer is an honest one or there is none
   */
  async ask(url: string, rules: RobotsRules): Promise<ParsedPage | undefined> {
    if (!rules.isAllowed(url)) return undefined
    const host = hostOf(url)
    this.#politeness.touched(host)
    try {
      await sleep(this.#politeness.waitFor(host), undefined, { signal: this.#signal })
      const result = await this.#fetcher.fetch(url, { signal: this.#signal, maxBody: MAX_BODY })
      if (result.status < 200 || result.status >= 300) return undefined
      const { contentType, charsetLabel, body } = result
      return parsePage({ url, contentType, charsetLabel, body, robotsToken: this.#robotsToken }) ?? undefined
    } catch {
      // No answer is no proof.
      return undefined
    }
  }
}
