/**
 * One commit of the index, open for searching, and how many searches are using it. A newer commit takes its place at
 * once; its files are closed when the last search on it has ended.
 */
import { IndexReader, IndexSearcher, tokenize } from '@spindle/index'

/** Text of both scripts. */
const WARM_UP = '搜索引擎 search engine'

/** A searcher with a count of its users. */
export class IndexSnapshot {
  readonly reader: IndexReader
  readonly searcher: IndexSearcher
  #users = 1

  constructor(reader: IndexReader) {
    this.reader = reader
    this.searcher = new IndexSearcher(reader)
  }

  /** Opens the newest commit of an index folder. */
  static async open(path: string): Promise<IndexSnapshot> {
    const snapshot = new IndexSnapshot(await IndexReader.open(path))
    // dictionaries are loaded at their first use: better now than while the first visitor waits
    tokenize(snapshot.reader.analyzers.default, WARM_UP, 0, 'query')
    return snapshot
  }

  /** The newest commit, sharing unchanged segments; this one where there is none newer. */
  async refresh(): Promise<IndexSnapshot> {
    const reader = await this.reader.refresh()
    return reader === this.reader ? this : new IndexSnapshot(reader)
  }

  acquire(): void {
    this.#users++
  }

  /** Every `acquire`, and the opening itself, needs one `release`. */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.reader.close()
  }
}
