/** From a fetched body to what the index and the frontier need of it. Linear in the body's length whatever the body holds. */

import { canonicalUrl, isHttpUrl, normalizeUrl, parseUrl } from '@spindle/core'
import { parseRobotsDirectives } from '../robots/robots-directives.js'
import { decodeText } from './decode-text.js'
import { HtmlReader } from './html-reader.js'
import type { ParsedPage } from './parsed-page.js'
import { sniffKind } from './sniff-type.js'
import { cleanText, oneLine } from './text-builder.js'

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
}

/** Default of {@link ParseInput.maxLinks}: distinct references without their fragments. */
export const MAX_LINKS = 5000

const MAX_TITLE = 500
const MAX_DESCRIPTION = 2000

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
  const reader = new HtmlReader({
    maxLinks: input.maxLinks ?? MAX_LINKS,
    robotsToken: token,
    xml: kind === 'xhtml',
  })
  reader.read(text)
  const { metadata } = reader
  const baseUrl = firstHttp(metadata.bases, pageUrl) ?? pageUrl
  const { links, truncated } = reader.links.resolve(baseUrl, charset)
  const feeds = metadata.feeds.map((href) => firstHttp([href], baseUrl)).filter((url) => url !== undefined)
  const content = reader.text()
  const sections = reader.sections()
  return {
    kind: 'html',
    title: firstTitle(reader.title, metadata.ogTitle, reader.heading),
    text: content,
    description: oneLine(metadata.description, MAX_DESCRIPTION),
    lang: metadata.lang,
    ...encoding,
    baseUrl,
    canonical: firstHttp(metadata.canonicals, baseUrl),
    ...(feeds.length === 0 ? {} : { feeds: [...new Set(feeds)] }),
    robots: parseRobotsDirectives(metadata.robots, input.xRobotsTag, token),
    published: metadata.published,
    links,
    linksTruncated: truncated,
    ...(sections.length === 0 ? {} : { sections }),
  }
}

/** The first reference that gives an http(s) address. */
function firstHttp(references: readonly string[], base: string): string | undefined {
  for (const reference of references) {
    if (reference.trim() === '') continue
    const url = parseUrl(reference, base)
    if (url !== undefined && isHttpUrl(url)) return canonicalUrl(url)
  }
  return undefined
}

function firstTitle(...candidates: string[]): string {
  for (const candidate of candidates) {
    const title = oneLine(candidate, MAX_TITLE).trim()
    if (title !== '') return title
  }
  return ''
}
