/** Which column of a table, or key of an object, is what of a document. */

import { canonicalUrl, isHttpUrl, parseUrl, SpindleError } from '@spindle/core'
import { readHtml } from '../documents/read-html.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import { parseDate } from '../parse/published-date.js'
import { cleanText, cut, oneLine } from '../parse/text-builder.js'
import { MAX_ADDRESS } from './import-batch.js'

/** A row or object. */
export type DataRecord = Readonly<Record<string, unknown>>

/** What a document is made of. */
export const RECORD_PARTS = ['url', 'id', 'title', 'text', 'html', 'date', 'lang', 'author', 'keywords'] as const

/** One of them. */
export type RecordPart = (typeof RECORD_PARTS)[number]

/** Names of columns or keys by part, the first that a record has counts; upper and lower case are one. */
export type RecordMapping = Readonly<Record<RecordPart, readonly string[]>>

/** Names that people give their columns. */
export const DEFAULT_MAPPING: RecordMapping = {
  url: ['url', 'link', 'href', 'uri', 'address', '网址', '链接', '鏈接'],
  id: ['id', '_id', 'key', 'uuid', '编号', '編號'],
  title: ['title', 'name', 'subject', 'headline', '标题', '標題', '名称', '名稱', '题名'],
  text: ['text', 'body', 'content', 'description', 'abstract', 'summary', '正文', '内容', '內容', '摘要', '描述'],
  html: ['html'],
  date: ['date', 'published', 'created', 'created_at', 'updated_at', 'time', '日期', '时间', '時間'],
  lang: ['lang', 'language', '语言', '語言'],
  author: ['author', 'creator', '作者'],
  keywords: ['keywords', 'tags', '关键词', '關鍵詞', '标签'],
}

const MAX_TEXT = 4 * 1024 * 1024
const MAX_TITLE = 500
const MAX_ID = 500

/**
 * The default mapping with parts replaced, each given as `part=column` or `part=column,column`.
 * @throws SpindleError `CONFIG_INVALID`
 */
export function parseMapping(pairs: readonly string[]): RecordMapping {
  const mapping: Record<RecordPart, readonly string[]> = { ...DEFAULT_MAPPING }
  for (const pair of pairs) {
    const [, part = '', columns = ''] = /^(\w+)=(.+)$/.exec(pair) ?? []
    if (!isPart(part)) {
      throw new SpindleError(
        'CONFIG_INVALID',
        `--map is given "${pair}": give part=column, where part is one of ${RECORD_PARTS.join(', ')}.`,
      )
    }
    mapping[part] = columns.split(',').map((name) => name.trim())
  }
  return mapping
}

function isPart(text: string): text is RecordPart {
  return (RECORD_PARTS as readonly string[]).includes(text)
}

/** A record as a document: its address and what is in it. */
export interface RecordDocument {
  /** its own where it has one, else that of its file with its id or number behind `#` */
  readonly url: string
  readonly parsed: ParsedPage
}

/** @param number of the record in its file, from 1 */
export function toDocument(
  record: DataRecord,
  mapping: RecordMapping,
  { source, number }: { readonly source: string; readonly number: number },
): RecordDocument {
  const keys = new Map(Object.keys(record).map((key) => [key.trim().toLowerCase(), key]))
  const used = new Set<string>()
  const take = (part: RecordPart): string => {
    for (const name of mapping[part]) {
      const key = keys.get(name.toLowerCase())
      const text = key === undefined ? '' : textOf(record[key]).trim()
      if (key === undefined || text === '') continue
      used.add(key)
      return text
    }
    return ''
  }
  const link = take('url')
  const id = take('id')
  const url = webAddress(link) ?? `${source}#${encodeURIComponent(cut(id || link || String(number), MAX_ID))}`
  const named = take('title')
  const date = take('date')
  const lang = take('lang')
  const author = oneLine(take('author'), MAX_TITLE)
  const keywords = take('keywords')
  const html = take('html')
  const page = html === '' ? null : readHtml(`<!doctype html><body><main>${html}</main>`, url)
  const text = take('text')
  // A table without a column of text is a text all over, and each row is known by its first value.
  const whole = [text, page?.text ?? ''].filter((part) => part !== '').join('\n') || restOf(record, used)
  const first = text === '' && page === null ? Object.values(record).map((value) => textOf(value).trim()) : []
  const title = oneLine(named || (first.find((value) => value !== '') ?? ''), MAX_TITLE)
  const words = keywords.split(/[,;，；、|\n]/).map((word) => word.trim())
  return {
    url,
    parsed: {
      kind: 'text',
      title,
      text: cleanText(cut(whole, MAX_TEXT)).trim(),
      description: '',
      lang: /^[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,3}$/i.test(lang) ? lang.toLowerCase() : '',
      charset: 'utf-8',
      charsetSource: 'document',
      baseUrl: url,
      canonical: undefined,
      robots: { index: true, follow: true },
      published: dateOf(date),
      links: [],
      linksTruncated: false,
      ...(author === '' ? {} : { author }),
      ...(keywords === '' ? {} : { keywords: words.filter((word) => word !== '').slice(0, 50) }),
      ...(whole.length > MAX_TEXT ? { textTruncated: true } : {}),
    },
  }
}

function webAddress(text: string): string | undefined {
  const url = text === '' ? undefined : parseUrl(text)
  if (url === undefined || !isHttpUrl(url)) return undefined
  const address = canonicalUrl(url)
  return address.length > MAX_ADDRESS ? undefined : address
}

/** Dates, and the numbers of seconds or milliseconds that programs write. */
function dateOf(text: string): string | undefined {
  if (/^\d{10}(?:\d{3})?$/.test(text)) {
    return parseDate(new Date(Number(text) * (text.length === 10 ? 1000 : 1)).toISOString())
  }
  return parseDate(text)
}

function restOf(record: DataRecord, used: ReadonlySet<string>): string {
  const lines: string[] = []
  for (const [key, value] of Object.entries(record)) {
    const text = used.has(key) ? '' : textOf(value).trim()
    if (text !== '') lines.push(`${key}: ${text}`)
  }
  return lines.join('\n')
}

/** Plain values as they are, lists joined, of objects the values. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || depth > 4) return ''
  const parts = (Array.isArray(value) ? value : Object.values(value)).map((part) => textOf(part, depth + 1))
  return parts.filter((part) => part !== '').join(', ')
}
