/**
 * Text of Markdown: made HTML and read as such, so that its text, links and embedded HTML are treated as those of any page.
 * Headings are sections under the names that GitHub and most generators give them; a front matter tells title, date and the like.
 */

import { Marked } from 'marked'
import { decodeText } from '../parse/decode-text.js'
import { parseDate } from '../parse/published-date.js'
import { DocumentText } from './document-text.js'
import { type DocumentInput, type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { splitKeywords } from './office-package.js'
import { linksOf, readHtml } from './read-html.js'

/** Reads a document. Costs what its text costs; a text made to be slow is stopped by the deadline of the worker. */
export function readMarkdown({ bytes, url, charsetLabel, deadline }: DocumentInput): ExtractedDocument {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { body, values } = splitFrontMatter(decodeText(buffer, charsetLabel, false).text)
  const html = new Marked({ gfm: true }).parse(body, { async: false })
  const page = readHtml(`<!doctype html><body><main>${html}</main>`, url)
  if (page === null) return { ...NOTHING_TOLD, kind: 'text', text: '' }
  const headings = headingsOf(html)
  const text = new DocumentText(deadline)
  const anchors = new Map<string, number>()
  let next = 0
  for (const line of page.text.split('\n')) {
    if (line === headings[next]) {
      text.section({ heading: line, anchor: anchorOf(line, anchors) })
      next++
    }
    text.append(line)
    text.block()
  }
  return {
    ...NOTHING_TOLD,
    kind: 'text',
    title: values.get('title') ?? headings[0] ?? '',
    description: values.get('description') ?? values.get('summary') ?? '',
    author: values.get('author') ?? '',
    lang: values.get('lang') ?? values.get('language') ?? '',
    keywords: splitKeywords(values.get('keywords') ?? values.get('tags') ?? ''),
    published: parseDate(values.get('date') ?? ''),
    links: linksOf(page),
    ...text.finish(),
  }
}

/** The texts of h1 to h6, as they stand in the text of the page. */
function headingsOf(html: string): string[] {
  const headings: string[] = []
  for (const [, , inner = ''] of html.matchAll(/<h([1-6])>(.*?)<\/h\1>/gs)) {
    const text = readHtml(`<!doctype html><p>${inner}</p>`, 'about:blank')?.text ?? ''
    if (text !== '') headings.push(text)
  }
  return headings
}

/** Lower case, without punctuation, blanks as hyphens, and a number where a name has been given before. */
function anchorOf(heading: string, given: Map<string, number>): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replace(/ /g, '-')
  const before = given.get(name)
  given.set(name, (before ?? -1) + 1)
  return before === undefined ? name : `${name}-${before + 1}`
}

const FRONT_MATTER = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/
const PAIR = /^([A-Za-z][\w-]{0,40}):[ \t]*(.*)$/
const ITEM = /^[ \t]*-[ \t]+(.*)$/

/** The values at the top of the file: plain ones and lists of plain ones. What else YAML has is left out. */
function splitFrontMatter(text: string): { readonly body: string; readonly values: ReadonlyMap<string, string> } {
  const body = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const values = new Map<string, string>()
  const match = FRONT_MATTER.exec(body)
  if (match === null) return { body, values }
  let last = ''
  for (const line of match[1]!.split('\n')) {
    const pair = PAIR.exec(line)
    const item = ITEM.exec(line)
    if (pair !== null) {
      last = pair[1]!.toLowerCase()
      values.set(
        last,
        pair[2]!
          .trim()
          .replace(/^\[(.*)\]$/, '$1')
          .split(',')
          .map(unquoted)
          .join(','),
      )
    } else if (item !== null && last !== '') {
      const before = values.get(last) ?? ''
      values.set(last, before === '' ? unquoted(item[1]!) : `${before},${unquoted(item[1]!)}`)
    }
  }
  return { body: body.slice(match[0].length), values }
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, '$2')
}
