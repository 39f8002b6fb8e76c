/**
 * Lists of addresses that sites publish: sitemaps (XML, plain text, indexes of sitemaps; packed or not) and feeds (RSS, Atom).
 *
 * The XML is streamed through saxes, piece by piece, so memory holds the entries found and not a tree. A document type may
 * define no entities (they stay as they are written), broken XML gives what is readable of it, and everything is bounded: bytes
 * after unpacking, entries, nesting, faults.
 */
import { createRequire } from 'node:module'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import type { SaxesParser } from 'saxes'
import { decodeAs, utf16Encoding } from '../parse/decode-text.js'
import { type ListedUrl, UrlListHandler, type UrlListKind } from './url-list-handler.js'

/** A list that was read. */
export interface UrlList {
  readonly kind: UrlListKind
  readonly entries: readonly ListedUrl[]
  /** True where there was more than a limit lets in, or the list breaks off. */
  readonly truncated: boolean
}

/** Addresses of one list: the limit of the sitemap protocol. */
export const MAX_LISTED = 50_000
/** Bytes of a list after unpacking: the limit of the sitemap protocol. */
export const MAX_LIST_BYTES = 50 * 1024 * 1024
const PIECE = 64 * 1024
const MAX_FAULTS = 1000
/** Characters before the first element. */
const MAX_PROLOG = 1024 * 1024
/** Characters of a line of a text list; longer ones are no addresses. */
const MAX_LINE = 8192

const SNIFFED = 4096
const NAMES = /urlset|sitemapindex|rss|feed|rdf/i
const ROOT = /^<(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s/>]/i

/** The beginning of a page of HTML as nearly all are written. */
const HTML = /^(?:\xef\xbb\xbf)?(?:\s*(?:<\?xml[^>]*>|<!doctype[^>]*>|<!--[^>]*-->))*\s*<html[\s>]/i
/** Bytes in which that is. */
const HTML_HEAD = 512

/** True for a body that is a sitemap or a feed in XML, whatever its type says. */
export function isUrlList(body: Buffer): boolean {
  const head = body.subarray(0, SNIFFED)
  // Nearly every page is done with here.
  if (HTML.test(head.toString('latin1', 0, HTML_HEAD))) return false
  const isWide = head[0] === 0 || head[1] === 0 || head[0] === 0xff || head[0] === 0xfe
  if (!isWide && !NAMES.test(head.toString('latin1'))) return false
  const wide = utf16Encoding(head)
  return ROOT.test(fromRoot(wide === undefined ? head.toString('utf8') : decodeAs(head, wide)))
}

/** What is left of a document without the white space, declarations and comments before its first element. */
function fromRoot(text: string): string {
  let rest = text.replace(/^\ufeff/, '').trimStart()
  for (;;) {
    const end = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '?>' : rest.startsWith('<!') ? '>' : undefined
    const at = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || at < 0) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
}

/**
 * Reads a list.
 * @param body as received; a packed one (`.xml.gz`) is unpacked
 * @param isNamed true where the site names it as a sitemap: then plain text counts, one address a line
 * @param now milliseconds since 1970
 * @returns undefined where it is no list
 */
export async function readUrlList(body: Buffer, isNamed: boolean, now = Date.now()): Promise<UrlList | undefined> {
  const pieces = isPacked(body) ? unpack(body) : cut(body)
  const reader = new ListReader(isNamed, now)
  let isBroken = false
  let bytes = 0
  try {
    for await (const piece of pieces) {
      bytes += piece.length
      if (bytes > MAX_LIST_BYTES || !reader.write(piece)) {
        isBroken = true
        break
      }
    }
  } catch {
    // Packed data that breaks off: what was before is good.
    isBroken = true
  }
  return reader.end(isBroken)
}

/** True for gzip data. */
export function isPacked(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

function* cut(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

async function* unpack(body: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE })
  gunzip.end(body)
  for await (const piece of gunzip) yield piece as Buffer
}

/** Decodes and parses pieces of a list. */
class ListReader {
  readonly #isNamed: boolean
  readonly #handler: UrlListHandler
  #decoder: TextDecoder | undefined
  #parser: SaxesParser | undefined
  #isText = false
  #line = ''
  #prolog = 0
  #faults = 0

  constructor(isNamed: boolean, now: number) {
    this.#isNamed = isNamed
    this.#handler = new UrlListHandler(MAX_LISTED, now)
  }

  /** @returns false where the rest is not wanted */
  write(piece: Buffer): boolean {
    if (this.#decoder === undefined) this.#begin(piece)
    this.#text(this.#decoder!.decode(piece, { stream: true }))
    return !this.#handler.isFull && this.#faults < MAX_FAULTS
  }

  end(isBroken: boolean): UrlList | undefined {
    if (this.#isText) this.#lines(`${this.#line}\n`)
    else this.#close()
    const { kind, entries, isFull } = this.#handler
    if (kind === undefined) return undefined
    return { kind, entries, truncated: isBroken || isFull || this.#faults >= MAX_FAULTS || this.#handler.breaksOff }
  }

  #begin(first: Buffer): void {
    const head = first.subarray(0, SNIFFED)
    const declared = /^[^>]{0,100}encoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString('latin1'))?.[1]
    this.#decoder = decoderOf(utf16Encoding(head) ?? declared ?? 'utf-8')
    this.#isText = this.#isNamed && !/^[\s\ufeff]*</.test(this.#decoder.decode(head))
    if (this.#isText) return
    // Loaded where it is needed: most crawls meet no list.
    const saxes = createRequire(import.meta.url)('saxes') as { SaxesParser: typeof SaxesParser }
    const parser = new saxes.SaxesParser({ position: false })
    const handler = this.#handler
    parser.on('error', () => {
      this.#faults++
    })
    parser.on('opentag', ({ name, attributes }) => {
      this.#prolog = Number.NEGATIVE_INFINITY
      handler.open(name, attributes)
    })
    parser.on('closetag', ({ name }) => handler.close(name))
    parser.on('text', (text) => handler.text(text))
    parser.on('cdata', (text) => handler.text(text))
    this.#parser = parser
  }

  #text(text: string): void {
    if (this.#isText) this.#lines(this.#line + text)
    else {
      // A declaration without end would be kept whole.
      this.#prolog += text.length
      if (this.#prolog > MAX_PROLOG) this.#faults = MAX_FAULTS
      try {
        this.#parser!.write(text)
      } catch {
        // saxes throws where it cannot go on at all.
        this.#faults = MAX_FAULTS
      }
    }
  }

  /** Takes whole lines and keeps the begun one. */
  #lines(text: string): void {
    const lines = text.split(/\r\n|\r|\n/)
    // No address is so long; its beginning is enough to see that.
    this.#line = (lines.pop() ?? '').slice(0, MAX_LINE)
    for (const line of lines) this.#handler.line(line)
  }

  #close(): void {
    this.#handler.endOfInput()
    try {
      this.#parser?.close()
    } catch {
      // What is not closed is no loss.
    }
  }
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
