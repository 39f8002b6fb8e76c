import type { ParsedPage } from './parsed-page.js'

/** A fetched body to parse. */
export interface ParseInput {
  /** the page's address */
  readonly url: string
  /** MIME essence, lower case, empty where there is none */
  readonly contentType: string
  /** charset of the Content-Type header */
  readonly charsetLabel?: string | undefined
  readonly body: Buffer
  /** value of the X-Robots-Tag header */
  readonly xRobotsTag?: string | undefined
  /** product token that meta robots may address; default `spindle` */
  readonly robotsToken?: string
  /** most links taken */
  readonly maxLinks?: number
}

/** Parses a page; null where the body is no text (an image, an archive, …) or of a type not handled. */
export function parsePage(input: ParseInput): ParsedPage | null {
  throw new Error(`not yet: ${input.url}`)
}
