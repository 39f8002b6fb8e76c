/** What a program that runs a spider may hear and decide. */
import type { FinishedUrl } from './frontier/workload.js'
import type { PageRecord } from './pages/stored-page.js'

/** All are optional. One that throws makes the page end in error with reason `process-error`. */
export interface SpiderCallbacks {
  /** A link inside of the scope was found on a page. @returns true to add it to the work (as without this callback) */
  foundInternalLink?(url: string, page: string): boolean
  /** A link to a host outside of the scope was found. @returns true to add it to the work; without this callback it is not */
  foundExternalLink?(url: string, page: string): boolean
  /** A link that is no http or https address was found (mailto, ftp, …). @returns false to leave it out of the counts, too */
  foundOtherLink?(url: string, page: string): boolean
  /** The real work on a page that has been fetched and parsed; it is stored and ends complete when this resolves. */
  processPage?(page: PageRecord): Promise<void> | void
  /** An address has ended. @param error true where it ended in error */
  completePage?(page: FinishedUrl, error: boolean): void
  /** @returns true to cut the query (`?…`) off every address before it is queued */
  getRemoveQuery?(): boolean
  /** No work is left. */
  spiderComplete?(): void
}
