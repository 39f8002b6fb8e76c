/**
 * The frontier as the spider sees it: every address that is work is in exactly one of four queues.
 *
 *   waiting → running → complete | error      (complete and error are final)
 *
 * An address that was found but is no work (another host, not followed, too deep, …) is kept in a list of its own,
 * `skipped`, which is no queue: it leaves that list when it is found again in a way that makes it work.
 * Implementations: memory and SQLite; all must pass `test-support/workload-conformance.ts`.
 */

/** The four queues. */
export const QUEUES = ['waiting', 'running', 'error', 'complete'] as const

/** Name of a queue. */
export type QueueName = (typeof QUEUES)[number]

/** An address offered to the frontier. */
export interface NewUrl {
  /** Absolute http(s) address in canonical form (`normalizeUrl` of core). */
  readonly url: string
  /** Links from a seed; a seed has depth 0. */
  readonly depth: number
  /** Redirects (HTTP or meta refresh) in a row that led here. */
  readonly redirects: number
}

/** An address in hand for fetching. */
export interface ClaimedUrl extends NewUrl {
  /** Host and port, as {@link hostOf} gives it. */
  readonly host: string
  /** Order in which addresses were found, from 1. */
  readonly sequence: number
}

/** An address that was found and is no work. */
export interface SkippedUrl {
  readonly url: string
  /** Short stable reason, for example `off-host`. */
  readonly reason: string
}

/** What became of a running address. */
export interface FinishedUrl {
  readonly url: string
  readonly queue: 'complete' | 'error'
  /** Short stable reason, for example `fetched`, `redirect`, `http-404`, `robots`. */
  readonly disposition: string
  /** HTTP status, 0 where there was no answer. */
  readonly status: number
  /** Byte offset of the stored page in the page store, or undefined. */
  readonly page?: number | undefined
  /** Hash of the body, 0 … 2^53 − 1, where the page is stored. */
  readonly content?: number | undefined
  /** Milliseconds since 1970. */
  readonly finishedAt: number
  /** Addresses found in it. */
  readonly links: readonly NewUrl[]
  readonly skipped: readonly SkippedUrl[]
}

/** Everything the frontier knows of one address. */
export interface UrlState extends ClaimedUrl {
  readonly queue: QueueName
  /** The address it was first found at; undefined for a seed. */
  readonly referrer: string | undefined
  readonly disposition: string | undefined
  readonly status: number
  readonly page: number | undefined
  readonly finishedAt: number | undefined
}

/** A skipped address with the page it was first found at. */
export interface SkippedState extends SkippedUrl {
  readonly referrer: string | undefined
}

/** What adding changed. */
export interface Added {
  /** Addresses that were new. */
  readonly added: number
  /** Hosts that have new waiting addresses. */
  readonly hosts: ReadonlySet<string>
}

/** How many addresses are in each queue. */
export type QueueCounts = Readonly<Record<QueueName, number>>

/** How many addresses ended how. */
export interface Tally {
  readonly complete: ReadonlyMap<string, number>
  readonly error: ReadonlyMap<string, number>
  readonly skipped: ReadonlyMap<string, number>
}

/** Most skipped addresses that are kept; more are only counted, and then an address may count more than once. */
export const MAX_SKIPPED = 100_000

/**
 * The four queues. A workload has one user at a time; its methods may be called while others are pending.
 * `add` and `finish` are all or nothing and durable against the end of the process when they resolve.
 */
export interface Workload {
  /** Size of the queues; O(1). */
  counts(): QueueCounts
  /** How the finished and skipped addresses ended; O(number of reasons). */
  tally(): Tally
  /** Puts addresses that were never seen into waiting (seeds). */
  add(urls: readonly NewUrl[]): Promise<Added>
  /**
   * Moves the first waiting address – least depth, then found first – of a host (of all hosts where none is given)
   * to running; undefined where none waits. O(1) for a host, whatever waits; for all hosts O(hosts).
   * @param except hosts left out where no host is given
   */
  claim(host?: string, except?: ReadonlySet<string>): Promise<ClaimedUrl | undefined>
  /** Puts a running address back into its place in waiting: it was not fetched. */
  release(url: string): Promise<void>
  /**
   * Moves running addresses to complete or error and adds what was found in them, in one transaction together with
   * the named values of `meta`.
   * @throws Error where an address is not running; nothing is changed then
   */
  finish(batch: readonly FinishedUrl[], meta?: ReadonlyMap<string, string>): Promise<Added>
  /** Hosts that have waiting addresses. */
  waitingHosts(): Promise<string[]>
  /** One address, or undefined where it is in no queue. */
  get(url: string): Promise<UrlState | undefined>
  /** Another address of the same folder (`directoryOf`) that ended with the same content, or undefined. */
  findTwin(url: string, content: number): Promise<string | undefined>
  /** Why an address is no work, or undefined where it is not in the list of skipped ones. */
  getSkipped(url: string): Promise<SkippedState | undefined>
  /** A page of a queue: waiting in order of depth and finding, the others in a fixed order; `after` is the last address of the page before. */
  list(queue: QueueName, limit: number, after?: string): Promise<UrlState[]>
  /** A page of the skipped addresses, by address. */
  listSkipped(limit: number, after?: string): Promise<SkippedState[]>
  /** A named value kept with the queues. */
  meta(name: string): string | undefined
  /** Sets a named value. */
  setMeta(name: string, value: string): Promise<void>
  /** Makes everything so far durable against loss of power, too. */
  sync(): Promise<void>
  /** Running addresses are waiting when it is opened again. */
  close(): Promise<void>
}

/** Host and port of a canonical http(s) address, without parsing it whole. */
export function hostOf(url: string): string {
  const start = url.indexOf('//') + 2
  const end = url.indexOf('/', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/** Of two waiting addresses, the one to fetch first: breadth first, then first in first out. */
export function isBefore(a: ClaimedUrl, b: ClaimedUrl): boolean {
  return a.depth !== b.depth ? a.depth < b.depth : a.sequence < b.sequence
}
