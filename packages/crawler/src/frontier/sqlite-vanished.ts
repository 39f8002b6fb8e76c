/** The pages of a SQLite frontier that are gone and still kept; see {@link FinishedUrl.isVanished}. */
import type { SqliteReader } from './sqlite-reader.js'
import type { WritingStatements } from './sqlite-schema.js'
import type { Vanished, VanishedPage } from './workload.js'

/** See the head of this file. */
export class SqliteVanished {
  readonly #sql: WritingStatements
  readonly #reader: SqliteReader

  constructor(sql: WritingStatements, reader: SqliteReader) {
    this.#sql = sql
    this.#reader = reader
  }

  /** O(vanished), and O(addresses) for each host that has any. */
  byHost(): Vanished[] {
    return this.#sql.vanished.all().map(([id, host, vanished]) => ({
      host: String(host),
      vanished: Number(vanished),
      pages: Number(this.#sql.pagesOf.first(Number(id))?.[0]),
    }))
  }

  of(host: string, limit: number): VanishedPage[] {
    return this.#sql.vanishedOf
      .all(host, limit)
      .map(([url, disposition]) => ({ url: String(url), disposition: String(disposition) }))
  }

  /** @returns how many pages there are less */
  drop(urls: readonly string[]): number {
    let dropped = 0
    for (const url of urls) dropped += this.#sql.dropPage.run(this.#reader.locate(url).key)
    return dropped
  }
}
