/** What a spider reports while it runs. The names and shapes are those of `crawl --json` and stable. */

import type { LinkReport } from './link-graph/link-phase.js'
import type { FoundItem } from './news/news-items.js'
import type { CharsetDoubt } from './parse/parsed-page.js'
import type { CrawlReport } from './report/crawl-report.js'

/** One event; addresses are canonical, times milliseconds. */
export type SpiderEvent =
  /** a start address was taken; `known` where the crawl had it already */
  | { readonly type: 'seed'; readonly url: string; readonly known: boolean }
  /** so many start addresses were made of ranges, `added` of them new */
  | { readonly type: 'scan'; readonly addresses: number; readonly added: number }
  /** the next crawl generation has begun, with so many addresses to be fetched again */
  | { readonly type: 'recrawl'; readonly generation: number; readonly due: number }
  /** an address was fetched and ended complete */
  | {
      readonly type: 'fetched'
      readonly url: string
      readonly status: number
      readonly disposition: string
      readonly depth: number
      readonly bytes: number
      readonly elapsedMs: number
      /** where a redirect leads; the address that a duplicate is stored under */
      readonly location?: string
      /** true where the body or the number of its links is over the limit: what lies behind is not read */
      readonly truncated?: true
      /** the page may have been read in the wrong encoding, and why */
      readonly charsetDoubt?: CharsetDoubt['reason']
    }
  /** an address ended in error */
  | {
      readonly type: 'error'
      readonly url: string
      readonly status: number
      readonly reason: string
      readonly depth: number
    }
  /** an address was taken up and left alone (robots.txt, no text); links out of scope are only counted */
  | {
      readonly type: 'skipped'
      readonly url: string
      readonly status: number
      readonly reason: string
      readonly depth: number
    }
  /** an address will be tried again */
  | {
      readonly type: 'retry'
      readonly url: string
      readonly status: number
      readonly reason: string
      readonly waitMs: number
    }
  /** a host does not answer and is set aside for a time */
  | { readonly type: 'unavailable'; readonly host: string; readonly reason: string; readonly waitMs: number }
  /** so many pages of a host are gone at once that they are kept until somebody accepts it */
  | { readonly type: 'held'; readonly host: string; readonly vanished: number; readonly pages: number }
  /** how far the crawl is; about once a second, and at its end */
  | ({ readonly type: 'stats' } & CrawlCounters)
  /** the pages up to a number can be found in the index */
  | { readonly type: 'commit'; readonly pages: number; readonly documents: number }
  /** a piece of news that a list names (`--preset news`) */
  | ({ readonly type: 'item' } & FoundItem)
  /** so many documents were made again, because words of the dictionary have changed, which has so many now */
  | { readonly type: 'dictionary'; readonly words: number; readonly documents: number }
  /** the dictionary cannot be read: the words before stay in use */
  | { readonly type: 'dictionary-failed'; readonly detail: string }
  /** what the links between the pages say is in the index */
  | ({ readonly type: 'linked' } & LinkReport)
  /** the crawl has ended */
  | ({ readonly type: 'done' } & CrawlReport)

/** Live counters of the present crawl generation. */
export interface CrawlCounters {
  /** addresses that have ended */
  readonly crawled: number
  /** addresses that wait or are being fetched */
  readonly toCrawl: number
  /** the limit of pages; null for none */
  readonly maxPages: number | null
  readonly pages: number
  readonly errors: number
  /** links to other hosts, left alone */
  readonly offHost: number
  /** pages over the size limit, of which the beginning is stored */
  readonly oversize: number
}

/** A step of an address on its way, for the log; there are several for each, so no event of `crawl --json` is made of it. */
export type SpiderAction =
  /** added to the waiting queue; a seed has no referrer */
  | { readonly type: 'queued'; readonly url: string; readonly depth: number; readonly referrer?: string }
  /** taken out of it: scope and robots.txt are asked */
  | { readonly type: 'verify'; readonly url: string }
  /** the request is made, for the `tries`-th time */
  | { readonly type: 'process'; readonly url: string; readonly tries: number }
