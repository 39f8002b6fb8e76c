/**
 * Puts each page into the index once, however many addresses it has: what is known to be alone goes in as it comes, of the others
 * the groups decide just before each commit which one is found and which addresses it lists.
 *
 * The groups are made durable before the index, with the number of the same page: after a crash the index lags by one step, and
 * what was settled in it is settled again.
 */
import { join } from 'node:path'
import type { PageFieldName } from '@spindle/core'
import type { IndexReader, UserDictionary } from '@spindle/index'
import { DuplicateGroups } from '../dedup/duplicate-groups.js'
import type { Alias } from '../frontier/workload.js'
import type { PageStore } from '../pages/page-store.js'
import type { StoredPage } from '../pages/stored-page.js'
import type { OwnText } from '../site-frame/page-frame.js'
import { type LocalIndexOptions, LocalIndexSink } from './local-index-sink.js'
import type { PageSink, SinkPosition } from './page-sink.js'

/** Where a {@link DeduplicatedSink} keeps what. */
export interface DeduplicatedSinkOptions extends LocalIndexOptions {
  /** Folder of the index. */
  readonly index: string
  /** Folder of the page store, where the groups are kept. */
  readonly folder: string
  /** The page store that is followed. */
  readonly store: Pick<PageStore, 'read'>
}

const FILE = 'duplicates.db'

/** See the head of this file. */
export class DeduplicatedSink implements PageSink {
  readonly #index: LocalIndexSink
  readonly #groups: DuplicateGroups
  readonly #store: Pick<PageStore, 'read'>

  private constructor(index: LocalIndexSink, groups: DuplicateGroups, store: Pick<PageStore, 'read'>) {
    this.#index = index
    this.#groups = groups
    this.#store = store
  }

  /**
   * Opens the index and the groups that belong to it; an index without its groups is filled anew.
   * @throws as {@link LocalIndexSink.open}
   */
  static async open({ index: path, folder, store, ...options }: DeduplicatedSinkOptions): Promise<DeduplicatedSink> {
    const index = await LocalIndexSink.open(path, options)
    const openGroups = () =>
      DuplicateGroups.open({
        path: join(folder, FILE),
        crawlId: options.crawlId,
        sequence: index.position.sequence,
        read: (offset) => store.read(offset),
      })
    try {
      let groups = openGroups()
      if (groups === undefined) {
        await index.startOver()
        groups = openGroups()!
      }
      return new DeduplicatedSink(index, groups, store)
    } catch (error) {
      await index.close()
      throw error
    }
  }

  /** From now on the index is filled anew; what is in it answers until the first commit. */
  async startOver(): Promise<void> {
    await this.#index.startOver()
    this.#groups.startOver()
  }

  get position(): SinkPosition {
    return this.#index.position
  }

  get documents(): number {
    return this.#index.documents
  }

  async put(page: StoredPage): Promise<void> {
    if (!page.parsed.robots.index) return this.remove(page.url)
    if (this.#groups.note(page)) await this.#index.put(page)
  }

  async remove(url: string): Promise<void> {
    this.#groups.forget(url)
    await this.#index.remove(url)
  }

  async commit(position: SinkPosition): Promise<void> {
    for await (const change of this.#groups.settle()) {
      if (change.kind === 'remove') await this.#index.remove(change.url)
      else await this.#index.put(await this.#store.read(change.offset), { alsoAt: change.alsoAt })
    }
    this.#groups.commit(position.sequence)
    await this.#index.commit(position)
  }

  /** Pages that are found under another address, with that. */
  members(): Iterable<Alias> {
    return this.#groups.members()
  }

  /** See `LinkSink.renew`. */
  async renew(page: StoredPage, anchor: string | undefined, own: OwnText | undefined): Promise<void> {
    await this.#index.put(page, { alsoAt: this.#groups.alsoAt(page.url), anchor, own })
  }

  /** See {@link LocalIndexSink.setNumber}. */
  setNumber(url: string, field: PageFieldName, value: number | null): Promise<void> {
    return this.#index.setNumber(url, field, value)
  }

  /** See {@link LocalIndexSink.useDictionary}. */
  useDictionary(dictionary: UserDictionary): Promise<boolean> {
    return this.#index.useDictionary(dictionary)
  }

  /** See {@link LocalIndexSink.reanalyzeSome}. */
  reanalyzeSome(): Promise<boolean> {
    return this.#index.reanalyzeSome()
  }

  /** See {@link LocalIndexSink.isReanalyzing}. */
  get isReanalyzing(): boolean {
    return this.#index.isReanalyzing
  }

  /** See {@link LocalIndexSink.reanalyzed}. */
  get reanalyzed(): number {
    return this.#index.reanalyzed
  }

  /** See {@link LocalIndexSink.openReader}. */
  openReader(): Promise<IndexReader> {
    return this.#index.openReader()
  }

  /** See {@link LocalIndexSink.linkState}. */
  get linkState(): string | undefined {
    return this.#index.linkState
  }

  /** Commits what was made of the links between the pages, which are those of the last commit. */
  async commitLinks(linkState: string): Promise<void> {
    await this.#index.commit(this.position, linkState)
  }

  async close(): Promise<void> {
    try {
      this.#groups.close()
    } finally {
      await this.#index.close()
    }
  }
}
