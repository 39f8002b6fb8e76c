/**
 * XML as events, by names without their prefixes: writers of office documents choose them as they like. Entities of a document
 * type are never expanded (saxes knows only the five of XML and numbers), so there is no bomb to defuse.
 */

import { SaxesParser } from 'saxes'
import { DocumentError } from './extracted-document.js'

/** Attributes by their names as written, with prefixes. */
export type XmlAttributes = Readonly<Record<string, string>>

/** Told of the parts of a document in order. */
export interface XmlHandler {
  /** @param name local name */
  open?(name: string, attributes: XmlAttributes): void
  close?(name: string): void
  text?(text: string): void
  /** Asked now and then: true to read no further. */
  readonly isDone?: boolean
}

/** Settings of {@link readXml}. */
export interface XmlOptions {
  /** entities known besides the five of XML */
  readonly entities?: Readonly<Record<string, string>>
  /** true to pass over what is not well-formed, as far as that is possible */
  readonly lenient?: boolean
}

const PIECE = 64 * 1024
const MAX_DEPTH = 1000
/** Faults that are passed over. */
const MAX_FAULTS = 1000

/** Reads a whole document. @throws DocumentError `document-broken`, `document-too-large` */
export function readXml(source: Uint8Array | string, handler: XmlHandler, options: XmlOptions = {}): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  if (options.entities !== undefined) Object.assign(parser.ENTITIES, options.entities)
  let depth = 0
  let faults = 0
  if (options.lenient === true) {
    parser.on('error', (error) => {
      if (++faults > MAX_FAULTS) throw error
    })
  }
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > MAX_DEPTH)
      throw new DocumentError('document-too-large', `its elements are nested deeper than ${MAX_DEPTH}`)
    handler.open?.(localName(name), attributes as XmlAttributes)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    handler.close?.(localName(name))
  })
  if (handler.text !== undefined) {
    parser.on('text', (text) => handler.text!(text))
    parser.on('cdata', (text) => handler.text!(text))
  }
  try {
    for (const piece of typeof source === 'string' ? piecesOf(source) : decoded(source)) {
      if (handler.isDone === true) return
      parser.write(piece)
    }
    if (handler.isDone !== true) parser.close()
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError('document-broken', `its XML is not well-formed (${(error as Error).message})`, {
      cause: error,
    })
  }
}

/** Tells the text of each element that has no other element behind its text, under the element's local name. */
export function readLeaves(source: Uint8Array, leaf: (name: string, text: string) => void): void {
  let text = ''
  readXml(source, {
    open: () => {
      text = ''
    },
    text: (piece) => {
      text += piece
    },
    close: (name) => {
      leaf(name, text)
      text = ''
    },
  })
}

/** The value of an attribute whatever its prefix; undefined where it is not there. */
export function attribute(attributes: XmlAttributes, local: string): string | undefined {
  const plain = attributes[local]
  return plain ?? prefixedAttribute(attributes, local)
}

/** The value of an attribute that has a prefix: `r:id` rather than `id`. */
export function prefixedAttribute(attributes: XmlAttributes, local: string): string | undefined {
  const ending = `:${local}`
  for (const name in attributes) if (name.endsWith(ending)) return attributes[name]
  return undefined
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

/** The parts of packages are in UTF-8 or UTF-16, by their standards. */
function* decoded(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder(charsetOf(bytes))
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })
  }
  yield decoder.decode()
}

function charsetOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return 'utf-8'
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE)
}
