/**
 * Has the index follow the dictionary of the user while no crawl does it: a process of its own analyzes the documents again
 * that have a changed word. Searches go on, from the commits that it makes.
 */
import type { Logger } from '@spindle/core'
import { CrawlerProcess } from './cli/crawler-process.js'
import type { DictionaryState } from './search/local-index-backend.js'

/** Milliseconds between two looks whether there is something to do. */
const INTERVAL = 500
/** After a process that has not done all of it the next one waits so long, and twice as long each time, up to a minute. */
const PAUSE = 2_000
const MAX_PAUSE = 60_000

/** What {@link DictionaryJobs} need. */
export interface DictionaryJobsOptions {
  /** Data folder. */
  readonly data: string
  /** Path of the dictionary. */
  readonly dictionary: string
  readonly logger: Logger
  /** What searches use, and what the index was made with; undefined where there is no index. */
  readonly state: () => DictionaryState | undefined
  /** Sees what was committed. */
  readonly refresh: () => Promise<void>
  /** Milliseconds between two looks. */
  readonly interval?: number
}

/** See the head of this file. */
export class DictionaryJobs {
  readonly #options: DictionaryJobsOptions
  #timer: NodeJS.Timeout | undefined
  #running: { readonly process: CrawlerProcess; readonly done: Promise<void> } | undefined
  #notBefore = 0
  #pause = PAUSE
  #lastFault = ''
  #closed = false

  constructor(options: DictionaryJobsOptions) {
    this.#options = options
    this.#schedule()
  }

  /** Process id of the one that works now. */
  get pid(): number | undefined {
    return this.#running?.process.pid
  }

  /** Ends the work in good order; it goes on the next time. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running?.process.stop()
    await this.#running?.done
  }

  #schedule(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#look()
      this.#schedule()
    }, this.#options.interval ?? INTERVAL)
    this.#timer.unref()
  }

  #look(): void {
    if (this.#running !== undefined) return
    if (isSettled(this.#options.state())) {
      this.#pause = PAUSE
      this.#notBefore = 0
    } else if (performance.now() >= this.#notBefore) this.#begin()
  }

  #begin(): void {
    const { data, dictionary, logger, refresh } = this.#options
    let fault = ''
    const process = new CrawlerProcess(
      ['dictionary', 'apply', '--data', data],
      {
        event: () => {},
        line: (text) => {
          fault = text
        },
      },
      { SPINDLE_DICTIONARY: dictionary },
    )
    const done = process.done.then(async (code) => {
      // Otherwise its work would be taken for not done.
      await refresh()
      this.#running = undefined
      this.#notBefore = performance.now() + this.#pause
      this.#pause = Math.min(MAX_PAUSE, this.#pause * 2)
      if (code === 0) {
        this.#lastFault = ''
        logger.log('info', 'the index was brought to the dictionary', { detail: fault })
      } else if (!this.#closed && fault !== this.#lastFault) {
        this.#lastFault = fault
        logger.log('error', 'the index could not be brought to the dictionary', { code, detail: fault })
      }
    })
    this.#running = { process, done }
  }
}

function isSettled(state: DictionaryState | undefined): boolean {
  return state === undefined || (state.settled && state.recorded === state.wanted)
}
