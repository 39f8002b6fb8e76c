/** Where pages go to become findable. The index of this machine is one; a distributed engine would be another. */
import type { StoredPage } from '../pages/stored-page.js'

/** How far a sink has come in the page store. */
export interface SinkPosition {
  /** Number of the last record of the page store that is durable in the sink; 0 for none. */
  readonly sequence: number
  /** Where the record after it lies in the page store; a hint. */
  readonly offset: number
}

/** See the head of this file. Pages come in the order of the page store; one method runs at a time. */
export interface PageSink {
  /** As of the last commit. */
  readonly position: SinkPosition
  /** Documents in it, those not yet committed included. */
  readonly documents: number
  /** Adds a page, replaces it, or removes it where it asks not to be indexed. */
  put(page: StoredPage): Promise<void>
  /** Removes the page of an address where there is one. */
  remove(url: string): Promise<void>
  /** Makes everything put so far durable and findable together with the position. */
  commit(position: SinkPosition): Promise<void>
  /** Gives up what was not committed. */
  close(): Promise<void>
}
