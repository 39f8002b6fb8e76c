import type { Fetcher } from '../fetch/fetcher.js'
import type { RobotsRules } from './robots-rules.js'

/** Settings of a {@link RobotsCache}. */
export interface RobotsCacheOptions {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  /** product token or whole User-Agent; what counts is the part before `/` */
  readonly userAgent: string
  /** clock, milliseconds; default Date.now */
  readonly now?: () => number
}

/** robots.txt of every origin met, fetched once. */
export class RobotsCache {
  constructor(readonly_: RobotsCacheOptions) {
    void readonly_
  }

  /** The rules of an origin (`https://example.org:8443`). Never rejects but for the caller's own abort. */
  async rulesFor(origin: string, _signal?: AbortSignal): Promise<RobotsRules> {
    throw new Error(`not yet: ${origin}`)
  }
}
