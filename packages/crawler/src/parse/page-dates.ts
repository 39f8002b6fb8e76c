/**
 * When a page was published and last changed: the candidates by where they stand, the most telling place first. What a page says
 * to programs outranks what it shows to people, and the address is only asked where neither says anything.
 */

import { dateAt, parseDate } from './published-date.js'

/**
 * Where a date was found: in an attribute made for the spider, in JSON-LD, in a meta element, in an element marked as the date (`itemprop`, `<time pubdate>`), in the
 * first `<time>`, in the text behind a word such as 发布时间, in the address; `document`: in a document's own properties.
 */
export type DateSource = 'mark' | 'json-ld' | 'meta' | 'microdata' | 'time' | 'text' | 'url' | 'document'

/** A date and where it was found. */
export interface FoundDate {
  /** ISO 8601 date or date and time */
  readonly date: string
  readonly source: DateSource
}

/** Dates as JSON-LD has them. */
export interface LinkedDates {
  readonly published?: string | undefined
  readonly modified?: string | undefined
}

/** Meta names and properties that tell the date of publication, the most telling first; lower case. */
const PUBLISHED: readonly string[] = [
  'article:published_time',
  'og:published_time',
  'datepublished',
  'pubdate',
  'publishdate',
  'publish_date',
  'publication_date',
  'publish-date',
  'publishtime',
  'parsely-pub-date',
  'sailthru.date',
  'dcterms.issued',
  'dc.date.issued',
  'dcterms.created',
  'dc.date.created',
  'dc.created',
  'datecreated',
  'citation_publication_date',
  'citation_date',
  'dcterms.date',
  'dc.date',
  'date',
]

/** Those of the last change. */
const MODIFIED: readonly string[] = [
  'article:modified_time',
  'og:updated_time',
  'datemodified',
  'dcterms.modified',
  'dc.date.modified',
  'dc.modified',
  'lastmod',
  'last-modified',
  'revised',
]

const NAMES: ReadonlySet<string> = new Set([...PUBLISHED, ...MODIFIED])

/** What is looked through of a text, at its beginning and at its end. */
const TEXT_HEAD = 2000
const TEXT_TAIL = 600
const YEAR = /(?:19|20)\d\d/g
const MAX_YEARS = 20
/** Where label and date stand around a year. */
const BEFORE_YEAR = 48
const AFTER_YEAR = 40

/** A word alone, as “date”, counts only before a colon at the beginning of a line. */
const PUBLISHED_LABEL =
  /(?:\b(?:(?:published|posted|released)(?:\s+(?:on|at))?|(?:release|publication|publishing)\s+date)|(?:发布|發布|发表|發表|刊登)(?:时间|時間|日期|于|於|在)?)\s*[:：]?\s*(?=[\p{L}\d])|^\s*(?:date|日期|时间|時間)\s*[:：]\s*(?=[\p{L}\d])/iu
const MODIFIED_LABEL =
  /(?:\b(?:last\s+)?(?:updated|modified|revised|changed)(?:\s+(?:on|at))?|(?:更新|修改|修订|修訂|编辑|編輯)(?:时间|時間|日期|于|於|在)?)\s*[:：]?\s*(?=[\p{L}\d])/iu

/** Year, month and day in a path: /2024/05/06/, /2024-05/06/, /20240506/, /2024/0506/ */
const IN_PATH = /(?:^|[/_-])((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?!\d)/

/** Collects the dates of a page while it is read. */
export class PageDates {
  readonly #meta = new Map<string, string>()
  readonly #marked = new Map<'published' | 'modified', string>()
  #microPublished: string | undefined
  #microModified: string | undefined
  #time: string | undefined

  /** True where a meta element of this name (lower case) tells a date. */
  static isName(key: string): boolean {
    return NAMES.has(key)
  }

  /** A meta element. */
  meta(key: string, content: string): void {
    if (this.#meta.has(key)) return
    const date = parseDate(content)
    if (date !== undefined) this.#meta.set(key, date)
  }

  /**
   * An element that holds a date.
   * @param mark its itemprop, or `datepublished` for `<time pubdate>`; lower case, empty where there is none
   */
  time(written: string, mark: string): void {
    const date = parseDate(written)
    if (date === undefined) return
    if (mark === 'datepublished') this.#microPublished ??= date
    else if (mark === 'datemodified') this.#microModified ??= date
    else this.#time ??= date
  }

  /** A date that the page marks as its own by an attribute: it outranks all others. */
  mark(which: 'published' | 'modified', written: string): void {
    const date = parseDate(written)
    if (date !== undefined) this.#marked.set(which, date)
  }

  /**
   * The dates of the page.
   * @param linked what JSON-LD says
   * @param text of the page
   * @param raw the same with menus, footers and the like: there a page says when it last changed
   * @param url address of the page
   */
  find(
    linked: LinkedDates,
    text: string,
    raw: string,
    url: string,
  ): { readonly published?: FoundDate; readonly modified?: FoundDate } {
    const marked = this.#marked
    let published =
      found(marked.get('published'), 'mark') ??
      found(parseDate(linked.published ?? ''), 'json-ld') ??
      found(this.#first(PUBLISHED), 'meta') ??
      found(this.#microPublished, 'microdata') ??
      found(this.#time, 'time')
    let modified =
      found(marked.get('modified'), 'mark') ??
      found(parseDate(linked.modified ?? ''), 'json-ld') ??
      found(this.#first(MODIFIED), 'meta') ??
      found(this.#microModified, 'microdata')
    if (published === undefined || modified === undefined) {
      const lines = linesWithYears(text)
      if (raw.length > text.length) lines.push(...linesWithYears(raw))
      published ??= found(labelled(lines, PUBLISHED_LABEL), 'text') ?? found(inPath(url), 'url')
      modified ??= found(labelled(lines, MODIFIED_LABEL), 'text')
    }
    return { ...(published === undefined ? {} : { published }), ...(modified === undefined ? {} : { modified }) }
  }

  #first(names: readonly string[]): string | undefined {
    if (this.#meta.size === 0) return undefined
    for (const name of names) {
      const date = this.#meta.get(name)
      if (date !== undefined) return date
    }
    return undefined
  }
}

function found(date: string | undefined, source: DateSource): FoundDate | undefined {
  return date === undefined ? undefined : { date, source }
}

/** The lines around the years at the beginning and at the end of a text: a search for digits is much cheaper than one for words. */
function linesWithYears(text: string): string[] {
  const lines: string[] = []
  const isLong = text.length > TEXT_HEAD + TEXT_TAIL
  for (const part of isLong ? [text.slice(0, TEXT_HEAD), text.slice(-TEXT_TAIL)] : [text]) {
    let years = 0
    for (const { index } of part.matchAll(YEAR)) {
      if (++years > MAX_YEARS) break
      const from = Math.max(0, index - BEFORE_YEAR, part.lastIndexOf('\n', index) + 1)
      lines.push(part.slice(from, index + AFTER_YEAR))
    }
  }
  return lines
}

/** The first date behind a label. */
function labelled(lines: readonly string[], label: RegExp): string | undefined {
  for (const line of lines) {
    const match = label.exec(line)
    const date = match === null ? undefined : dateAt(line.slice(match.index + match[0].length))
    if (date !== undefined) return date.date
  }
  return undefined
}

function inPath(url: string): string | undefined {
  const path = url.replace(/^[a-z]+:\/\/[^/]*|[?#].*$/gi, '')
  const match = IN_PATH.exec(path)
  return match === null ? undefined : parseDate(`${match[1]}-${match[3]}-${match[4]}`)
}
