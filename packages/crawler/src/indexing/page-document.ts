/** A stored page as a document of the index. */
import { decodeSections, encodeSections, hostKey, PageField, type PageSection } from '@spindle/core'
import { type DerivedFields, Document, Field } from '@spindle/index'
import { linkKey } from '../link-graph/link-key.js'
import type { StoredPage } from '../pages/stored-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import type { OwnText } from '../site-frame/page-frame.js'
import { addressWords } from './address-words.js'
import { detectLanguage } from './detect-language.js'
import { repetition } from './repetition.js'

const MAX_TITLE = 200

/** What is known of a page that does not stand in it. */
export interface PageContext {
  /** Other addresses of the same page. */
  readonly alsoAt?: readonly string[]
  /** Texts of links that lead to it, one a line. */
  readonly anchor?: string | undefined
  /** Its text without what frames the pages of its site. */
  readonly own?: OwnText | undefined
}

/** The document; its fields are those of `PageField`. */
export async function pageDocument(
  page: StoredPage,
  { alsoAt = [], anchor, own }: PageContext = {},
): Promise<Document> {
  const { parsed, url } = page
  const content = own === undefined ? parsed : { ...parsed, text: own.text, sections: own.sections }
  const document = new Document()
    .add(Field.keyword(PageField.url, url))
    .add(Field.text(PageField.body, bodyOf(content)))
    .add(Field.keyword(PageField.type, parsed.kind))
    .add(Field.unIndexed(PageField.charset, parsed.charset))
  const repeats = repetition(content.text)
  if (repeats > 0) document.add(Field.number(PageField.repetition, repeats, { stored: false, indexed: false }))
  const title = titleOf(page)
  if (title !== '') document.add(Field.text(PageField.title, title))
  // A local file has no host.
  const site = hostKey(url)
  if (site !== '') document.add(Field.keyword(PageField.site, site))
  if (parsed.description !== '') document.add(Field.unIndexed(PageField.description, parsed.description))
  const language = await detectLanguage(parsed.text, parsed.lang)
  if (language !== '') document.add(Field.keyword(PageField.lang, language))
  const { author, keywords = [], filters = [], modified } = parsed
  const sections = sectionsOf(content)
  for (const field of derivedFields(url, sections)) document.add(field)
  if (author !== undefined) document.add(Field.text(PageField.author, author))
  if (keywords.length > 0) document.add(Field.text(PageField.keywords, keywords.join(', ')))
  if (sections.length > 0) document.add(Field.unIndexed(PageField.sections, encodeSections(sections)))
  for (const filter of filters) document.add(Field.keyword(PageField.filter, filter))
  if (modified !== undefined) document.add(Field.unIndexed(PageField.modified, modified))
  if (parsed.published !== undefined) {
    document.add(Field.keyword(PageField.date, parsed.published))
    const moment = Date.parse(parsed.published)
    if (!Number.isNaN(moment)) document.add(Field.date(PageField.published, moment, { stored: false }))
  }
  if (anchor !== undefined) {
    document
      .add(Field.text(PageField.anchor, anchor))
      .add(Field.integer(PageField.anchorKey, linkKey(anchor), { stored: false }))
  }
  if (own !== undefined) document.add(Field.integer(PageField.frameKey, own.key, { stored: false }))
  if (alsoAt.length > 0) document.add(Field.unIndexed(PageField.alsoAt, alsoAt.join('\n')))
  return document
}

/** For documents that are analyzed again from what is stored of them. */
export const DERIVED_FIELDS: DerivedFields = {
  names: [PageField.headings, PageField.address],
  of(document) {
    const url = document.get(PageField.url)
    return url === undefined ? [] : derivedFields(url, decodeSections(document.get(PageField.sections) ?? ''))
  },
}

/** Fields that are searched and not stored, for they are made of others that are. */
function derivedFields(url: string, sections: readonly PageSection[]): Field[] {
  const headings = sections.flatMap(({ heading }) => (heading === undefined ? [] : [heading]))
  const fields = [Field.unStored(PageField.address, addressWords(url))]
  if (headings.length > 0) fields.push(Field.unStored(PageField.headings, headings.join('\n')))
  return fields
}

/** The text, and behind it what the pictures show. */
function bodyOf({ text, images = [] }: ParsedPage): string {
  return images.length === 0 ? text : [text, ...images.map(({ alt }) => alt)].join('\n')
}

/** The sections of the text; the words of pictures belong to none. */
function sectionsOf({ text, images = [], sections = [] }: ParsedPage): readonly PageSection[] {
  return images.length === 0 || sections.length === 0 ? sections : [...sections, { start: text.length + 1 }]
}

/**
 * What the page calls itself; without a title its file name (Office), or the first of the lines of a text where it can be one.
 * Else nothing: an address, or a text that is one line, is no title that should count for more than the text.
 */
export function titleOf({ url, parsed }: StoredPage): string {
  if (parsed.title !== '') return parsed.title
  if (parsed.kind === 'office') return fileName(url)
  if (parsed.kind === 'html') return ''
  const text = parsed.text.trim()
  const end = text.indexOf('\n')
  const line = end < 0 ? '' : text.slice(0, end).trim()
  return line.length <= MAX_TITLE ? line : ''
}

function fileName(url: string): string {
  const path = url.replace(/[?#].*$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name) || url
  } catch {
    return name
  }
}
