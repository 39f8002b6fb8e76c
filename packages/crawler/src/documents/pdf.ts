/**
 * Text of a PDF by PDF.js, page by page: lines as they are printed, joined within a paragraph; each page is a section, with the
 * bookmark that leads to it as its heading.
 */

import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { parseDate } from '../parse/published-date.js'
import { oneLine } from '../parse/text-builder.js'
import { DocumentText } from './document-text.js'
import {
  DocumentError,
  type DocumentInput,
  type DocumentLink,
  type ExtractedDocument,
  MAX_DOCUMENT_LINKS,
  NOTHING_TOLD,
} from './extracted-document.js'
import { splitKeywords } from './office-package.js'

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>
type Outline = NonNullable<Awaited<ReturnType<PdfDocument['getOutline']>>>

/** Tables that turn character codes of Chinese, Japanese and Korean fonts into Unicode. */
const CMAPS = new URL('../../cmaps/', import.meta.url)
const MAX_PAGES = 20_000
const MAX_BOOKMARKS = 2000
/** Lines further apart than this, in heights of the line, belong to two paragraphs. */
const PARAGRAPH_GAP = 1.7
/** Letters differ in size where they differ by more than this part. */
const SIZE_STEP = 0.12
const DIVIDED = /\p{Ll}[-\u00ad\u2010]$/u
const MAX_TITLE = 200

/** @throws DocumentError */
export async function readPdf({ bytes, deadline }: DocumentInput): Promise<ExtractedDocument> {
  const document = await open(bytes)
  const late = (): boolean => performance.now() > deadline
  const text = new DocumentText(deadline)
  const links: DocumentLink[] = []
  const headings = await bookmarks(document, late)
  let largest = ''
  let failed = 0
  const pages = Math.min(document.numPages, MAX_PAGES)
  for (let number = 1; number <= pages; number++) {
    if (text.isFull) {
      text.cutShort()
      break
    }
    const heading = headings.get(number)
    text.section(heading === undefined ? { page: number } : { page: number, heading })
    try {
      const page = await document.getPage(number)
      const title = await addPage(page, text)
      if (number === 1) largest = title
      if (links.length < MAX_DOCUMENT_LINKS) links.push(...(await linksOf(page)))
      page.cleanup()
    } catch {
      // The other pages may be whole.
      failed++
    }
  }
  if (failed === pages) throw new DocumentError('document-broken', 'none of its pages can be read')
  const { text: whole, sections, truncated } = text.finish()
  const facts = await metadata(document)
  const title = facts.title === '' ? largest : facts.title
  return { ...NOTHING_TOLD, kind: 'pdf', ...facts, title, text: whole, sections, links, truncated }
}

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // The bytes become PDF.js' own.
    return await getDocumentProxy(bytes, {
      BinaryDataFactory: CMapFiles,
      cMapUrl: CMAPS.href,
      cMapPacked: true,
      standardFontDataUrl: undefined,
      useWorkerFetch: false,
      useSystemFonts: false,
      disableFontFace: true,
      enableXfa: false,
      verbosity: 0,
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new DocumentError('document-encrypted', 'it is protected by a password', { cause: error })
    }
    throw new DocumentError('document-broken', `it cannot be opened (${(error as Error).message})`, { cause: error })
  }
}

/** Called by PDF.js for a file that it needs beside the document. */
class CMapFiles {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || !/^[\w-]+\.bcmap$/.test(filename)) throw new Error(`there is no ${filename}`)
    return new Uint8Array(await readFile(new URL(filename, CMAPS)))
  }
}

/** @returns the lines in the largest letters, where they can be a title */
async function addPage(page: PdfPage, text: DocumentText): Promise<string> {
  const { items } = await page.getTextContent()
  const title = new LargestLines()
  let previous: { readonly y: number; readonly height: number } | undefined
  let begins = true
  let hyphen = ''
  for (const item of items) {
    if (!('str' in item)) continue
    const { str, height, hasEOL, transform } = item
    const y = transform[5] as number
    if (str.trim() !== '' && height > 0) {
      if (previous !== undefined && isApart(previous.y - y, previous.height, height, begins)) text.block()
      previous = { y, height }
      begins = false
    }
    title.add(str, height)
    // A word divided at the end of a line is one word; a hyphen before a capital or a digit is its own.
    if (hyphen !== '' && str !== '') {
      text.append(/^\p{Ll}/u.test(str) ? '' : hyphen)
      hyphen = ''
    }
    const divided = hasEOL && DIVIDED.test(str)
    text.append(divided ? str.slice(0, -1) : str)
    if (divided) hyphen = str.slice(-1)
    if (!hasEOL) continue
    begins = true
    if (!divided) text.append('\n')
    title.endLine()
  }
  text.append(hyphen)
  text.block()
  return title.finish()
}

/** Collects the lines in the largest letters of a page, as long as they follow each other. */
class LargestLines {
  #best = ''
  #bestHeight = 0
  /** the last line was one of the best */
  #isOpen = false
  #line = ''
  #height = 0

  add(text: string, height: number): void {
    this.#line += text
    if (text.trim() !== '') this.#height = Math.max(this.#height, height)
  }

  endLine(): void {
    const line = this.#line.trim()
    const height = this.#height
    this.#line = ''
    this.#height = 0
    if (line === '') return
    // Letters that differ by less are of one size, but for rounding.
    if (height > this.#bestHeight * 1.02 && line.length > 1) {
      this.#best = line
      this.#bestHeight = height
      this.#isOpen = true
    } else if (this.#isOpen && height > this.#bestHeight * 0.98) this.#best += `\n${line}`
    else this.#isOpen = false
  }

  finish(): string {
    this.endLine()
    const title = oneLine(this.#best, 4 * MAX_TITLE)
    return title.length <= MAX_TITLE ? title : ''
  }
}

/**
 * Whether a piece of text begins a paragraph: far below the one before it, above it (another column, or a note), or on a new line
 * in letters of another size.
 */
function isApart(down: number, before: number, height: number, begins: boolean): boolean {
  const larger = Math.max(before, height)
  if (Math.abs(down) > larger * PARAGRAPH_GAP) return true
  return begins && Math.abs(before - height) > larger * SIZE_STEP
}

async function linksOf(page: PdfPage): Promise<DocumentLink[]> {
  const annotations = (await page.getAnnotations()) as { readonly subtype?: string; readonly url?: string }[]
  return annotations.flatMap(({ subtype, url }) => (subtype === 'Link' && url !== undefined ? [{ url, text: '' }] : []))
}

/** The first bookmark of each page. */
async function bookmarks(document: PdfDocument, late: () => boolean): Promise<Map<number, string>> {
  const headings = new Map<number, string>()
  try {
    const pending: Outline = [...((await document.getOutline()) ?? [])].reverse()
    for (let count = 0; pending.length > 0 && count < MAX_BOOKMARKS && !late(); count++) {
      const { title, dest, items } = pending.pop()!
      for (let i = items.length - 1; i >= 0; i--) pending.push(items[i]!)
      const target = typeof dest === 'string' ? await document.getDestination(dest) : dest
      const page = Array.isArray(target) ? await pageNumber(document, target[0]) : undefined
      if (page !== undefined && !headings.has(page)) headings.set(page, title)
    }
  } catch {
    // Broken bookmarks are no reason to give up the text.
  }
  return headings
}

async function pageNumber(document: PdfDocument, target: unknown): Promise<number | undefined> {
  if (typeof target === 'number') return target + 1
  if (typeof target !== 'object' || target === null) return undefined
  return (await document.getPageIndex(target as Parameters<PdfDocument['getPageIndex']>[0])) + 1
}

/** Titles that programs put in of themselves: a file name, with the program's own before it. */
const NO_TITLE =
  /^(?:microsoft (?:word|powerpoint|excel) - |untitled|无标题|未命名|powerpoint presentation$|幻灯片 ?1$)|\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|fm|qxd|pdf|html?)$/i

async function metadata(document: PdfDocument) {
  let info: Record<string, unknown> = {}
  let xmp: { get?(name: string): unknown } | null = null
  try {
    const found = await document.getMetadata()
    info = found.info as Record<string, unknown>
    xmp = found.metadata
  } catch {
    // A document without readable metadata tells nothing of itself.
  }
  const text = (value: unknown): string => (typeof value === 'string' ? value.replace(/\0/g, '').trim() : '')
  const title = text(info.Title) || text(xmp?.get?.('dc:title'))
  return {
    title: NO_TITLE.test(title) ? '' : title,
    author: text(info.Author),
    description: text(info.Subject),
    lang: text(info.Language),
    keywords: splitKeywords(text(info.Keywords)),
    published: pdfDate(text(info.CreationDate)) ?? pdfDate(text(info.ModDate)),
  }
}

const PDF_DATE = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d)?/

/** A date as PDF writes it: `D:20240506123000+08'00'` (ISO 32000-1, §7.9.4). */
function pdfDate(text: string): string | undefined {
  const match = PDF_DATE.exec(text)
  if (match === null) return undefined
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', zone] = match
  const date = `${year}-${month}-${day}`
  if (hour === undefined || zone === undefined) return parseDate(date)
  return parseDate(`${date}T${hour}:${minute}:${second}${zone.replace("'", '')}`)
}
