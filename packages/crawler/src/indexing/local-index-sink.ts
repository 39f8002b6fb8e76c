/**
 * Puts pages into the full-text index of this machine. The commit says up to which page of which crawl it goes
 * (`crawlId`, `crawlSequence`, `crawlOffset`, `crawlEpoch`), so that after a crash the rest is indexed again from the page store.
 *
 * The pages of another crawl are replaced as a whole, and so are those of an older copy of the page store that was put back:
 * the index may lag behind the store, never lead. The old commit answers searches until the first new one.
 */
import { PageField, type PageFieldName } from '@spindle/core'
import {
  ChineseAnalyzer,
  IndexDictionary,
  type IndexReader,
  type IndexWriter,
  MatchAllQuery,
  Term,
  type UserDictionary,
} from '@spindle/index'
import type { StoredPage } from '../pages/stored-page.js'
import { openPageIndex, type PageAnalysis } from './open-page-index.js'
import { DERIVED_FIELDS, type PageContext, pageDocument } from './page-document.js'
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
  /** Folder for the words of the dictionaries that its documents are made with; none: no words of a user. */
  readonly dictionaries?: string
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
  readonly #dictionary: IndexDictionary | undefined
  #position: SinkPosition
  /** Pages and commits wait for it: no commit says that documents are made with another dictionary than they are. */
  #changingDictionary: Promise<unknown> = Promise.resolve()

  private constructor(
    writer: IndexWriter,
    dictionary: IndexDictionary | undefined,
    { crawlId, epoch = 0 }: LocalIndexOptions,
    position: SinkPosition,
  ) {
    this.#writer = writer
    this.#dictionary = dictionary
    this.#crawlId = crawlId
    this.#epoch = epoch
    this.#position = position
  }

  /** An index of another analyzer is filled anew. @throws SpindleError `LOCK_HELD`, `INDEX_CORRUPT`, `CONFIG_INVALID` */
  static async open(path: string, options: LocalIndexOptions): Promise<LocalIndexSink> {
    const { writer, analyzer } = await openPageIndex(path, options, {
      combinedFields: pageCombinedFields(options.weights),
      memoryBudget: options.memoryBudget ?? DEFAULT_MEMORY,
    })
    try {
      const dictionary =
        options.dictionaries === undefined || !(analyzer instanceof ChineseAnalyzer)
          ? undefined
          : await IndexDictionary.open(writer, analyzer, options.dictionaries, DERIVED_FIELDS)
      const position = positionOf(writer.userData, options)
      const sink = new LocalIndexSink(writer, dictionary, options, position ?? START)
      if (position === undefined && writer.userData.crawlId !== undefined) await sink.startOver()
      return sink
    } catch (error) {
      await writer.rollback()
      throw error
    }
  }

  /** From now on the index is filled anew; what is in it answers until the first commit. */
  async startOver(): Promise<void> {
    await this.#dictionary?.startOver()
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
    await this.#unchangingDictionary()
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

  /**
   * From now on pages are made with the words of this dictionary; those that have a changed one are to be made again.
   * @returns whether it says something else than the one before
   */
  async useDictionary(dictionary: UserDictionary): Promise<boolean> {
    const changing = this.#dictionary?.use(dictionary)
    this.#changingDictionary = Promise.resolve(changing).catch(() => {})
    return (await changing) ?? false
  }

  /** Makes some documents again that another dictionary has changed. @returns whether there may be more */
  async reanalyzeSome(): Promise<boolean> {
    return (await this.#dictionary?.step()) ?? false
  }

  /** Whether documents may be left to be made again. */
  get isReanalyzing(): boolean {
    return this.#dictionary?.isBehind ?? false
  }

  /** Documents that were made again for another dictionary. */
  get reanalyzed(): number {
    return this.#dictionary?.done ?? 0
  }

  /** @param linkState see {@link linkState}; as it is where no page came since */
  async commit(position: SinkPosition, linkState?: string): Promise<void> {
    await this.#unchangingDictionary()
    const links = linkState ?? (position.sequence === this.#position.sequence ? this.linkState : undefined)
    await this.#writer.commit({
      userData: {
        crawlId: this.#crawlId,
        crawlSequence: String(position.sequence),
        crawlOffset: String(position.offset),
        crawlEpoch: String(this.#epoch),
        ...(links === undefined ? {} : { links }),
        ...this.#dictionary?.commitData,
      },
    })
    this.#position = position
    await this.#dictionary?.committed()
  }

  async close(): Promise<void> {
    await this.#writer.rollback()
  }

  async #unchangingDictionary(): Promise<void> {
    let changing: Promise<unknown>
    do {
      changing = this.#changingDictionary
      await changing
    } while (changing !== this.#changingDictionary)
  }
}

/** Up to where an index follows the page store; undefined where it has to be filled anew. */
function positionOf(
  { crawlId, crawlSequence, crawlOffset, crawlEpoch = '0' }: Readonly<Record<string, string>>,
  options: LocalIndexOptions,
): SinkPosition | undefined {
  const { pages = Number.MAX_SAFE_INTEGER, rewrittenUpTo = 0, epoch = 0 } = options
  if (crawlId !== options.crawlId || Number(crawlEpoch) !== epoch) return undefined
  const position = { sequence: Number(crawlSequence), offset: Number(crawlOffset) }
  const { sequence, offset } = position
  return sequence <= pages && sequence >= rewrittenUpTo && Number.isSafeInteger(offset) ? position : undefined
}
