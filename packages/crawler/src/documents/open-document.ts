/** Text of OpenDocument files (ISO/IEC 26300): headings of a text, sheets, slides as sections; notes where they stand. */

import { parseDate } from '../parse/published-date.js'
import type { DocumentText } from './document-text.js'
import { DocumentError, type DocumentLink, type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { splitKeywords } from './office-package.js'
import { attribute, readLeaves, readXml, type XmlAttributes, type XmlHandler } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** What is no text of the document: deleted text, remarks, the labels of forms, a picture's replacement. */
const LEFT_OUT = new Set(['tracked-changes', 'annotation', 'forms', 'sequence-decls', 'settings', 'ruby-text'])
/** Blanks of one `text:s`. */
const MAX_SPACES = 100

/** @throws DocumentError */
export function readOpenDocument(archive: ZipArchive, text: DocumentText): ExtractedDocument {
  checkEncryption(archive)
  const reader = new ContentReader(text)
  readXml(archive.read('content.xml'), reader)
  const meta = readMeta(archive.find('meta.xml'))
  const { firstHeading, links } = reader
  return { ...NOTHING_TOLD, kind: 'office', ...meta, title: meta.title || firstHeading, links, ...text.finish() }
}

function checkEncryption(archive: ZipArchive): void {
  const manifest = archive.find('META-INF/manifest.xml')
  if (manifest === undefined) return
  readXml(manifest, {
    open(name) {
      if (name === 'encryption-data') throw new DocumentError('document-encrypted', 'it is protected by a password')
    },
  })
}

function readMeta(bytes: Uint8Array | undefined) {
  const values: Record<string, string> = {}
  const keywords: string[] = []
  if (bytes !== undefined) {
    readLeaves(bytes, (name, text) => {
      if (name === 'keyword') keywords.push(...splitKeywords(text))
      else values[name] ??= text.trim()
    })
  }
  const { title = '', description = '', subject = '', language = '' } = values
  return {
    title,
    description: description === '' ? subject : description,
    lang: language,
    author: values['initial-creator'] ?? values.creator ?? '',
    keywords,
    published: parseDate(values['creation-date'] ?? '') ?? parseDate(values.date ?? ''),
  }
}

class ContentReader implements XmlHandler {
  firstHeading = ''
  readonly links: DocumentLink[] = []
  readonly #text: DocumentText
  #skipping = 0
  /** open paragraphs and headings: white space outside of them is none of the document's */
  #paragraphs = 0
  #heading: string[] | undefined
  #link: { readonly url: string; text: string } | undefined
  #pages = 0
  #isSheet = false
  /** open cells of tables */
  #cells = 0
  /** in the frame of a slide that holds its title */
  #inTitle = false

  constructor(text: DocumentText) {
    this.#text = text
  }

  get isDone(): boolean {
    return this.#text.isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipping > 0 || LEFT_OUT.has(name)) {
      this.#skipping++
      return
    }
    switch (name) {
      case 'h':
        this.#endHeading()
        this.#heading = []
        this.#paragraphs++
        break
      case 'frame':
        this.#inTitle = attribute(attributes, 'class') === 'title'
        break
      case 'p':
        this.#paragraphs++
        if (this.#inTitle && this.#heading === undefined) this.#heading = []
        this.#break()
        break
      case 's':
        this.#add(' '.repeat(Math.min(MAX_SPACES, Number(attribute(attributes, 'c') ?? 1) || 1)))
        break
      case 'tab':
        this.#add('\t')
        break
      case 'line-break':
        if (this.#heading === undefined) this.#text.block()
        else this.#add(' ')
        break
      case 'table': {
        // A table within a text is no sheet: its text goes with the section that it stands in.
        const sheet = attribute(attributes, 'name')
        if (this.#isSheet && sheet !== undefined) this.#page(sheet)
        break
      }
      case 'table-row':
        if (this.#cells === 0) this.#text.block()
        break
      case 'list-item':
        this.#break()
        break
      case 'table-cell':
      case 'covered-table-cell':
        this.#cells++
        this.#text.gap()
        break
      case 'spreadsheet':
        this.#isSheet = true
        break
      case 'page':
        this.#page(undefined)
        break
      case 'a': {
        const url = attribute(attributes, 'href')
        if (url !== undefined && !url.startsWith('#')) this.#link = { url, text: '' }
      }
    }
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#skipping === 0) this.#add(text)
  }

  close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping--
      return
    }
    if (name === 'h') {
      this.#paragraphs--
      this.#endHeading()
    } else if (name === 'p') {
      this.#paragraphs--
      if (this.#inTitle) this.#endHeading()
      this.#break()
    } else if (name === 'table-cell' || name === 'covered-table-cell') this.#cells--
    else if (name === 'frame') this.#inTitle = false
    else if (name === 'a' && this.#link !== undefined) {
      this.links.push(this.#link)
      this.#link = undefined
    }
  }

  /** Paragraphs of a cell are one value. */
  #break(): void {
    if (this.#cells > 0) this.#text.gap()
    else this.#text.block()
  }

  #page(heading: string | undefined): void {
    this.#pages++
    this.#text.section(heading === undefined ? { page: this.#pages } : { page: this.#pages, heading })
    if (heading === undefined) return
    this.#text.append(heading)
    this.#text.block()
  }

  #add(text: string): void {
    if (this.#link !== undefined) this.#link.text += text
    if (this.#heading === undefined) this.#text.append(text)
    else this.#heading.push(text)
  }

  #endHeading(): void {
    if (this.#heading === undefined) return
    const heading = this.#heading.join('')
    this.#heading = undefined
    if (heading.trim() === '') return
    if (this.firstHeading === '') this.firstHeading = heading.trim()
    this.#text.section(this.#inTitle ? { page: this.#pages, heading } : { heading })
    this.#text.append(heading)
    this.#text.block()
  }
}
