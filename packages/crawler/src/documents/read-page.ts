/** A fetched body of any kind as a page: documents by their reader, all else by the parser of pages. */

import { isHttpUrl, normalizeUrl, parseUrl, resolveUrl } from '@spindle/core'
import { type ParseInput, parsePage } from '../parse/parse-page.js'
import type { PageLink, ParsedPage } from '../parse/parsed-page.js'
import { oneLine } from '../parse/text-builder.js'
import { parseRobotsDirectives } from '../robots/robots-directives.js'
import type { DocumentReader } from './document-reader.js'
import { type DocumentLink, type ExtractedDocument, MAX_DOCUMENT_LINKS } from './extracted-document.js'
import { sniffDocument } from './sniff-document.js'

/** How a body is read. */
export interface ReadOptions {
  /** undefined where documents are not read: then they are no text */
  readonly documents: Pick<DocumentReader, 'read'> | undefined
  readonly signal?: AbortSignal | undefined
}

/** A language tag (RFC 5646) as far as it matters. */
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,3}$/
const MAX_TITLE = 500
const MAX_DESCRIPTION = 2000
const MAX_AUTHOR = 200
const MAX_KEYWORD = 100
const MAX_ANCHOR = 500

/**
 * Reads a body; null where it holds no text.
 * @throws DocumentError of a document that cannot be read
 */
export async function readPage(input: ParseInput, { documents, signal }: ReadOptions): Promise<ParsedPage | null> {
  const format = documents === undefined ? undefined : sniffDocument(input.contentType, input.url, input.body)
  if (documents === undefined || format === undefined) return parsePage(input)
  const { url, body, charsetLabel } = input
  const document = await documents.read({ format, url, bytes: body, charsetLabel, signal })
  return document === null ? null : toPage(document, input)
}

function toPage(document: ExtractedDocument, input: ParseInput): ParsedPage {
  const baseUrl = normalizeUrl(input.url) ?? input.url
  const { links, truncated } = resolveLinks(document.links, baseUrl, input.maxLinks ?? MAX_DOCUMENT_LINKS)
  const author = oneLine(document.author, MAX_AUTHOR)
  const keywords = document.keywords.map((word) => oneLine(word, MAX_KEYWORD)).filter((word) => word !== '')
  return {
    kind: document.kind,
    title: oneLine(document.title, MAX_TITLE),
    text: document.text,
    description: oneLine(document.description, MAX_DESCRIPTION),
    lang: LANGUAGE.exec(document.lang.trim().toLowerCase())?.[0] ?? '',
    charset: 'utf-8',
    charsetSource: 'document',
    baseUrl,
    canonical: undefined,
    robots: parseRobotsDirectives([], input.xRobotsTag, input.robotsToken ?? 'spindle'),
    published: document.published,
    links,
    linksTruncated: truncated,
    ...(document.sections.length === 0 ? {} : { sections: document.sections }),
    ...(author === '' ? {} : { author }),
    ...(keywords.length === 0 ? {} : { keywords }),
    ...(document.truncated ? { textTruncated: true } : {}),
  }
}

function resolveLinks(
  found: readonly DocumentLink[],
  base: string,
  maxLinks: number,
): { readonly links: PageLink[]; readonly truncated: boolean } {
  const links = new Map<string, PageLink>()
  for (const { url: reference, text } of found) {
    const url = resolveUrl(reference.trim(), base)
    const parsed = url === undefined ? undefined : parseUrl(url)
    if (url === undefined || parsed === undefined || links.has(url)) continue
    // Anything else in a document leads to no page: other parts of it, scripts, mail.
    if (!isHttpUrl(parsed) && !(parsed.protocol === 'file:' && base.startsWith('file:'))) continue
    if (links.size >= maxLinks) return { links: [...links.values()], truncated: true }
    const scheme = isHttpUrl(parsed) ? 'http' : 'other'
    links.set(url, { url, kind: 'a', text: oneLine(text, MAX_ANCHOR), nofollow: false, scheme })
  }
  return { links: [...links.values()], truncated: false }
}
