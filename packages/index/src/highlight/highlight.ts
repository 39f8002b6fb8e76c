/**
 * Marks the words of a query in stored text. The result is HTML in which everything but our own marks is escaped.
 * Time is linear in the text, of which at most the first 2^20 UTF-16 units are analyzed (about 0.2 s of Chinese), and as many further
 * on where the snippet of a longer one has its words.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import type { Query } from '../search/query/query.js'
import { bestWindow, type TextRange } from './best-window.js'
import { escapeHtml } from './html-escape.js'
import type { Mark } from './mark.js'
import { type QueryTerms, queryTerms } from './query-terms.js'
import { type Passage, scorePassages } from './score-passages.js'
import { findMarks } from './text-marks.js'

/** Options of {@link highlight} and {@link highlightWhole}. */
export interface HighlightOptions {
  /** Longest snippet in UTF-16 units of the text; 160 where not given. A single longer mark is cut. */
  readonly maxLength?: number
  /**
   * Title shown beside the snippet: where the text begins with it, or with some navigation and it, the snippet comes from
   * behind it.
   */
  readonly title?: string
  /** UTF-16 units of the text that are analyzed, at most; 2^20 where not given. */
  readonly maxAnalyzed?: number
  /**
   * Combined fields that the field is a source of, as `combinedFieldsWith` finds them: what the query asks of them is
   * marked too. None where not given.
   */
  readonly combinedFields?: readonly string[]
  /** HTML put before a marked stretch, as it is; `<em>` where not given. */
  readonly pre?: string
  /** HTML put behind it; `</em>` where not given. */
  readonly post?: string
}

/** A part of a text with marks. */
export interface Highlight {
  /** Escaped text with marks, balanced. */
  readonly html: string
  /** UTF-16 range of the original text that it shows. */
  readonly start: number
  readonly end: number
  /** Whether text before it was left out. */
  readonly cutBefore: boolean
  /** Whether text behind it was left out. */
  readonly cutAfter: boolean
  /** Number of marked stretches. */
  readonly marks: number
  /** Where the first of them begins in the original text; undefined where there is none. */
  readonly firstMark: number | undefined
}

const MAX_ANALYZED = 1 << 20

/**
 * The part of a text that shows best why the document was found; its beginning where no word of the query is in it.
 * @param field the field that the text was stored in: only what the query asks of this field is marked
 * @param analyzer the field's analyzer
 */
export function highlight(
  query: Query,
  field: string,
  text: string,
  analyzer: Analyzer,
  options: HighlightOptions = {},
): Highlight {
  return new MarkedText(query, field, text, analyzer, options).best()
}

/** A text in which the words of a query were looked for: analyzed once, shown in parts. */
export class MarkedText {
  readonly #text: string
  readonly #analyzed: string
  readonly #analyzer: Analyzer
  readonly #terms: QueryTerms
  readonly #marks: readonly Mark[]
  readonly #options: HighlightOptions

  /** The parameters are those of {@link highlight}. */
  constructor(query: Query, field: string, text: string, analyzer: Analyzer, options: HighlightOptions = {}) {
    this.#text = text
    this.#analyzer = analyzer
    this.#options = options
    this.#terms = queryTerms(query, field, analyzer, options.combinedFields)
    this.#analyzed = beginning(text, options.maxAnalyzed)
    this.#marks = findMarks(this.#analyzed, analyzer, this.#terms)
  }

  /** See {@link highlight}. */
  best(): Highlight {
    const text = this.#text
    const analyzed = this.#analyzed
    const marks = this.#marks
    const options = this.#options
    const maxLength = this.#maxLength(options.maxLength)
    if (marks.length === 0 && analyzed.length < text.length) {
      const later = findLater(text, analyzed.length, this.#analyzer, this.#terms)
      if (later.marks.length > 0) {
        const window = bestWindow(text.slice(0, later.end), later.marks, this.#terms.count, maxLength)
        return render(text, window, later.marks, options)
      }
    }
    const skip = options.title === undefined ? 0 : titleEnd(analyzed, options.title)
    const behind = skip === 0 ? marks : marks.filter(({ start }) => start >= skip)
    const found = behind.length > 0 || marks.length === 0
    const window = bestWindow(analyzed, found ? behind : marks, this.#terms.count, maxLength, found ? skip : 0)
    return render(text, window, marks, options)
  }

  /**
   * The part of a passage that shows best what is said there of the query.
   * @param passage range of the text
   */
  within(passage: TextRange, maxLength: number): Highlight {
    const marks = this.#marks.filter(({ start, end }) => start >= passage.start && end <= passage.end)
    const text = this.#text.slice(0, passage.end)
    const window = bestWindow(text, marks, this.#terms.count, this.#maxLength(maxLength), passage.start)
    return render(text, window, marks, this.#options)
  }

  /**
   * How well passages answer the query; see {@link scorePassages}.
   * @param passages in the order of the text, without overlaps
   */
  score(passages: readonly Passage[]): number[] {
    return scorePassages(this.#marks, passages)
  }

  #maxLength(wanted: number | undefined): number {
    return Math.max(1, Math.trunc(wanted ?? 160))
  }
}

/** Text before the place where a word was found as it is written. */
const BEFORE_LITERAL = 1000

/**
 * Marks of a long text behind its beginning: one stretch as long as the beginning is analyzed, from where a word of the query first
 * stands there letter by letter. (A search for letters is a thousand times faster than analysis, but knows no word forms.)
 */
function findLater(
  text: string,
  beginningEnd: number,
  analyzer: Analyzer,
  terms: QueryTerms,
): { readonly marks: readonly Mark[]; readonly end: number } {
  const lower = text.toLowerCase()
  let first = -1
  for (const literal of literalsOf(terms)) {
    const at = lower.indexOf(literal, beginningEnd)
    if (at >= 0 && (first < 0 || at < first)) first = at
  }
  if (first < 0) return { marks: [], end: 0 }
  const from = evenCut(text, Math.max(beginningEnd, first - Math.min(BEFORE_LITERAL, beginningEnd >> 2)))
  const end = evenCut(text, Math.min(text.length, from + beginningEnd))
  const marks = findMarks(text.slice(from, end), analyzer, terms)
  return { marks: marks.map((mark) => ({ ...mark, start: mark.start + from, end: mark.end + from })), end }
}

function literalsOf({ layers }: QueryTerms): Set<string> {
  const literals = new Set<string>()
  for (const { terms, phrases, patterns } of layers) {
    for (const term of terms.keys()) literals.add(term)
    for (const { pattern } of patterns) for (const term of pattern.terms) literals.add(term)
    for (const { terms } of phrases) if (terms[0] !== undefined) literals.add(terms[0])
  }
  literals.delete('')
  return literals
}

/** A place that does not cut a surrogate pair. */
function evenCut(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at
}

/** Where the title is looked for: as much navigation may stand before it. */
const MAX_BEFORE_TITLE = 300
/** A shorter title stands in a text by chance. */
const MIN_TITLE = 4
/** What sites put between the name of a page and their own. */
const TITLE_SEPARATORS = [' — ', ' – ', ' - ', ' | ', '_', ' · ', ' :: ']

/** The end of the title, or of its part before the name of the site, at the beginning of a text; 0 where it is not there. */
function titleEnd(text: string, title: string): number {
  const whole = title.trim()
  const parts = [whole]
  for (const separator of TITLE_SEPARATORS) {
    const at = whole.indexOf(separator)
    if (at > 0) parts.push(whole.slice(0, at).trim())
  }
  const head = text.slice(0, MAX_BEFORE_TITLE + whole.length)
  for (const part of parts) {
    const at = part.length < MIN_TITLE ? -1 : head.indexOf(part)
    if (at < 0 || at > MAX_BEFORE_TITLE) continue
    let end = at + part.length
    while (end < text.length && (text[end] === '¶' || text[end]!.trim() === '')) end++
    // Nothing but the title: then it is what there is to show.
    return end === text.length ? 0 : end
  }
  return 0
}

/** A whole text with marks, for titles: nothing is cut. */
export function highlightWhole(
  query: Query,
  field: string,
  text: string,
  analyzer: Analyzer,
  options: HighlightOptions = {},
): Highlight {
  const marks = findMarks(
    beginning(text, options.maxAnalyzed),
    analyzer,
    queryTerms(query, field, analyzer, options.combinedFields),
  )
  return render(text, { start: 0, end: text.length }, marks, options)
}

/** The first units of a text, no surrogate pair cut. */
function beginning(text: string, maxAnalyzed = MAX_ANALYZED): string {
  if (text.length <= maxAnalyzed) return text
  const code = text.charCodeAt(maxAnalyzed - 1)
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? maxAnalyzed - 1 : maxAnalyzed)
}

function render(text: string, range: TextRange, marks: readonly Mark[], options: HighlightOptions): Highlight {
  const pre = options.pre ?? '<em>'
  const post = options.post ?? '</em>'
  let html = ''
  let at = range.start
  let count = 0
  let firstMark: number | undefined
  for (let i = 0; i < marks.length; ) {
    // Marks that overlap or touch are one stretch, so that a run of Chinese words is not torn apart.
    const start = Math.max(marks[i]!.start, range.start)
    let end = marks[i]!.end
    for (i++; i < marks.length && marks[i]!.start <= end; i++) end = Math.max(end, marks[i]!.end)
    end = Math.min(end, range.end)
    if (start >= end) continue
    html += escapeHtml(text.slice(at, start)) + pre + escapeHtml(text.slice(start, end)) + post
    at = end
    firstMark ??= start
    count++
  }
  html += escapeHtml(text.slice(at, range.end))
  return {
    html,
    start: range.start,
    end: range.end,
    cutBefore: range.start > 0,
    cutAfter: range.end < text.length,
    marks: count,
    firstMark,
  }
}
