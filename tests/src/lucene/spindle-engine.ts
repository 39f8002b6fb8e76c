/** This project's index as one of the two engines. */
import {
  BM25Similarity,
  BooleanSimilarity,
  ClassicSimilarity,
  Document,
  type Explanation,
  Field,
  type Hits,
  IndexReader,
  IndexSearcher,
  IndexWriter,
  MemoryDirectory,
  type OpenReaderOptions,
  PerFieldSimilarity,
  type Similarity,
  Term,
} from '@spindle/index'
import {
  BEST,
  type Change,
  type Engine,
  type Found,
  type IndexStats,
  type SearchTask,
  SIMILARITIES,
  type SimilarityName,
  type TestDocument,
} from './engine.js'
import { toQuery } from './to-query.js'
import { WhitespaceAnalyzer } from './whitespace-analyzer.js'

const FORMULAS: Readonly<Record<SimilarityName, Similarity>> = {
  bm25: new BM25Similarity(),
  classic: new ClassicSimilarity(),
  boolean: new BooleanSimilarity(),
  perField: new PerFieldSimilarity({
    title: new BM25Similarity({ k1: 0.9, b: 0.3 }),
    tag: new BooleanSimilarity(),
    body: new ClassicSimilarity(),
  }),
}

/** Our index in memory. */
export class SpindleEngine implements Engine {
  #writer: IndexWriter | null = null
  #reader: IndexReader | null = null
  #searchers: ReadonlyMap<SimilarityName, IndexSearcher> = new Map()
  /** The id of each document, by its number in the index. */
  #ids: string[] = []
  readonly #reading: OpenReaderOptions

  /** @param reading how the index is opened for searching */
  constructor(reading: OpenReaderOptions = {}) {
    this.#reading = reading
  }

  async open(): Promise<void> {
    await this.close()
    this.#writer = await IndexWriter.open(new MemoryDirectory(), {
      analyzer: new WhitespaceAnalyzer(),
      // A segment a commit, and no merge unasked.
      memoryBudget: 2 ** 30,
      mergeFactor: 1000,
    })
  }

  async apply(changes: readonly Change[]): Promise<void> {
    const writer = this.#writer!
    for (const change of changes) {
      if (change.do === 'add') await writer.addDocument(documentOf(change.document))
      else if (change.do === 'update') {
        await writer.updateDocument(new Term('id', change.document.id), documentOf(change.document))
      } else if (change.do === 'delete') {
        const { query } = change
        await writer.deleteDocuments(query.kind === 'term' ? new Term(query.field, query.text) : toQuery(query))
      } else if (change.do === 'forceMerge') await writer.forceMerge(change.segments)
      else if (change.do === 'forceMergeDeletes') await writer.forceMergeDeletes()
      else await writer.commit()
    }
    await this.#closeSearchers()
    const reader = await IndexReader.open(writer.directory, this.#reading)
    this.#reader = reader
    this.#searchers = new Map(
      SIMILARITIES.map((name) => [name, new IndexSearcher(reader, { similarity: FORMULAS[name] })]),
    )
    this.#ids = []
    for (let doc = 0; doc < reader.maxDoc; doc++) this.#ids.push((await reader.document(doc)).get('id')!)
  }

  async stats(): Promise<IndexStats> {
    const { segments, maxDoc, numDocs } = this.#reader!
    return { segments: segments.length, maxDoc, numDocs }
  }

  /** Each query in three ways that have to agree: counted, all matches ranked, and with what cannot be among the best skipped. */
  async search(tasks: readonly SearchTask[]): Promise<Found[]> {
    const found: Found[] = []
    for (const task of tasks) {
      try {
        found.push(await this.#search(task))
      } catch (error) {
        found.push({ error: String(error) })
      }
    }
    return found
  }

  async #search({ query: node, similarity }: SearchTask): Promise<Found> {
    const searcher = this.#searchers.get(similarity)!
    const query = toQuery(node)
    const count = await searcher.count(query)
    const full = await searcher.search(query, { limit: BEST })
    if (full.length !== count || full.relation !== 'eq') {
      return { error: `count() gives ${count}, a search ${full.relation} ${full.length}` }
    }
    for (const limit of [10, BEST]) {
      const pruned = await searcher.search(query, { limit, totalHits: 0 })
      const loaded = Math.min(limit, full.loaded)
      if (pruned.loaded !== loaded) return { error: `${pruned.loaded} of the best ${limit} where some are skipped` }
      for (let i = 0; i < loaded; i++) {
        if (pruned.docId(i) === full.docId(i) && pruned.score(i) === full.score(i)) continue
        return {
          error: `hit ${i} of ${limit} is ${this.#show(pruned, i)} with skipping, ${this.#show(full, i)} without`,
        }
      }
    }
    const ids: string[] = []
    const scores: number[] = []
    for (let i = 0; i < full.loaded; i++) {
      ids.push(this.#ids[full.docId(i)]!)
      scores.push(full.score(i))
    }
    return { count, ids, scores }
  }

  #show(hits: Hits, i: number): string {
    return `${this.#ids[hits.docId(i)]} (${hits.score(i)})`
  }

  async explain({ query, similarity }: SearchTask, id: string): Promise<string> {
    const doc = this.#ids.lastIndexOf(id)
    if (doc < 0) return 'no such document'
    return printExplanation(await this.#searchers.get(similarity)!.explain(toQuery(query), doc))
  }

  async close(): Promise<void> {
    await this.#closeSearchers()
    await this.#writer?.close()
    this.#writer = null
  }

  async #closeSearchers(): Promise<void> {
    for (const searcher of this.#searchers.values()) await searcher.close()
    await this.#reader?.close()
    this.#reader = null
  }
}

function documentOf({ id, title, body, tags, sizes, rank }: TestDocument): Document {
  const document = new Document().add(Field.keyword('id', id))
  if (title !== '') document.add(Field.unStored('title', title))
  if (body !== '') document.add(Field.unStored('body', body))
  for (const tag of tags) document.add(Field.keyword('tag', tag))
  for (const size of sizes) document.add(Field.integer('size', size))
  if (rank !== null) document.add(Field.float('rank', rank, { indexed: true }))
  return document
}

function printExplanation({ value, description, details }: Explanation, indent = ''): string {
  return [`${indent}${value} = ${description}`, ...details.map((part) => printExplanation(part, `${indent}  `))].join(
    '\n',
  )
}
