/** HTML within documents – chapters of a book, entries of a feed, Markdown made HTML – read as a page of the web is. */

import { parsePage } from '../parse/parse-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import type { DocumentLink } from './extracted-document.js'

/** @param url what relative links are resolved against */
export function readHtml(html: string | Uint8Array, url: string, xml = false): ParsedPage | null {
  const body = typeof html === 'string' ? Buffer.from(html) : Buffer.from(html.buffer, html.byteOffset, html.byteLength)
  const contentType = xml ? 'application/xhtml+xml' : 'text/html'
  return parsePage({ url, contentType, body, charsetLabel: typeof html === 'string' ? 'utf-8' : undefined })
}

/** The links of a page as those of a document. */
export function linksOf({ links }: ParsedPage): DocumentLink[] {
  return links.filter(({ kind, nofollow }) => kind !== 'refresh' && !nofollow).map(({ url, text }) => ({ url, text }))
}
