/** The pages of a data folder as they are now, to read, also while a crawl writes to it. */
import { join } from 'node:path'
import { DataDir, SpindleError } from '@spindle/core'
import { PAGES_SEQUENCE } from '../frontier/batch.js'
import { SqliteView } from '../frontier/sqlite-view.js'
import { NewestRecords } from './newest-records.js'
import { PageReader } from './page-reader.js'
import { PageStore } from './page-store.js'

/** The data folder, if there are pages in it. @throws SpindleError `DATA_DIR_UNUSABLE` */
export async function checkPages(data: string): Promise<DataDir> {
  const folder = await new DataDir(data).check()
  if (await PageStore.hasPages(folder.pages)) return folder
  throw new SpindleError(
    'DATA_DIR_UNUSABLE',
    `There are no pages in ${folder.root}: crawl or index something first, or name another folder with --data.`,
  )
}

/** See the head of this file. */
export class LivePages {
  readonly #reader: PageReader
  readonly #sequence: number
  #newest: NewestRecords | undefined

  private constructor(reader: PageReader, sequence: number) {
    this.#reader = reader
    this.#sequence = sequence
  }

  /** @throws SpindleError `DATA_DIR_UNUSABLE` where there are no pages; `PAGE_STORE_CORRUPT` */
  static async open(data: string): Promise<LivePages> {
    const { pages, frontier } = await checkPages(data)
    const view = await SqliteView.open(join(frontier, 'frontier.db'))
    const sequence = Number(view.meta(PAGES_SEQUENCE) ?? 0)
    await view.close()
    return new LivePages(await PageReader.open(pages), sequence)
  }

  /** How many there are. Goes through the whole store the first time. */
  async count(): Promise<number> {
    return (await this.#look()).live
  }

  /** Where the record of each page lies, in the order of fetching. */
  async *offsets(): AsyncGenerator<number, void, void> {
    const newest = await this.#look()
    for await (const { url, sequence, offset } of this.#reader.scanSummaries()) {
      if (sequence > this.#sequence) return
      if (newest.isLive(url, sequence)) yield offset
    }
  }

  /** What reads a record. */
  get reader(): Pick<PageReader, 'read' | 'readBody'> {
    return this.#reader
  }

  close(): Promise<void> {
    return this.#reader.close()
  }

  async #look(): Promise<NewestRecords> {
    if (this.#newest !== undefined) return this.#newest
    const newest = new NewestRecords()
    for await (const { url, sequence, isRemoval } of this.#reader.scanSummaries()) {
      if (sequence > this.#sequence) break
      newest.note(url, sequence, isRemoval)
    }
    this.#newest = newest
    return newest
  }
}
