/** Text of a presentation (PresentationML): slides in the order of showing as sections, each followed by its notes. */

import type { DocumentText } from './document-text.js'
import { DocumentError, type DocumentLink, type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { coreProperties, type Relationship, relationshipsOf } from './office-package.js'
import { prefixedAttribute, readXml, type XmlAttributes, type XmlHandler } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** Placeholders that say the same on every slide. */
const FRAME = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])
const MAX_SLIDES = 10_000

/** @param part name of the main part */
export function readPptx(archive: ZipArchive, part: string, text: DocumentText): ExtractedDocument {
  const relationships = relationshipsOf(archive, part)
  const slides: string[] = []
  readXml(archive.read(part), {
    open(name, attributes) {
      if (name !== 'sldId') return
      const target = relationships.get(prefixedAttribute(attributes, 'id') ?? '')
      if (target !== undefined && !target.external) slides.push(target.target)
    },
  })
  if (slides.length > MAX_SLIDES) throw new DocumentError('document-too-large', `it has more than ${MAX_SLIDES} slides`)
  const links: DocumentLink[] = []
  let firstTitle = ''
  for (const [i, slide] of slides.entries()) {
    const bytes = archive.find(slide)
    if (bytes === undefined) continue
    if (text.isFull) {
      text.cutShort()
      break
    }
    const related = relationshipsOf(archive, slide)
    const reader = new SlideReader(related)
    readXml(bytes, reader)
    if (firstTitle === '') firstTitle = reader.title.trim()
    text.section({ page: i + 1, heading: reader.title })
    addParagraphs(text, reader.paragraphs)
    links.push(...reader.links)
    for (const { type, target, external } of related.values()) {
      const notes = type === 'notesSlide' && !external ? archive.find(target) : undefined
      if (notes === undefined) continue
      const noteReader = new SlideReader(new Map())
      readXml(notes, noteReader)
      addParagraphs(text, noteReader.paragraphs)
    }
  }
  const properties = coreProperties(archive)
  // The title that programs put in of themselves.
  const told = /^powerpoint presentation$/i.test(properties.title) ? '' : properties.title
  return { ...NOTHING_TOLD, kind: 'office', ...properties, title: told || firstTitle, links, ...text.finish() }
}

function addParagraphs(text: DocumentText, paragraphs: readonly string[]): void {
  for (const paragraph of paragraphs) {
    text.block()
    text.append(paragraph)
    text.block()
  }
}

class SlideReader implements XmlHandler {
  title = ''
  readonly paragraphs: string[] = []
  readonly links: DocumentLink[] = []
  readonly #relationships: ReadonlyMap<string, Relationship>
  #skipping = 0
  #inText = false
  /** kind of the placeholder that the shape fills */
  #placeholder = ''
  #paragraph = ''

  constructor(relationships: ReadonlyMap<string, Relationship>) {
    this.#relationships = relationships
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipping > 0 || name === 'Fallback') this.#skipping++
    else if (name === 'sp') this.#placeholder = ''
    else if (name === 'ph') this.#placeholder = attributes.type ?? 'body'
    else if (name === 'p') this.#paragraph = ''
    else if (name === 'br') this.#paragraph += '\n'
    else if (name === 'tab') this.#paragraph += '\t'
    else if (name === 't') this.#inText = true
    else if (name === 'hlinkClick') {
      const target = this.#relationships.get(prefixedAttribute(attributes, 'id') ?? '')
      if (target?.external === true) this.links.push({ url: target.target, text: '' })
    }
  }

  text(text: string): void {
    if (this.#inText && this.#skipping === 0) this.#paragraph += text
  }

  close(name: string): void {
    if (this.#skipping > 0) this.#skipping--
    else if (name === 't') this.#inText = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'sp') this.#placeholder = ''
  }

  #endParagraph(): void {
    const text = this.#paragraph
    this.#paragraph = ''
    if (text.trim() === '' || FRAME.has(this.#placeholder)) return
    if (this.#placeholder === 'title' || this.#placeholder === 'ctrTitle') {
      this.title = this.title === '' ? text : `${this.title} ${text}`
    }
    this.paragraphs.push(text)
  }
}
