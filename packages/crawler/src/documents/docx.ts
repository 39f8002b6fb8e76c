/** Text of a Word document (WordprocessingML): body, text boxes, tables, foot- and endnotes; headings as sections. */

import type { DocumentText } from './document-text.js'
import { type DocumentLink, type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { coreProperties, type Relationship, relationshipsOf } from './office-package.js'
import { attribute, prefixedAttribute, readXml, type XmlHandler } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** Parts of a paragraph that are not its text: a second copy for old programs, field codes, deleted text, foreign data. */
const LEFT_OUT = new Set(['Fallback', 'instrText', 'delText', 'delInstrText', 'sectPr', 'del', 'moveFrom', 'binData'])

/** @param part name of the main part */
export function readDocx(archive: ZipArchive, part: string, text: DocumentText): ExtractedDocument {
  const relationships = relationshipsOf(archive, part)
  const styles = headingStyles(archive, relationships)
  const reader = new WordReader(text, styles, relationships)
  readXml(archive.read(part), reader)
  for (const { type, target, external } of relationships.values()) {
    if ((type !== 'footnotes' && type !== 'endnotes') || external || text.isFull) continue
    const notes = archive.find(target)
    if (notes !== undefined) readXml(notes, new WordReader(text, new Map(), relationshipsOf(archive, target)))
  }
  const properties = coreProperties(archive)
  const { firstHeading, links } = reader
  return {
    ...NOTHING_TOLD,
    kind: 'office',
    ...properties,
    title: properties.title || firstHeading,
    links,
    ...text.finish(),
  }
}

/** Levels of the styles that are headings, 0 for the title of the document, by style id. */
function headingStyles(
  archive: ZipArchive,
  relationships: ReadonlyMap<string, Relationship>,
): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  for (const { type, target } of relationships.values()) {
    const bytes = type === 'styles' ? archive.find(target) : undefined
    if (bytes === undefined) continue
    let id = ''
    readXml(bytes, {
      open(name, attributes) {
        if (name === 'style') id = attribute(attributes, 'styleId') ?? ''
        else if (name === 'name') {
          const style = (attribute(attributes, 'val') ?? '').toLowerCase()
          if (style === 'title') levels.set(id, 0)
          else if (/^heading [1-9]$/.test(style)) levels.set(id, Number(style.slice(8)))
        } else if (name === 'outlineLvl' && !levels.has(id)) {
          const level = Number(attribute(attributes, 'val'))
          if (level >= 0 && level < 9) levels.set(id, level + 1)
        }
      },
    })
  }
  return levels
}

class WordReader implements XmlHandler {
  firstHeading = ''
  readonly links: DocumentLink[] = []
  readonly #text: DocumentText
  readonly #styles: ReadonlyMap<string, number>
  readonly #relationships: ReadonlyMap<string, Relationship>
  /** depth of elements within one that is left out */
  #skipping = 0
  /** open paragraphs: one in a text box lies within another */
  #paragraphs = 0
  /** open cells of tables */
  #cells = 0
  /** in the text of a run: white space between elements is none of the document's */
  #inText = false
  #heading: number | undefined
  /** the pieces of a paragraph are held back until its style is known */
  #held: string[] | undefined
  #link: { readonly url: string; text: string } | undefined

  constructor(
    text: DocumentText,
    styles: ReadonlyMap<string, number>,
    relationships: ReadonlyMap<string, Relationship>,
  ) {
    this.#text = text
    this.#styles = styles
    this.#relationships = relationships
  }

  get isDone(): boolean {
    return this.#text.isFull
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#skipping > 0 || LEFT_OUT.has(name)) {
      this.#skipping++
      return
    }
    switch (name) {
      case 'p':
        this.#endHeading()
        this.#paragraphs++
        this.#break()
        break
      case 'pStyle':
        this.#begin(this.#styles.get(attribute(attributes, 'val') ?? ''))
        break
      case 'outlineLvl': {
        const level = Number(attribute(attributes, 'val'))
        if (level >= 0 && level < 9) this.#begin(level + 1)
        break
      }
      case 't':
        this.#inText = true
        break
      case 'tab':
      case 'ptab':
        // A tab stop of the paragraph's settings has a position.
        if (attribute(attributes, 'pos') === undefined) this.#add('\t')
        break
      case 'br':
      case 'cr':
        if (this.#held === undefined) this.#text.block()
        else this.#add(' ')
        break
      case 'noBreakHyphen':
        this.#add('-')
        break
      case 'tr':
        if (this.#cells === 0) this.#text.block()
        break
      case 'tc':
        this.#cells++
        this.#text.gap()
        break
      case 'hyperlink': {
        const target = this.#relationships.get(prefixedAttribute(attributes, 'id') ?? '')
        if (target?.external === true) this.#link = { url: target.target, text: '' }
      }
    }
  }

  text(text: string): void {
    if (this.#inText && this.#skipping === 0) this.#add(text)
  }

  close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping--
      return
    }
    if (name === 't') this.#inText = false
    else if (name === 'p') {
      this.#paragraphs--
      this.#endHeading()
      this.#break()
    } else if (name === 'tc') this.#cells--
    else if (name === 'hyperlink' && this.#link !== undefined) {
      this.links.push(this.#link)
      this.#link = undefined
    }
  }

  /** Paragraphs of a cell are one value. */
  #break(): void {
    if (this.#cells > 0) this.#text.gap()
    else this.#text.block()
  }

  #begin(level: number | undefined): void {
    if (level === undefined || this.#paragraphs === 0) return
    this.#heading = level
    this.#held = []
  }

  #add(text: string): void {
    if (this.#link !== undefined) this.#link.text += text
    if (this.#held === undefined) this.#text.append(text)
    else this.#held.push(text)
  }

  /** A heading is known as a whole before its section begins. */
  #endHeading(): void {
    if (this.#held === undefined) return
    const heading = this.#held.join('')
    this.#held = undefined
    if (heading.trim() === '') return
    if (this.firstHeading === '' || this.#heading === 0) this.firstHeading = heading.trim()
    this.#text.section({ heading })
    this.#text.append(heading)
    this.#text.block()
  }
}
