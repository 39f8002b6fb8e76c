/**
 * Documentation files as sections of about a kilobyte: HTML at its headings, Perl's POD at its `=head`s, dictionaries of
 * dictd by entries. A section is its text, a paragraph a line; nothing else is kept.
 */
import { gunzipSync } from 'node:zlib'

/** Characters from which on a section is closed, that it has at most, and that it has at least. */
const TARGET = 800
const MOST = 2400
const LEAST = 120

/** Puts paragraphs together to sections. */
class SectionMaker {
  #emit
  #text = ''

  constructor(emit) {
    this.#emit = emit
  }

  add(paragraph) {
    let rest = paragraph.replace(/\s+/g, ' ').trim()
    if (rest === '') return
    if (this.#text.length >= LEAST && this.#text.length + rest.length > MOST) this.end()
    while (rest.length > MOST) {
      const space = rest.lastIndexOf(' ', MOST)
      const cut = space < MOST / 2 ? MOST : space
      this.#append(rest.slice(0, cut))
      this.end()
      rest = rest.slice(cut)
    }
    this.#append(rest)
    if (this.#text.length >= TARGET) this.end()
  }

  #append(text) {
    this.#text += this.#text === '' ? text : `\n${text}`
  }

  end() {
    const text = this.#text.trim()
    this.#text = ''
    if (text.length >= LEAST) this.#emit(text)
  }
}

const ENTITIES = {
  amp: '&',
  apos: "'",
  copy: '(c)',
  gt: '>',
  hellip: '...',
  ldquo: '"',
  lsquo: "'",
  lt: '<',
  mdash: '-',
  nbsp: ' ',
  ndash: '-',
  quot: '"',
  rdquo: '"',
  rsquo: "'",
}

function decodeEntities(text) {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? ' '
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ' '
  })
}

const UNSEEN = /<(script|style|nav|footer|header|noscript|svg)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->/gi
/** Cells and what stands in a line separate words, blocks separate paragraphs. */
const INLINE = /<\/?(?:a|code|span|td|th)\b[^>]*>/gi
const BLOCK = /<\/?(?:article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)\b[^>]*>/gi
const HEADING = /(?=<h[1-4]\b)/i

export function readHtml(html, emit) {
  const body = html.search(/<body\b/i)
  const seen = (body < 0 ? html : html.slice(body)).replace(UNSEEN, ' ')
  for (const part of seen.split(HEADING)) {
    const maker = new SectionMaker(emit)
    const marked = part
      .replace(INLINE, ' ')
      .replace(BLOCK, '\u0001')
      .replace(/<[^>]+>/g, '')
    for (const paragraph of marked.split('\u0001')) maker.add(decodeEntities(paragraph))
    maker.end()
  }
}

export function readPod(pod, emit) {
  for (const part of pod.split(/(?=^=head[1-3])/m)) {
    const maker = new SectionMaker(emit)
    for (const paragraph of part.replace(/[A-Z]<+([^>]*)>+/g, '$1').split(/\n\s*\n/)) maker.add(paragraph)
    maker.end()
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const number = (text) => Array.from(text).reduce((value, digit) => value * 64 + DIGITS.indexOf(digit), 0)

/** @param index lines `word TAB offset TAB length`, offsets in base 64 */
export function readDictionary(compressed, index, emit) {
  const data = gunzipSync(compressed)
  const entries = new Map()
  for (const line of index.split('\n')) {
    const [word, offset, length] = line.split('\t')
    if (length === undefined || word.startsWith('00')) continue
    if (!entries.has(number(offset))) entries.set(number(offset), number(length))
  }
  const maker = new SectionMaker(emit)
  for (const [offset, length] of [...entries].sort(([a], [b]) => a - b)) {
    const text = data.toString('utf8', offset, offset + length)
    if (text.length <= MOST) {
      maker.add(text)
      continue
    }
    maker.end()
    for (const paragraph of text.split(/\n\s*\n|\n(?=\s+\d+\.)/)) maker.add(paragraph)
    maker.end()
  }
  maker.end()
}
