/** A page as the spider keeps it: what came, and what parsing made of it. */
import type { ParsedPage } from '../parse/parsed-page.js'

/** A fetched page without its place in the store. */
export interface PageRecord {
  readonly url: string
  /** HTTP status. */
  readonly status: number
  /** Start of the fetch, milliseconds since 1970. */
  readonly fetchedAt: number
  /** MIME essence, lower case. */
  readonly contentType: string
  /** Headers worth keeping, lower-case names: validators, type, language, robots, date. */
  readonly headers: Readonly<Record<string, string>>
  /** True where the body was cut at the size limit. */
  readonly truncated: boolean
  /** SHA-256 of the body as received, hexadecimal. */
  readonly hash: string
  /** Links from a seed. */
  readonly depth: number
  /** The body as received, content encoding undone. */
  readonly body: Buffer
  readonly parsed: ParsedPage
}

/** Place of a page. */
export interface PagePosition {
  /** Number of the page in order of storing, from 1, without gaps. */
  readonly sequence: number
  /** Byte offset of its record. */
  readonly offset: number
  /** Byte offset behind its record. */
  readonly end: number
}

/** What can be known of a stored page without decompressing it. */
export type PageHead = Omit<PageRecord, 'body' | 'parsed'>

/** A page read from the store without its body. */
export type StoredPage = PageHead & Pick<PageRecord, 'parsed'> & PagePosition

/** Says that the page of an address is gone: what was stored under it before counts no more. */
export interface PageRemoval {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly removedAt: number
  /** What came instead of the page: a disposition, such as `http-410`. */
  readonly reason: string
}

/** A removal read from the store. */
export type StoredRemoval = PageRemoval & PagePosition

/** A record of the store. */
export type StoredRecord = StoredPage | StoredRemoval

/** What a record of the store is about. */
export interface RecordSummary extends PagePosition {
  readonly url: string
  readonly isRemoval: boolean
}

/** True for a removal. */
export function isRemoval(record: StoredRecord): record is StoredRemoval {
  return 'removedAt' in record
}

/** What is known for certain of a store. */
export interface PageStoreState {
  /** Records in it. */
  readonly sequence: number
  /** Bytes of it; 0 for a new one. */
  readonly end: number
}
