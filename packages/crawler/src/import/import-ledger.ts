/**
 * What was taken in from which local file, in a database beside the frontier: so that what has not changed is not read again, and
 * what is gone is removed. It is written after the page store and the frontier: lost entries only cost reading a file again.
 */

import { openSqlite, type SqliteDatabase, type SqlValue } from '../frontier/sqlite.js'

/** What is known of an address, or of a file of records. */
export interface LedgerEntry {
  readonly url: string
  /** `file:` address of the file that it comes from; for a file its own */
  readonly source: string
  /** changes with what is in it, and with how it is read */
  readonly version: string
  /** byte offset of its page in the page store; undefined where it has none */
  readonly page?: number | undefined
  /** why it has none */
  readonly fault?: string | undefined
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS import (
  url TEXT PRIMARY KEY, source TEXT NOT NULL, version TEXT NOT NULL, page INTEGER, fault TEXT, run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS import_source ON import (source)`
/** Behind every address. */
const LAST = '\u{10ffff}'

/** See the head of this file. */
export class ImportLedger {
  readonly #db: SqliteDatabase
  readonly #statements: ReturnType<typeof prepare>
  #run: number

  private constructor(db: SqliteDatabase) {
    this.#db = db
    this.#statements = prepare(db)
    this.#run = Number(this.#statements.lastRun.first()?.[0] ?? 0)
  }

  /** Opens or creates the database file. The caller holds the lock of the data folder. */
  static open(path: string): ImportLedger {
    const db = openSqlite(path)
    try {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`)
      return new ImportLedger(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** From now on, what is not saved or seen again is stale. */
  beginRun(): void {
    this.#run++
  }

  find(url: string): LedgerEntry | undefined {
    const row = this.#statements.find.first(url)
    return row === undefined ? undefined : toEntry(row)
  }

  /** Writes what is new, seen as it was, and gone, in one transaction. */
  write(saved: readonly LedgerEntry[], seen: readonly string[], gone: readonly string[]): void {
    const { save, see, remove } = this.#statements
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (const { url, source, version, page, fault } of saved) {
        save.run(url, source, version, page ?? null, fault ?? null, this.#run)
      }
      for (const url of seen) see.run(this.#run, url)
      for (const url of gone) remove.run(url)
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  /** Entries that have a page. */
  pageCount(): number {
    return Number(this.#statements.pageCount.first()?.[0] ?? 0)
  }

  /** Everything that comes from a file is as it was. */
  seeAllOf(source: string): void {
    this.#statements.seeSource.run(this.#run, source)
  }

  /** Whether anything is known of a file or, for an address with an ending slash, of what is in a folder. */
  has(root: string): boolean {
    return this.#statements.below.first(root, end(root)) !== undefined
  }

  /** Up to `limit` entries of a file or folder that were neither saved nor seen in this run. */
  stale(root: string, limit: number): LedgerEntry[] {
    return this.#statements.stale.all(root, end(root), this.#run, limit).map(toEntry)
  }

  close(): void {
    this.#db.close()
  }
}

function toEntry([url, source, version, page, fault]: readonly SqlValue[]): LedgerEntry {
  return {
    url: String(url),
    source: String(source),
    version: String(version),
    page: page === null ? undefined : Number(page),
    fault: fault === null ? undefined : String(fault),
  }
}

function end(root: string): string {
  return root.endsWith('/') ? root + LAST : root
}

function prepare(db: SqliteDatabase) {
  return {
    lastRun: db.prepare('SELECT max(run) FROM import'),
    pageCount: db.prepare('SELECT count(*) FROM import WHERE page IS NOT NULL'),
    find: db.prepare('SELECT url, source, version, page, fault FROM import WHERE url = ?'),
    save: db.prepare(
      'INSERT OR REPLACE INTO import (url, source, version, page, fault, run) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    see: db.prepare('UPDATE import SET run = ? WHERE url = ?'),
    seeSource: db.prepare('UPDATE import SET run = ? WHERE source = ?'),
    remove: db.prepare('DELETE FROM import WHERE url = ?'),
    below: db.prepare('SELECT 1 FROM import WHERE source >= ? AND source <= ? LIMIT 1'),
    stale: db.prepare(
      'SELECT url, source, version, page, fault FROM import WHERE source >= ? AND source <= ? AND run < ? LIMIT ?',
    ),
  }
}
