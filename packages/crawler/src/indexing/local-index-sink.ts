/**
 * Puts pages into the full-text index of this machine. The commit says up to which page of which crawl it goes
 * (`crawlId`, `crawlSequence`, `crawlOffset`, `crawlEpoch`), so that after a crash the rest is indexed again from the page store.
 *
 * The pages of another crawl are replaced as a whole, and so are those of an older copy of the page store that was put back:
 * the index may lag behind the store, never lead. The old commit answers searches until the first new one.
 */
import { PageField, type PageFieldName } from '@spindle/core'
import { type IndexReader, type IndexWriter, MatchAllQuery, Term } from '@spindle/index'
import type { StoredPage } from '../pages/stored-page.js'
import { openPageIndex, type PageAnalysis } from './open-page-index.js'
import { type PageContext, pageDocument } from './page-document.js'
import type { PageSink, SinkPosition } from './page-sink.js'
import { pageCombinedFields } from './page-weights.js'

/** Settings of a {@link LocalIndexSink}. */
export interface LocalIndexOptions extends PageAnalysis {
  /** Name of the crawl whose page store is followed; an index of another crawl is filled anew. */
  readonly crawlId: string
  /** Records in that page store; an index that has more of them follows another history of it and is filled anew. */
  readonly pages?: number
  /** Records of it that may have been left out since: an index that has not come so far is filled anew. */
  readonly rewrittenUpTo?: number
  /** Raised with every change of what its records say: an index of another epoch is filled anew. */
  readonly epoch?: number
  /** What a word in each place counts in the combined field; default {@link DEFAULT_PAGE_WEIGHTS}. */
  readonly weights?: Readonly<Record<string, number>>
  /** Bytes of documents in memory before a segment is written; default 16 MiB. */
  readonly memoryBudget?: number
}

const DEFAULT_MEMORY = 16 * 1024 * 1024
const START: SinkPosition = { sequence: 0, offset: 0 }

/** See the head of this file. */
export class LocalIndexSink implements PageSink {
  readonly #writer: IndexWriter
  readonly #crawlId: string
  readonly #epoch: number
  #position: SinkPosition

  private constructor(writer: IndexWriter, { crawlId, epoch = 0 }: LocalIndexOptions, position: SinkPosition) {
    this.#writer = writer
    this.#crawlId = crawlId
    this.#epoch = epoch
    this.#position = position
  }

  /** An index of another analyzer is filled anew. @throws SpindleError `LOCK_HELD`, `INDEX_CORRUPT`, `CONFIG_INVALID` */
  static async open(path: string, options: LocalIndexOptions): Promise<LocalIndexSink> {
    const { writer } = await openPageIndex(path, options, {
      combinedFields: pageCombinedFields(options.weights),
      memoryBudget: options.memoryBudget ?? DEFAULT_MEMORY,
    })
    const { crawlId, crawlSequence, crawlOffset, crawlEpoch = '0' } = writer.userData
    const { pages = Number.MAX_SAFE_INTEGER, rewrittenUpTo = 0, epoch = 0 } = options
    if (crawlId === options.crawlId && Number(crawlEpoch) === epoch) {
      const position = { sequence: Number(crawlSequence), offset: Number(crawlOffset) }
      const { sequence, offset } = position
      if (sequence <= pages && sequence >= rewrittenUpTo && Number.isSafeInteger(offset)) {
        return new LocalIndexSink(writer, options, position)
      }
    }
    const sink = new LocalIndexSink(writer, options, START)
    if (crawlId !== undefined) await sink.startOver()
    return sink
  }

  /** From now on the index is filled anew; what is in it answers until the first commit. */
  async startOver(): Promise<void> {
    await this.#writer.deleteDocuments(new MatchAllQuery())
    this.#position = START
  }

  get position(): SinkPosition {
    return this.#position
  }

  get documents(): number {
    return this.#writer.numDocs
  }

  async put(page: StoredPage, context: PageContext = {}): Promise<void> {
    if (!page.parsed.robots.index) return this.remove(page.url)
    await this.#writer.updateDocument(new Term(PageField.url, page.url), await pageDocument(page, context))
  }

  /** Gives the page of an address another number in a field that is only a doc value; null: none. */
  async setNumber(url: string, field: PageFieldName, value: number | null): Promise<void> {
    await this.#writer.updateDocValues(new Term(PageField.url, url), field, value)
  }

  /** The pages as they are now. To be closed. */
  openReader(): Promise<IndexReader> {
    return this.#writer.openReader()
  }

  /** What was said at the last commit of the links between its pages; undefined where pages were committed since. */
  get linkState(): string | undefined {
    return this.#writer.userData.links
  }

  async remove(url: string): Promise<void> {
    await this.#writer.deleteDocuments(new Term(PageField.url, url))
  }

  /** @param linkState see {@link linkState} */
  async commit(position: SinkPosition, linkState?: string): Promise<void> {
    await this.#writer.commit({
      userData: {
        crawlId: this.#crawlId,
        crawlSequence: String(position.sequence),
        crawlOffset: String(position.offset),
        crawlEpoch: String(this.#epoch),
        ...(linkState === undefined ? {} : { links: linkState }),
      },
    })
    this.#position = position
  }

  async close(): Promise<void> {
    await this.#writer.rollback()
  }
}
