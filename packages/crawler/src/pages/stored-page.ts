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
  /** Headers worth keeping, lower-case names: validators, language, robots, date. */
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

/** A page read from the store without its body. */
export type StoredPage = Omit<PageRecord, 'body'> & PagePosition
