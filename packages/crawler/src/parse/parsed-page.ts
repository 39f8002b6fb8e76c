/** What parsing a fetched body gives: the parts of a page that the index and the frontier need. */

import type { PageSection } from '@spindle/core'
import type { RobotsDirectives } from '../robots/robots-directives.js'
import type { DateSource } from './page-dates.js'

/** How the character encoding was found. */
export type CharsetSource =
  | 'bom'
  | 'http'
  | 'meta'
  | 'xml'
  | 'utf16-nul'
  | 'utf8'
  | 'chardet'
  | 'jschardet'
  | 'fallback'
  /** of a format that tells its characters itself (PDF, office packages) */
  | 'document'

/** A sign that a page was read in the wrong encoding. */
export interface CharsetDoubt {
  /**
   * `invalid`: 1 % or more of its characters beyond ASCII are none in that encoding; `utf-8`: its bytes are valid UTF-8;
   * `not-latin`: it would have words of accented letters alone; `unknown`: nothing told what it is
   */
  readonly reason: 'invalid' | 'utf-8' | 'not-latin' | 'unknown'
  /** What the bytes alone look like, where that is another encoding; WHATWG name, lower case */
  readonly bytesLike?: string
}

/** Where a link stands. */
export type LinkKind = 'a' | 'area' | 'frame' | 'iframe' | 'refresh'

/** A link of a page. */
export interface PageLink {
  /** absolute and canonical, without fragment */
  readonly url: string
  readonly kind: LinkKind
  /** anchor text (`alt` of an area), white space collapsed, cut at 500 characters */
  readonly text: string
  /** rel=nofollow, ugc or sponsored on every occurrence of the link */
  readonly nofollow: boolean
  /** `other`: mailto, ftp, file …; javascript, data, blob, about are no links at all */
  readonly scheme: 'http' | 'other'
}

/** A picture that says in words what it shows. */
export interface PageImage {
  /** absolute and canonical */
  readonly url: string
  readonly alt: string
}

/** A parsed page. */
export interface ParsedPage {
  readonly kind: 'html' | 'text' | 'pdf' | 'office' | 'feed'
  readonly title: string
  /** readable text: blocks on lines of their own, other white space collapsed */
  readonly text: string
  readonly description: string
  /** BCP 47 tag, lower case; empty where the page tells none */
  readonly lang: string
  /** WHATWG encoding name, lower case */
  readonly charset: string
  readonly charsetSource: CharsetSource
  readonly charsetDoubt?: CharsetDoubt
  /** what relative links were resolved against */
  readonly baseUrl: string
  /** the first valid http(s) one, absolute; the caller decides what it is worth */
  readonly canonical: string | undefined
  /** feeds that the page names as its alternates, absolute and canonical; left out where it names none */
  readonly feeds?: readonly string[]
  /** meta robots and, where given, X-Robots-Tag */
  readonly robots: RobotsDirectives
  /** ISO 8601 date or date and time */
  readonly published: string | undefined
  readonly publishedFrom?: DateSource
  /** ISO 8601 date or date and time of the last change */
  readonly modified?: string
  readonly modifiedFrom?: DateSource
  /** in document order, no address twice */
  readonly links: readonly PageLink[]
  /** true where the page has more links than were taken */
  readonly linksTruncated: boolean
  /** parts of the text in order, where the page has any that can be led to */
  readonly sections?: readonly PageSection[]
  readonly author?: string
  readonly keywords?: readonly string[]
  /** what the page calls its site */
  readonly siteName?: string
  /** kinds of things by schema.org that the page says it is, as `NewsArticle` */
  readonly schemaTypes?: readonly string[]
  /** names of the steps that lead to the page, the outermost first */
  readonly breadcrumb?: readonly string[]
  readonly images?: readonly PageImage[]
  /** values that the page gives to be filtered by, as `name:value` */
  readonly filters?: readonly string[]
  /** true where the page has no text of its own: scripts would make it in a browser */
  readonly clientRendered?: true
  /** true where the page has more text than was taken */
  readonly textTruncated?: boolean
}
