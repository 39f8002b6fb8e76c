/** Text of a workbook (SpreadsheetML): sheets as sections, a row a line, dates as dates. */

import type { DocumentText } from './document-text.js'
import { type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { coreProperties, type Relationship, relationshipsOf } from './office-package.js'
import { prefixedAttribute, readXml, type XmlAttributes, type XmlHandler } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** Characters of the shared strings that are kept. */
const MAX_SHARED = 16 * 1024 * 1024
const MS_PER_DAY = 86_400_000
/** Day 0 of the two calendars (ECMA-376 part 1, §18.17.4.1); the first has a 29th February 1900 that never was. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly id: string }[]
  readonly epoch: number
}

/** @param part name of the main part */
export function readXlsx(archive: ZipArchive, part: string, text: DocumentText): ExtractedDocument {
  const relationships = relationshipsOf(archive, part)
  const workbook = readWorkbook(archive.read(part))
  const shared = sharedStrings(partOfType(archive, relationships, 'sharedStrings'))
  const dates = dateStyles(partOfType(archive, relationships, 'styles'))
  for (const [i, { name, id }] of workbook.sheets.entries()) {
    const target = relationships.get(id)
    // Others are charts and dialogs.
    if (target?.type !== 'worksheet' || target.external) continue
    if (text.isFull) {
      text.cutShort()
      break
    }
    text.section({ page: i + 1, heading: name })
    text.append(name)
    text.block()
    readXml(archive.read(target.target), new SheetReader(text, shared, dates, workbook.epoch))
  }
  const properties = coreProperties(archive)
  return { ...NOTHING_TOLD, kind: 'office', ...properties, ...text.finish() }
}

function partOfType(
  archive: ZipArchive,
  relationships: ReadonlyMap<string, Relationship>,
  type: string,
): Uint8Array | undefined {
  for (const relationship of relationships.values()) {
    if (relationship.type === type && !relationship.external) return archive.find(relationship.target)
  }
  return undefined
}

function readWorkbook(bytes: Uint8Array): Workbook {
  const sheets: { name: string; id: string }[] = []
  let epoch = EPOCH_1900
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'sheet') sheets.push({ name: attributes.name ?? '', id: prefixedAttribute(attributes, 'id') ?? '' })
      else if (name === 'workbookPr' && /^(1|true)$/.test(attributes.date1904 ?? '')) epoch = EPOCH_1904
    },
  })
  return { sheets, epoch }
}

function sharedStrings(bytes: Uint8Array | undefined): string[] {
  const strings: string[] = []
  if (bytes === undefined) return strings
  let current = ''
  let size = 0
  let inText = false
  let phonetic = false
  readXml(bytes, {
    get isDone() {
      return size > MAX_SHARED
    },
    open(name) {
      if (name === 'si') current = ''
      else if (name === 't') inText = true
      // How Japanese names are read: not what the cell shows.
      else if (name === 'rPh') phonetic = true
    },
    text(text) {
      if (inText && !phonetic) current += text
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'rPh') phonetic = false
      else if (name === 'si') {
        strings.push(current)
        size += current.length
      }
    },
  })
  return strings
}

/** Whether the numbers of a cell style are days, by style. */
function dateStyles(bytes: Uint8Array | undefined): boolean[] {
  const styles: boolean[] = []
  if (bytes === undefined) return styles
  const formats = new Map<number, boolean>()
  let inCells = false
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'numFmt') formats.set(Number(attributes.numFmtId), isDateFormat(attributes.formatCode ?? ''))
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) {
        const id = Number(attributes.numFmtId)
        styles.push(formats.get(id) ?? isBuiltInDate(id))
      }
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return styles
}

/** ECMA-376 part 1, §18.8.30, with the formats of Chinese, Japanese and Korean. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)
}

function isDateFormat(code: string): boolean {
  const bare = code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  return /[yd]/i.test(bare)
}

class SheetReader implements XmlHandler {
  readonly #text: DocumentText
  readonly #shared: readonly string[]
  readonly #dates: readonly boolean[]
  readonly #epoch: number
  #type = ''
  #style = 0
  #value = ''
  #inValue = false
  #phonetic = false

  constructor(text: DocumentText, shared: readonly string[], dates: readonly boolean[], epoch: number) {
    this.#text = text
    this.#shared = shared
    this.#dates = dates
    this.#epoch = epoch
  }

  get isDone(): boolean {
    return this.#text.isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'row') this.#text.block()
    else if (name === 'c') {
      this.#type = attributes.t ?? 'n'
      this.#style = Number(attributes.s ?? 0)
      this.#value = ''
    } else if (name === 'v' || name === 't') this.#inValue = true
    else if (name === 'rPh') this.#phonetic = true
  }

  text(text: string): void {
    if (this.#inValue && !this.#phonetic) this.#value += text
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false
    else if (name === 'rPh') this.#phonetic = false
    else if (name === 'c' && this.#value !== '') {
      this.#text.gap()
      this.#text.append(this.#shown())
      this.#text.gap()
    }
  }

  #shown(): string {
    switch (this.#type) {
      case 's':
        return this.#shared[Number(this.#value)] ?? ''
      case 'b':
        return this.#value === '1' ? 'TRUE' : 'FALSE'
      case 'e':
        return ''
      case 'n':
        return this.#dates[this.#style] === true ? (this.#date() ?? this.#value) : this.#value
      default:
        return this.#value
    }
  }

  #date(): string | undefined {
    const days = Number(this.#value)
    if (!(days >= 0 && days < 2_958_466)) return undefined
    const moment = new Date(this.#epoch + Math.round(days * MS_PER_DAY))
    const text = moment.toISOString()
    return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
  }
}
