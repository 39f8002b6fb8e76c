/**
 * The frontier as the spider sees it: every address that is work is in exactly one of four queues.
 *
 *   waiting → running → complete | error      (complete and error are final)
 *
 * A recrawl is a new generation: what is due waits again, with what came of it before kept until something else does.
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
  /** Its number in the order of leaving; where it is left out the {@link CrawlOrder} of the workload gives it. */
  readonly priority?: number
  /** When a sitemap or feed says that its page was changed last, milliseconds since 1970; the latest word is kept. */
  readonly lastModified?: number | undefined
  /** True where {@link lastModified} is the word of a sitemap: that it has not changed since, either. */
  readonly isVouched?: boolean
}

/**
 * The order in which waiting addresses leave: each has a number, given when it is found and changeable; the least goes first,
 * among equals the one found first. An address that is found again while it waits keeps the lesser of its numbers.
 */
export interface CrawlOrder {
  /** Kept with the queues: under another name the known addresses are numbered anew. */
  readonly name: string
  /** The number of an address: finite, the less the sooner. */
  priority(url: NewUrl): number
}

/** Decides which addresses become work, by how many there are already; the workload keeps the counts. */
export interface Admission {
  /** Told each host (name and port), once when it is new, and all that are known when the workload begins to ask. */
  addHost(host: string): void
  /** Lets a new address in, or says why not: the reason it is skipped for. */
  admit(url: string, known: KnownCounts): string | undefined
}

/** How many addresses are known that are like a new one. */
export interface KnownCounts {
  /** Of its host; undefined where the host is new. */
  readonly host: number | undefined
  /** Of its shape (`queryShape`); 0 where it has no query. */
  readonly shape: number
}

/** Place of an address among those that wait. */
export interface Place {
  /** The least leaves first. */
  readonly priority: number
  /** Order in which addresses were found, from 1. */
  readonly sequence: number
}

/** An address in hand for fetching. */
export interface ClaimedUrl extends NewUrl, Place {
  readonly priority: number
  /** Host and port, as {@link hostOf} gives it. */
  readonly host: string
  /** What is kept of it from an earlier generation; undefined where it has never ended. */
  readonly previous: PreviousVisit | undefined
}

/** What is kept of an address when it waits again. */
export interface PreviousVisit {
  /** Byte offset of its page in the page store, where it has one. */
  readonly page: number | undefined
  /** Generations in a row in which it was said to be gone. */
  readonly misses: number
  /** When it was changed last, as a sitemap says that was read in this generation; milliseconds since 1970. */
  readonly vouched?: number | undefined
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
  /** True where the page and its hash stay those of an earlier generation; `page` and `content` say nothing then. */
  readonly keepsPage?: boolean
  /** True where the page is gone for certain and is kept ({@link keepsPage}) until all of its host are known that are. */
  readonly isVanished?: boolean
  /** Generations in a row in which the address was said to be gone, this one included; default 0. */
  readonly misses?: number
  /** Where a redirect leads, or the address that a duplicate is stored under. */
  readonly location?: string | undefined
  /** Milliseconds since 1970. */
  readonly finishedAt: number
  /** Addresses found in it. */
  readonly links: readonly NewUrl[]
  readonly skipped: readonly SkippedUrl[]
}

/** Everything the frontier knows of one address. What came of it is that of the last generation in which it ended. */
export interface UrlState extends Omit<ClaimedUrl, 'previous' | 'lastModified'> {
  readonly lastModified: number | undefined
  readonly queue: QueueName
  /** The address it was first found at; undefined for a seed. */
  readonly referrer: string | undefined
  readonly disposition: string | undefined
  readonly status: number
  readonly page: number | undefined
  /** When it was last asked for, milliseconds since 1970. */
  readonly finishedAt: number | undefined
  readonly misses: number
}

/** An address that has no page of its own and stands for another one. */
export interface Alias {
  readonly url: string
  /** {@link FinishedUrl.location} */
  readonly target: string
}

/** Pages of a host that are gone and still kept. */
export interface Vanished {
  readonly host: string
  readonly vanished: number
  /** All its pages, the vanished ones included. */
  readonly pages: number
}

/** One of them. */
export interface VanishedPage {
  readonly url: string
  readonly disposition: string
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
  /** The addresses that were new. */
  readonly urls: readonly FoundUrl[]
}

/** An address that was new. */
export interface FoundUrl {
  readonly url: string
  readonly depth: number
  /** The address it was found at; undefined for a seed. */
  readonly referrer: string | undefined
}

/** Which addresses a list is to hold; default all. */
export interface ListFilter {
  readonly host?: string | undefined
  /** A disposition, or the reason of a skipped address. */
  readonly reason?: string | undefined
}

/** What a host asked for, kept for the next process. */
export interface HostTimes {
  /** Least milliseconds between two requests. */
  readonly delayMs: number
  /** No request before this time, milliseconds since 1970. */
  readonly pausedUntil: number
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

/** The queues to look at: all that needs no right to change them. */
export interface FrontierView {
  /** Size of the queues; O(1). */
  counts(): QueueCounts
  /** How the finished and skipped addresses ended in this generation; O(number of reasons). */
  tally(): Tally
  /** Number of the crawl generation, from 1. */
  generation(): number
  /** Addresses that have a page in the page store; O(1). */
  pageCount(): number
  /** One address, or undefined where it is in no queue. */
  get(url: string): Promise<UrlState | undefined>
  /** Why an address is no work, or undefined where it is not in the list of skipped ones. */
  getSkipped(url: string): Promise<SkippedState | undefined>
  /**
   * A page of a queue: waiting in the order of leaving, the others in a fixed order; `after` is the last address of the page
   * before.
   */
  list(queue: QueueName, limit: number, after?: string, filter?: ListFilter): Promise<UrlState[]>
  /** A page of the skipped addresses, by address. */
  listSkipped(limit: number, after?: string, filter?: ListFilter): Promise<SkippedState[]>
  /** A named value kept with the queues. */
  meta(name: string): string | undefined
  close(): Promise<void>
}

/**
 * The four queues. A workload has one user at a time; its methods may be called while others are pending.
 * `add`, `finish` and `beginGeneration` are all or nothing and durable against the end of the process when they resolve.
 */
export interface Workload extends FrontierView {
  /** Numbers new addresses by this order from now on; those known, too, where another one numbered them: O(addresses). */
  useOrder(order: CrawlOrder): Promise<void>
  /**
   * From now on asks for each new address that was found in another one. The hosts that are known are told first: O(hosts).
   * Start addresses are counted and never refused.
   */
  useAdmission(admission: Admission): Promise<void>
  /** Gives addresses other numbers; unknown ones are passed over. O(log n) each. */
  prioritize(priorities: ReadonlyMap<string, number>): Promise<void>
  /** Puts addresses that were never seen into waiting (seeds). */
  add(urls: readonly NewUrl[]): Promise<Added>
  /**
   * Moves the first waiting address – least number, then found first – of a host (of all hosts where none is given)
   * to running; undefined where none waits. O(log n), whatever waits.
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
  /**
   * Begins the next generation: every address that ended before a time waits again. O(addresses). The tally begins anew with what
   * is not due.
   * @returns how many wait again
   * @throws Error while any is running
   */
  beginGeneration(endedBefore: number): Promise<number>
  /** Hosts that have waiting addresses. */
  waitingHosts(): Promise<string[]>
  /** Another variant of the address (`variantOf`) that ended with the same content and has not vanished, or undefined. */
  findTwin(url: string, content: number): Promise<string | undefined>
  /** Hosts with addresses that ended with {@link FinishedUrl.isVanished} and have been neither asked again nor dropped since. */
  vanished(): Promise<Vanished[]>
  /** Some of them. */
  vanishedOf(host: string, limit: number): Promise<VanishedPage[]>
  /** They have no page any more; one transaction with the named values of `meta`. */
  dropPages(urls: readonly string[], meta: ReadonlyMap<string, string>): Promise<void>
  /** A page of the addresses that ended with a location and no page, in a fixed order; `after` as for lists. */
  aliases(limit: number, after?: string): Promise<Alias[]>
  /** Keeps what a host asked for. */
  setHostTimes(host: string, times: HostTimes): Promise<void>
  /** What hosts asked for, those that asked for nothing left out. */
  hostTimes(): Promise<ReadonlyMap<string, HostTimes>>
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

/** Scheme, host and port of a canonical http(s) address; `null`, as with `URL`, for a file. */
export function originOf(url: string): string {
  if (!url.startsWith('http')) return 'null'
  const end = url.indexOf('/', url.indexOf('//') + 2)
  return end < 0 ? url : url.slice(0, end)
}

/** What adding changed, by the addresses that were new. */
export function toAdded(urls: readonly FoundUrl[]): Added {
  return { added: urls.length, hosts: new Set(urls.map(({ url }) => hostOf(url))), urls }
}

/** True where `a` leaves before `b`. */
export function isBefore(a: Place, b: Place): boolean {
  return a.priority !== b.priority ? a.priority < b.priority : a.sequence < b.sequence
}
