/** What a spider says: events to its program and its log, and to the log, too, each step of each address. */
import type { Logger } from '@spindle/core'
import type { FoundUrl } from './frontier/workload.js'
import type { CrawlCounters, SpiderAction, SpiderEvent } from './spider-events.js'

/** Milliseconds between two `stats` events. */
const STATS_INTERVAL_MS = 1000

/** See the head of this file. Costs nothing for what nobody listens to. */
export class SpiderVoice {
  readonly #onEvent: ((event: SpiderEvent) => void) | undefined
  readonly #onAction: ((action: SpiderAction) => void) | undefined
  readonly #logger: Logger | undefined
  #timer: NodeJS.Timeout | undefined
  #told = ''

  constructor({
    onEvent,
    onAction,
    logger,
  }: {
    readonly onEvent?: ((event: SpiderEvent) => void) | undefined
    readonly onAction?: ((action: SpiderAction) => void) | undefined
    readonly logger?: Logger | undefined
  }) {
    this.#onEvent = onEvent
    this.#onAction = onAction
    this.#logger = logger
  }

  /** Takes a step of an address; undefined where nobody listens. */
  get onAction(): ((action: SpiderAction) => void) | undefined {
    if (this.#onAction === undefined && this.#logger === undefined) return undefined
    return (action) => {
      this.#onAction?.(action)
      this.#log('info', action)
    }
  }

  emit(event: SpiderEvent): void {
    this.#onEvent?.(event)
    this.#log(event.type === 'error' || event.type === 'unavailable' ? 'warn' : 'info', event)
  }

  /** Tells of addresses that wait now. */
  queued(urls: readonly FoundUrl[]): void {
    const { onAction } = this
    if (onAction === undefined) return
    for (const { url, depth, referrer } of urls) {
      onAction({ type: 'queued', url, depth, ...(referrer === undefined ? {} : { referrer }) })
    }
  }

  /** Tells the counters once a second where they have changed, and once more when it ends. @returns ends it */
  tellCounters(counters: () => CrawlCounters): () => void {
    const tell = () => {
      const now = counters()
      const text = JSON.stringify(now)
      if (text !== this.#told) this.emit({ type: 'stats', ...now })
      this.#told = text
    }
    this.#timer = setInterval(tell, STATS_INTERVAL_MS).unref()
    return () => {
      clearInterval(this.#timer)
      tell()
    }
  }

  #log(level: 'info' | 'warn', { type, ...fields }: SpiderEvent | SpiderAction): void {
    this.#logger?.log(level, type, fields)
  }
}
