/**
 * A page of HTML as the index and the frontier need it: links and metadata from the whole page, text from what is left of it where
 * parts are marked as none.
 */

import { parseRobotsDirectives } from '../robots/robots-directives.js'
import { isClientRendered } from './client-rendered.js'
import { HtmlReader } from './html-reader.js'
import type { RawImage } from './image-collector.js'
import { LinkResolver } from './link-resolver.js'
import type { PageMetadata } from './page-metadata.js'
import { applyMarks, type MarkedPage, type MarkedValue } from './page-regions.js'
import type { PageSelectors } from './page-selectors.js'
import type { PageImage, ParsedPage } from './parsed-page.js'
import { cleanText, oneLine, TextBuilder } from './text-builder.js'

/** A decoded page. */
export interface HtmlInput {
  /** canonical address of the page */
  readonly url: string
  readonly text: string
  /** WHATWG encoding name that the page was read in */
  readonly charset: string
  /** XHTML: a start tag that closes itself has no content */
  readonly xml: boolean
  readonly xRobotsTag: string | undefined
  readonly robotsToken: string
  readonly maxLinks: number
  readonly selectors: PageSelectors | undefined
}

/** All of a page but how it was decoded. */
export type HtmlPart = Omit<ParsedPage, 'charset' | 'charsetSource' | 'charsetDoubt'>

const MAX_TITLE = 500
const MAX_DESCRIPTION = 2000
const MAX_NAME = 200
/** From so many UTF-16 units on a page's own text counts, whatever its JSON-LD repeats of it. */
const ENOUGH = 200

/** Reads a page. */
export function parseHtml(input: HtmlInput): HtmlPart {
  const { url, robotsToken, xml } = input
  const reader = new HtmlReader({ maxLinks: input.maxLinks, robotsToken, xml })
  reader.read(input.text)
  const { metadata } = reader
  const marks = marksOf(input, reader)
  const content = marks === undefined ? reader : readText(marks.page, input)
  for (const value of marks?.meta ?? []) override(metadata, value)
  const read = content.text()
  const { jsonLd } = metadata
  const text = read.length < ENOUGH && jsonLd?.articleBody ? articleText(jsonLd.articleBody) : read
  const sections = text === read ? content.sections() : []
  const baseUrl = firstHttp(metadata.bases, url) ?? url
  const { links, truncated } = reader.links.resolve(baseUrl, input.charset)
  const images = resolveImages(content.images(), baseUrl, input.charset)
  const feeds = metadata.feeds.map((href) => firstHttp([href], baseUrl)).filter((feed) => feed !== undefined)
  const { authors, keywords } = metadata
  const siteName = oneLine(metadata.siteName, MAX_NAME)
  return {
    kind: 'html',
    title: titleOf(reader),
    text,
    description: oneLine(metadata.description, MAX_DESCRIPTION),
    lang: metadata.lang,
    baseUrl,
    canonical: firstHttp(metadata.canonicals, baseUrl),
    ...(feeds.length === 0 ? {} : { feeds: [...new Set(feeds)] }),
    robots: parseRobotsDirectives(metadata.robots, input.xRobotsTag, robotsToken),
    ...datesOf(metadata, text, content.rawText, url),
    links,
    linksTruncated: truncated,
    ...(sections.length === 0 ? {} : { sections }),
    ...(authors.length === 0 ? {} : { author: authors.join(', ') }),
    ...(keywords.length === 0 ? {} : { keywords }),
    ...(siteName === '' ? {} : { siteName }),
    ...(jsonLd === undefined || jsonLd.types.length === 0 ? {} : { schemaTypes: jsonLd.types }),
    ...(jsonLd === undefined || jsonLd.breadcrumb.length === 0 ? {} : { breadcrumb: jsonLd.breadcrumb }),
    ...(images.length === 0 ? {} : { images }),
    ...(marks === undefined || marks.filters.length === 0 ? {} : { filters: filtersOf(marks.filters) }),
    ...(isClientRendered(input.text, text, links.length) ? { clientRendered: true } : {}),
  }
}

/** The page without the parts that are marked as no text; undefined where it has no marks. */
function marksOf({ text, selectors }: HtmlInput, reader: HtmlReader): MarkedPage | undefined {
  return selectors === undefined && !reader.hasMarks ? undefined : applyMarks(text, selectors)
}

function readText(page: string, { robotsToken, xml }: HtmlInput): HtmlReader {
  const reader = new HtmlReader({ maxLinks: 0, robotsToken, xml })
  reader.read(page)
  return reader
}

function override(metadata: PageMetadata, { name, value }: MarkedValue): void {
  if (name === 'title' || name === 'description' || name === 'author' || name === 'keywords') {
    metadata.override(name, value)
  } else if (name === 'date' || name === 'published') metadata.dates.mark('published', value)
  else if (name === 'modified') metadata.dates.mark('modified', value)
}

/** `name:value`, each once. */
function filtersOf(values: readonly MarkedValue[]): string[] {
  return [...new Set(values.map(({ name, value }) => `${name}:${value}`))]
}

function articleText(body: string): string {
  const builder = new TextBuilder()
  for (const paragraph of body.split('\n')) {
    builder.append(paragraph)
    builder.block()
  }
  return cleanText(builder.take())
}

function datesOf(
  { dates, jsonLd }: PageMetadata,
  text: string,
  raw: string,
  url: string,
): Pick<ParsedPage, 'published' | 'publishedFrom' | 'modified' | 'modifiedFrom'> {
  const { published, modified } = dates.find(jsonLd ?? {}, text, raw, url)
  return {
    published: published?.date,
    ...(published === undefined ? {} : { publishedFrom: published.source }),
    ...(modified === undefined ? {} : { modified: modified.date, modifiedFrom: modified.source }),
  }
}

function resolveImages(images: readonly RawImage[], base: string, charset: string): PageImage[] {
  if (images.length === 0) return []
  const found: PageImage[] = []
  const resolver = new LinkResolver(base, charset)
  for (const { reference, alt } of images) {
    const url = resolver.resolve(reference)
    if (url?.startsWith('http') === true) found.push({ url, alt })
  }
  return found
}

/** The first reference that gives an http(s) address. */
function firstHttp(references: readonly string[], base: string): string | undefined {
  if (references.length === 0) return undefined
  const resolver = new LinkResolver(base, 'utf-8')
  for (const reference of references) {
    if (reference.trim() === '') continue
    const url = resolver.resolve(reference)
    if (url !== undefined && /^https?:/.test(url)) return url
  }
  return undefined
}

function titleOf({ title, heading, metadata }: HtmlReader): string {
  const candidates = metadata.hasOwnTitle ? [metadata.title, title, heading] : [title, metadata.title, heading]
  for (const candidate of candidates) {
    const line = oneLine(candidate, MAX_TITLE).trim()
    if (line !== '') return line
  }
  return ''
}
