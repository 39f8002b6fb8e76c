/** From a fetched body to what the index and the frontier need of it. Linear in the body's length whatever the body holds. */

import { normalizeUrl } from '@spindle/core'
import { parseRobotsDirectives } from '../robots/robots-directives.js'
import { decodeText } from './decode-text.js'
import type { PageSelectors } from './page-selectors.js'
import { parseHtml } from './parse-html.js'
import type { ParsedPage } from './parsed-page.js'
import { sniffKind } from './sniff-type.js'
import { cleanText } from './text-builder.js'

/** A fetched body to parse. */
export interface ParseInput {
  /** the page's address, absolute */
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
  /** most links taken; default {@link MAX_LINKS} */
  readonly maxLinks?: number
  /** what of the pages of this site is their text, where its operator says so */
  readonly selectors?: PageSelectors | undefined
}

/**
 * Default of {@link ParseInput.maxLinks}: distinct references without their fragments. The largest lists of real sites have more
 * than 5,000 (a page of Rust's documentation); how many addresses a crawl takes is bounded elsewhere.
 */
export const MAX_LINKS = 20_000

/** Parses a page; null where the body is no text (an image, an archive, …) or of a type not handled. */
export function parsePage(input: ParseInput): ParsedPage | null {
  const kind = sniffKind(input.contentType, input.body)
  if (kind === undefined) return null
  const token = input.robotsToken ?? 'spindle'
  const { text, charset, source, doubt } = decodeText(input.body, input.charsetLabel, kind !== 'text')
  const encoding = { charset, charsetSource: source, ...(doubt === undefined ? {} : { charsetDoubt: doubt }) }
  const pageUrl = normalizeUrl(input.url) ?? input.url
  if (kind === 'text') {
    return {
      kind: 'text',
      title: '',
      text: cleanText(text.replace(/\r\n?|\f/g, '\n')).trim(),
      description: '',
      lang: '',
      ...encoding,
      baseUrl: pageUrl,
      canonical: undefined,
      robots: parseRobotsDirectives([], input.xRobotsTag, token),
      published: undefined,
      links: [],
      linksTruncated: false,
    }
  }
  const { maxLinks = MAX_LINKS, xRobotsTag, selectors } = input
  const xml = kind === 'xhtml'
  const html = { url: pageUrl, text, charset, xml, xRobotsTag, robotsToken: token, maxLinks, selectors }
  return { ...parseHtml(html), ...encoding }
}
