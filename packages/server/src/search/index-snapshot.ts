/**
 * One commit of the index, open for searching, and how many searches are using it. A newer commit takes its place at
 * once; its files are closed when the last search on it has ended.
 */
import {
  ChineseAnalyzer,
  type Completer,
  type Document,
  IndexReader,
  IndexSearcher,
  type Query,
  tokenize,
  type WordDictionary,
} from '@spindle/index'
import { pageCompleter } from './complete-query.js'
import { LruCache } from './lru-cache.js'
import { ResponseCache } from './response-cache.js'
import type { Facets } from './search-backend.js'

/** Text of both scripts. */
const WARM_UP = '搜索引擎 search engine'

/** Next to no title has it, so that it is read as pinyin. */
const PINYIN_WARM_UP = 'zzz'

/** A query that leaves pages out. */
export type LimitQuery = (query: Query) => Query

/** What is kept of a commit for whoever asks the same again. */
interface Caches {
  readonly answers: ResponseCache
  readonly facets: LruCache<string, Facets>
  readonly suggestions: LruCache<string, readonly string[]>
}

/** A searcher with a count of its users. */
export class IndexSnapshot {
  readonly reader: IndexReader
  readonly searcher: IndexSearcher
  readonly completer: Completer
  #caches: Caches | undefined
  readonly #documents: LruCache<number, Document> | undefined
  readonly #cacheBytes: number
  readonly #limitQuery: LimitQuery
  #users = 1

  private constructor(reader: IndexReader, cacheBytes: number, limitQuery: LimitQuery) {
    this.reader = reader
    this.searcher = new IndexSearcher(reader)
    this.completer = pageCompleter(this.searcher, (docId) => this.document(docId), limitQuery)
    this.#documents = cacheBytes > 0 ? new LruCache(cacheBytes * 0.3) : undefined
    this.#cacheBytes = cacheBytes
    this.#limitQuery = limitQuery
    this.#caches = makeCaches(cacheBytes)
  }

  /** Answers from this commit; none are kept where the server was told so. */
  get answers(): ResponseCache | undefined {
    return this.#caches?.answers
  }

  /** Counts of the values of a whole result, whatever page of it is asked for; by the key of its first page. */
  get facets(): LruCache<string, Facets> | undefined {
    return this.#caches?.facets
  }

  /** Suggestions by what was typed. */
  get suggestions(): LruCache<string, readonly string[]> | undefined {
    return this.#caches?.suggestions
  }

  /** From now on texts are cut into these words; what was answered before is forgotten. */
  useDictionary(words: WordDictionary): void {
    const analyzer = this.reader.analyzers.default
    if (!(analyzer instanceof ChineseAnalyzer)) return
    analyzer.dictionary = words
    this.#caches = makeCaches(this.#cacheBytes)
  }

  /**
   * Opens the newest commit of an index folder.
   * @param cacheBytes for answers, suggestions, counts of facets and stored documents; 0: none are kept
   * @param limitQuery leaves pages out of the completions
   */
  static async open(
    path: string,
    cacheBytes: number,
    limitQuery: LimitQuery = (query) => query,
  ): Promise<IndexSnapshot> {
    const snapshot = new IndexSnapshot(await IndexReader.open(path), cacheBytes, limitQuery)
    // dictionaries are loaded at their first use: better now than while the first visitor waits
    tokenize(snapshot.reader.analyzers.default, WARM_UP, 0, 'query')
    await snapshot.completer.complete(PINYIN_WARM_UP)
    return snapshot
  }

  /** The newest commit, sharing unchanged segments; this one where there is none newer. */
  async refresh(): Promise<IndexSnapshot> {
    const reader = await this.reader.refresh()
    return reader === this.reader ? this : new IndexSnapshot(reader, this.#cacheBytes, this.#limitQuery)
  }

  /** Stored fields of a document. */
  async document(docId: number): Promise<Document> {
    const known = this.#documents?.get(docId)
    if (known !== undefined) return known
    const document = await this.reader.document(docId)
    let length = 0
    for (const { value } of document.fields) length += value.length
    this.#documents?.set(docId, document, length)
    return document
  }

  acquire(): void {
    this.#users++
  }

  /** Every `acquire`, and the opening itself, needs one `release`. */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.reader.close()
  }
}

function makeCaches(bytes: number): Caches | undefined {
  if (bytes === 0) return undefined
  return {
    answers: new ResponseCache(bytes * 0.5),
    facets: new LruCache(bytes * 0.1),
    suggestions: new LruCache(bytes * 0.1),
  }
}
