/**
 * Completes what is being typed by titles of the index, and by headings where titles are few. Nothing is built or kept
 * for it but a cache: the last word is looked for as a prefix, and the stored titles of the best documents are read.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import type { Document } from '../document/document.js'
import type { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import type { SearchStop } from '../search/scorer/search-limits.js'
import { Term } from '../search/term.js'
import { PinyinWords } from './pinyin-words.js'
import { searchAsYouType } from './search-as-you-type.js'

/** What {@link Completer} takes. */
export interface CompleterOptions {
  /** Stored field with the titles. */
  readonly field: string
  /** The analyzer of the fields. */
  readonly analyzer: Analyzer
  /** Adds what documents are worth by themselves. */
  readonly rank?: (query: Query) => Query
  /** Where headings come from: the field that has their words, and the headings of a document of it. */
  readonly headings?: { readonly field: string; of(document: Document): readonly string[] }
  /** Reads stored documents; the searcher's reader where not given. */
  readonly document?: (docId: number) => Promise<Document>
}

/** Options of {@link Completer.complete}. */
export interface CompleteOptions extends SearchStop {
  /** 10 where not given. */
  readonly limit?: number
}

/** Documents whose titles are read for each suggestion that is wanted: some say the same. */
const READ_FOR_EACH = 2
/** Documents whose headings are looked through, and headings of each. */
const HEADING_DOCS = 4
const MAX_HEADINGS = 500
/** With fewer suggestions, Latin letters are read as pinyin. */
const FEW = 3
/** Longer input is not completed; longer titles are no suggestions. */
const MAX_LENGTH = 100
const MAX_TITLE = 150
/** Titles that are kept. */
const MAX_KEPT = 5_000
/** Work of the walks through terms, in postings: some 10 ms. */
const EXPANSION_LIMIT = 1_000_000

/** Completes texts over one state of an index. */
export class Completer {
  readonly #searcher: IndexSearcher
  readonly #options: CompleterOptions
  readonly #titles = new Map<number, string>()

  /** @param searcher stays the caller's; the completer is for the state of the index that it sees now */
  constructor(searcher: IndexSearcher, options: CompleterOptions) {
    this.#searcher = searcher
    this.#options = options
  }

  /**
   * Titles that hold what was typed, the best first, those that begin with it before others; each once.
   * @throws SpindleError `QUERY_TIMEOUT`; the signal's reason
   */
  async complete(text: string, { limit = 10, ...stop }: CompleteOptions = {}): Promise<string[]> {
    const typed = text.replace(/^\s+/, '')
    if (typed === '' || typed.length > MAX_LENGTH) return []
    const { field, analyzer } = this.#options
    const found = new Suggestions(typed, limit)
    const query = searchAsYouType(typed, [field], analyzer)
    if (query !== null) await this.#addTitles(query, found, stop)
    if (found.size < limit && query !== null) await this.#addHeadings(typed, found, stop)
    if (found.size < FEW) await this.#addByPinyin(typed, found, stop)
    return found.result()
  }

  async #addTitles(query: Query, found: Suggestions, stop: SearchStop): Promise<void> {
    for (const docId of await this.#best(query, found.limit * READ_FOR_EACH, stop)) {
      found.add(await this.#title(docId))
      if (found.size >= found.limit) return
    }
  }

  async #addHeadings(typed: string, found: Suggestions, stop: SearchStop): Promise<void> {
    const { headings, analyzer } = this.#options
    if (headings === undefined) return
    const query = searchAsYouType(typed, [headings.field], analyzer)
    if (query === null) return
    for (const docId of await this.#best(query, HEADING_DOCS, stop)) {
      for (const heading of headings.of(await this.#document(docId)).slice(0, MAX_HEADINGS)) {
        if (holdsAll(heading, typed)) found.add(heading)
        if (found.size >= found.limit) return
      }
    }
  }

  async #addByPinyin(typed: string, found: Suggestions, stop: SearchStop): Promise<void> {
    const { field, analyzer } = this.#options
    const { words: plan, characterLayer } = analyzer.queryPlan ?? {}
    if (plan === undefined || characterLayer === undefined) return
    const { reader } = this.#searcher
    const characters = `${field}#${analyzer.layers[characterLayer]!.name}`
    if (reader.collectionStats(characters).docCount === 0) return
    const words = `${field}#${analyzer.layers[plan.layer]!.name}`
    const pinyin = await PinyinWords.open(reader, [words], stop)
    for (const phrase of await pinyin.completions(typed)) {
      const terms = phrase.map((word) => ({ query: new TermQuery(new Term(words, word)), occur: 'must' as const }))
      await this.#addTitles(terms.length === 1 ? terms[0]!.query : new BooleanQuery(terms), found, stop)
      if (found.size >= found.limit) return
    }
  }

  async #best(query: Query, limit: number, stop: SearchStop): Promise<number[]> {
    const ranked = this.#options.rank?.(query) ?? query
    const hits = await this.#searcher.search(ranked, {
      limit,
      totalHits: 0,
      atLimit: 'partial',
      expansionLimit: EXPANSION_LIMIT,
      ...stop,
    })
    const ids: number[] = []
    const count = await hits.load(limit)
    for (let i = 0; i < count; i++) ids.push(hits.docId(i))
    return ids
  }

  #document(docId: number): Promise<Document> {
    return this.#options.document?.(docId) ?? this.#searcher.reader.document(docId)
  }

  async #title(docId: number): Promise<string> {
    const known = this.#titles.get(docId)
    if (known !== undefined) return known
    // A copy, since a part of a string keeps the whole alive: the text of the page.
    const title = Buffer.from((await this.#document(docId)).get(this.#options.field) ?? '').toString()
    if (this.#titles.size >= MAX_KEPT) this.#titles.clear()
    this.#titles.set(docId, title)
    return title
  }
}

/** Suggestions in the order of their documents, each text once. */
class Suggestions {
  readonly limit: number
  readonly #typed: string
  readonly #known = new Set<string>()
  readonly #beginning: string[] = []
  readonly #others: string[] = []

  constructor(typed: string, limit: number) {
    this.limit = limit
    this.#typed = folded(typed)
  }

  get size(): number {
    return this.#known.size
  }

  add(text: string): void {
    const title = text.replace(/\s+/g, ' ').trim()
    const key = folded(title)
    if (key === '' || title.length > MAX_TITLE || key === this.#typed || this.#known.has(key)) return
    this.#known.add(key)
    if (key.startsWith(this.#typed)) this.#beginning.push(title)
    else this.#others.push(title)
  }

  result(): string[] {
    return [...this.#beginning, ...this.#others].slice(0, this.limit)
  }
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim()
}

/** Whether a heading has all that was typed between spaces, somewhere. */
function holdsAll(heading: string, typed: string): boolean {
  const text = folded(heading)
  return folded(typed)
    .split(/[\s\p{P}]+/u)
    .every((word) => text.includes(word))
}
