/** Settings and live figures of a spider. */
import type { Logger } from '@spindle/core'
import type { Fetcher, FetcherOptions } from './fetch/fetcher.js'
import type { CrawlOrder, Workload } from './frontier/workload.js'
import type { PageFeed } from './indexing/page-feed.js'
import type { Scope } from './link-sorter.js'
import type { PageStore } from './pages/page-store.js'
import type { StoredPage } from './pages/stored-page.js'
import type { RobotsRules } from './robots/robots-rules.js'
import type { HostLimits } from './scope/host-budgets.js'
import type { RangeScan } from './scope/range-scan.js'
import type { SiteScope } from './scope/scope-rules.js'
import type { UrlLimits } from './scope/url-budgets.js'
import type { NormalizerOptions } from './scope/url-normalizer.js'
import type { SitemapMode } from './sources/site-lists.js'
import type { SpiderCallbacks } from './spider-callbacks.js'
import type { SpiderAction, SpiderEvent } from './spider-events.js'

/** Settings of a spider's own fetcher. */
export type SpiderFetchOptions = Pick<FetcherOptions, 'sites' | 'cookies' | 'proxy' | 'ca' | 'bandwidth' | 'resolve'>

/** What follows the page store while a spider fills it. */
export type SpiderFeed = Pick<PageFeed, 'available' | 'onError' | 'drain' | 'settle'>

/** Settings of a spider. All but the seeds have defaults that make a polite crawl of the seeds' hosts. */
export interface SpiderOptions extends SpiderCallbacks {
  /** Start addresses; may be empty where the workload has work already. */
  readonly seeds: readonly string[]
  /** The four queues; default in memory. The caller closes it. */
  readonly workload?: Workload
  /** Where fetched pages are kept; default nowhere. Opened with `pageStoreState(workload)`; the caller closes it. */
  readonly pages?: PageStore
  /** Follows the page store and fills an index. The caller closes it. */
  readonly feed?: SpiderFeed
  /** HTTP client; the caller closes it. Default: one of its own with `userAgent` and `concurrency`, guarded against private addresses. */
  readonly fetcher?: Fetcher
  /** Proxy, certificates, cookies, bandwidth and settings of sites for the own fetcher. */
  readonly fetch?: SpiderFetchOptions
  /** robots.txt; default: one of its own on `fetcher`, whose requests keep the delay, too. */
  readonly robots?: { rulesFor(origin: string, signal?: AbortSignal): Promise<RobotsRules> }
  /** Which addresses are work, instead of the rules that the next five settings make. */
  readonly scope?: Scope
  /** What of the seeds is the site; default their hosts. */
  readonly site?: SiteScope
  /** Every address of some ranges as a start address, which `site` must let in; default none. See `scope/range-scan.ts`. */
  readonly scan?: RangeScan
  /** Patterns of which an address must fit one; default: every address is included. See `scope/url-pattern.ts`. */
  readonly include?: readonly string[]
  /** Patterns of which an address must fit none. */
  readonly exclude?: readonly string[]
  /** What is taken out of addresses before they are compared and fetched; default session ids, tracking and order. */
  readonly normalize?: NormalizerOptions
  /** Addresses, pages and bytes taken from one place; see {@link UrlLimits}, {@link HostLimits}. */
  readonly limits?: UrlLimits & HostLimits
  /** Where sitemaps are looked for; default those that robots.txt names. */
  readonly sitemaps?: SitemapMode
  /** File name endings left out, without dot; default those of pictures, archives, programs and the like. */
  readonly excludeSuffixes?: readonly string[]
  /** Whether PDF, Office, EPUB, Markdown and feeds are read; default true. False: they hold no text, and are not fetched where their names tell. */
  readonly documents?: boolean
  /** Fetches at a time; default 16. */
  readonly concurrency?: number
  /** Least milliseconds between the end of an answer and the next request to a host; default 1,000. */
  readonly delay?: number
  /** Most links from a seed, for the default scope; default no limit. */
  readonly maxDepth?: number
  /** Pages of a generation after which no more are fetched; default no limit. */
  readonly maxPages?: number
  /** User-Agent of the own fetcher. */
  readonly userAgent?: string
  /** In which order waiting addresses leave; default that of the crawl so far, breadth first for a new one. */
  readonly order?: CrawlOrder
  /**
   * Fetches again what has ended: begins the next generation, unless one is under way, which goes on then. Pages that have not
   * changed stay as they are; those that are gone are removed.
   */
  readonly recrawl?: {
    /** Only addresses last asked for so many milliseconds ago; default 0: all */
    readonly olderThan?: number
  }
  /** Whether a stored page will not change any more, so that a recrawl leaves it alone; default: none. */
  readonly isSettled?: (page: StoredPage) => boolean
  /** True to remove all pages that are gone, also where they are so many of a host that they would be kept; default false. */
  readonly acceptRemovals?: boolean
  /** One fetch at a time, in an order that is the same each time; default false. */
  readonly ordered?: boolean
  /** Stops the crawl like `Spider.stop`. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: SpiderEvent) => void
  /** Told each step of each address; the logger is, too. */
  readonly onAction?: (action: SpiderAction) => void
  readonly logger?: Logger
  /** Clock of politeness, milliseconds; default Date.now. */
  readonly now?: () => number
  /** First wait before an address is tried again; doubles each time. Default 1,000 milliseconds. */
  readonly retryDelay?: number
  /** How long fetches in flight may go on after a stop; default 10,000 milliseconds. */
  readonly stopTimeout?: number
}

/** Live figures. */
export interface SpiderStats {
  readonly waiting: number
  readonly running: number
  readonly complete: number
  readonly error: number
  /** Pages of this generation: stored, or found to be as stored. */
  readonly pages: number
  /** Answers of any kind in this run. */
  readonly fetched: number
  /** Body bytes in this run. */
  readonly bytes: number
  readonly inFlight: number
}
