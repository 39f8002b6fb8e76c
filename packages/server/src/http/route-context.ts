/** What the routes work with. */
import type { Logger } from '@spindle/core'
import type { SearchBackend } from '../search/search-backend.js'

/** How far a crawl that this process started has come. */
export interface CrawlProgress {
  /** Pages read so far. */
  readonly pages: number
}

/** What the routes work with. */
export interface RouteContext {
  readonly backend: SearchBackend
  readonly logger: Logger
  /** The crawl that feeds the index, while one runs in our knowledge. */
  readonly crawlProgress: () => CrawlProgress | undefined
  /** Changes with every change of the style sheet; part of its address. */
  readonly assets: string
}
