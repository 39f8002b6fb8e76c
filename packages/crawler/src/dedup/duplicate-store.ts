/**
 * What is known of every indexed page to find its duplicates by, in a database beside the page store: 300 bytes a page on disk, 400
 * where there are several hosts; the database's cache in memory. One transaction a commit of the index.
 */
import { rmSync } from 'node:fs'
import { openSqlite, type SqliteDatabase, type SqlValue, sqliteErrorCode } from '../frontier/sqlite.js'
import { type Alias, hostOf } from '../frontier/workload.js'
import { bandsOf, type Simhash } from './simhash.js'

/** A page as the store has it. */
export interface PageRow {
  readonly id: number
  readonly url: string
  readonly key: string
  /** Equal for variants of an address (`variantOf`) that brought the same bytes. */
  readonly variant: number
  readonly simhash: Simhash | undefined
  /** Where its record lies in the page store. */
  readonly offset: number
  /** How much its address is wanted; the less the more. */
  readonly rank: number
  /** Another address of its host that it names as its canonical one. */
  readonly canonical: string | undefined
  /** What its views have in common; 0 where it is not compared. */
  readonly view: number
  /** What its copies on other sites have in common; 0 where it is not compared. */
  readonly tail: number
  /** The address that stands for it; undefined where it stands for itself. */
  readonly lead: string | undefined
  /** The addresses that it stands for besides its own, one a line. */
  readonly alsoAt: string
}

/** What is told of a page; it stands for itself alone until {@link DuplicateStore.setGroup} says otherwise. */
export type NewPage = Omit<PageRow, 'id' | 'lead' | 'alsoAt'>

/** Names of the values kept with the pages. */
type MetaName = 'crawl' | 'sequence' | 'base' | 'host'

const MEMBERS_AT_ONCE = 1000
const VERSION = 3
const DAMAGED = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR'])
const SCHEMA = `
CREATE TABLE page (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, key TEXT NOT NULL, variant INTEGER NOT NULL, low INTEGER, high INTEGER, offset INTEGER NOT NULL, rank INTEGER NOT NULL,
  canonical TEXT, view INTEGER NOT NULL, tail INTEGER NOT NULL, lead TEXT, also TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX page_url ON page (url);
CREATE INDEX page_key ON page (key);
CREATE INDEX page_canonical ON page (canonical) WHERE canonical IS NOT NULL;
CREATE INDEX page_view ON page (view) WHERE view <> 0;
CREATE TABLE band (band INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (band, page)) WITHOUT ROWID;
CREATE TABLE relation (a TEXT NOT NULL, b TEXT NOT NULL, relation INTEGER NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE dirty (url TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = ${VERSION}`
/** Pages that are given their bands at once. */
const FILLED = 1000
const COLUMNS = 'id, url, key, variant, low, high, offset, rank, canonical, view, tail, lead, also'

/** See the head of this file. */
export class DuplicateStore {
  readonly #db: SqliteDatabase
  readonly #statements: ReturnType<typeof prepare>
  #isOpen = false
  /** The one host that all pages are of, '' where there are several; undefined before the first. */
  #host: string | undefined

  private constructor(db: SqliteDatabase) {
    this.#db = db
    this.#statements = prepare(db)
    this.#host = this.meta('host')
  }

  /** Opens or creates the file; one of another version, or damaged, is made anew. The caller holds the lock of the data folder. */
  static open(path: string): DuplicateStore {
    try {
      return DuplicateStore.#open(path)
    } catch (error) {
      if (!DAMAGED.has(sqliteErrorCode(error) ?? '')) throw error
      for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
      return DuplicateStore.#open(path)
    }
  }

  static #open(path: string): DuplicateStore {
    const db = openSqlite(path)
    try {
      // It must never be behind the index: each transaction is durable when it ends.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192')
      if (Number(db.prepare('PRAGMA user_version').first()?.[0]) !== VERSION) {
        for (const table of ['page', 'band', 'relation', 'dirty', 'meta']) db.exec(`DROP TABLE IF EXISTS ${table}`)
        db.exec(`BEGIN IMMEDIATE; ${SCHEMA}; COMMIT`)
      }
      return new DuplicateStore(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#begin()
    for (const table of ['page', 'band', 'relation', 'dirty', 'meta']) this.#db.exec(`DELETE FROM ${table}`)
    this.#host = undefined
  }

  meta(name: MetaName): string | undefined {
    const row = this.#statements.getMeta.first(name)
    return row === undefined ? undefined : String(row[0])
  }

  setMeta(name: MetaName, value: string): void {
    this.#begin()
    this.#statements.setMeta.run(name, value)
  }

  find(url: string): PageRow | undefined {
    const row = this.#statements.byUrl.first(url)
    return row === undefined ? undefined : toPage(row)
  }

  /** Pages that are the same. */
  withKey(key: string): PageRow[] {
    return this.#statements.byKey.all(key).map(toPage)
  }

  /** The address of another page that is the same, if there is one. */
  sameAs({ key, url }: NewPage): string | undefined {
    const row = this.#statements.otherOfKey.first(key, url)
    return row === undefined ? undefined : String(row[0])
  }

  /** True where there is another view of a page. */
  hasOtherView({ view, url }: NewPage): boolean {
    return view !== 0 && this.#statements.otherOfView.first(view, url) !== undefined
  }

  /** Pages that name an address as their canonical one. */
  naming(canonical: string): PageRow[] {
    return this.#statements.byCanonical.all(canonical).map(toPage)
  }

  withView(view: number): PageRow[] {
    return view === 0 ? [] : this.#statements.byView.all(view).map(toPage)
  }

  /** Pages whose address ends alike and whose fingerprint has a piece in common with that of a page; itself among them. */
  copies(page: NewPage): PageRow[] {
    // Only pages of other sites can be copies.
    if (this.#host !== '') return []
    const found = new Map<number, PageRow>()
    for (const band of bandKeys(page)) {
      for (const row of this.#statements.byBand.all(band)) found.set(Number(row[0]), toPage(row))
    }
    return [...found.values()]
  }

  /** @param isNew true where the address is not in it */
  save(page: NewPage, isNew: boolean): void {
    this.#begin()
    const { save } = this.#statements
    if (!isNew) this.remove(page.url)
    const { url, key, variant, simhash, offset, rank, canonical = null, view, tail } = page
    save.run(url, key, variant, simhash?.low ?? null, simhash?.high ?? null, offset, rank, canonical, view, tail)
    if (simhash === undefined || tail === 0) return
    const host = hostOf(url)
    if (this.#host === undefined) {
      this.#host = host
      this.setMeta('host', host)
    } else if (this.#host === '') this.#addBands(this.find(url)!)
    else if (this.#host !== host) this.#fillBands()
  }

  /** From now on there are pages of several hosts. */
  #fillBands(): void {
    this.#host = ''
    this.setMeta('host', '')
    for (let last = 0; ; ) {
      const pages = this.#statements.after.all(last, FILLED).map(toPage)
      for (const page of pages) this.#addBands(page)
      if (pages.length < FILLED) return
      last = pages.at(-1)!.id
    }
  }

  #addBands(page: PageRow): void {
    for (const band of bandKeys(page)) this.#statements.addBand.run(band, page.id)
  }

  /** Only the place of the record is another one. */
  move(url: string, offset: number): void {
    this.#begin()
    this.#statements.move.run(offset, url)
  }

  remove(url: string): void {
    this.#begin()
    const page = this.find(url)
    if (page === undefined) return
    if (this.#host === '') for (const band of bandKeys(page)) this.#statements.dropBand.run(band, page.id)
    this.#statements.remove.run(page.id)
  }

  /** Pages that another one stands for, and which. */
  *members(): Generator<Alias, void, void> {
    for (let last = ''; ; ) {
      const rows = this.#statements.members.all(last, MEMBERS_AT_ONCE)
      if (rows.length === 0) return
      for (const [url, lead] of rows) yield { url: String(url), target: String(lead) }
      last = String(rows[rows.length - 1]![0])
    }
  }

  setGroup(url: string, lead: string | undefined, alsoAt: string): void {
    this.#begin()
    this.#statements.setGroup.run(lead ?? null, alsoAt, url)
  }

  /** What is known of two keys, in any order. */
  relation(a: string, b: string): number | undefined {
    const row = a < b ? this.#statements.getRelation.first(a, b) : this.#statements.getRelation.first(b, a)
    return row === undefined ? undefined : Number(row[0])
  }

  setRelation(a: string, b: string, relation: number): void {
    this.#begin()
    this.#statements.setRelation.run(a < b ? a : b, a < b ? b : a, relation)
  }

  /** Addresses whose documents may not be as the pages say. */
  get dirty(): string[] {
    return this.#statements.allDirty.all().map(([url]) => String(url))
  }

  setDirty(urls: Iterable<string>): void {
    this.#begin()
    this.#db.exec('DELETE FROM dirty')
    for (const url of urls) this.#statements.addDirty.run(url)
  }

  /** Makes everything since the last commit durable. */
  commit(): void {
    if (this.#isOpen) this.#db.exec('COMMIT')
    this.#isOpen = false
  }

  /** Gives up what was not committed. */
  close(): void {
    if (this.#isOpen) this.#db.exec('ROLLBACK')
    this.#db.close()
  }

  #begin(): void {
    if (!this.#isOpen) this.#db.exec('BEGIN IMMEDIATE')
    this.#isOpen = true
  }
}

/** Under which a page is found by those that may be its copies. */
function bandKeys({ simhash, tail }: NewPage): number[] {
  if (simhash === undefined || tail === 0) return []
  return bandsOf(simhash).map((piece, i) => tail + i * 256 + piece)
}

function toPage(row: readonly SqlValue[]): PageRow {
  const [id, url, key, variant, low, high, offset, rank, canonical, view, tail, lead, alsoAt] = row
  return {
    id: Number(id),
    url: String(url),
    key: String(key),
    variant: Number(variant),
    simhash: low == null || high == null ? undefined : { low: Number(low), high: Number(high) },
    offset: Number(offset),
    rank: Number(rank),
    canonical: canonical == null ? undefined : String(canonical),
    view: Number(view),
    tail: Number(tail),
    lead: lead == null ? undefined : String(lead),
    alsoAt: String(alsoAt),
  }
}

function prepare(db: SqliteDatabase) {
  const pages = `SELECT ${COLUMNS} FROM page`
  return {
    getMeta: db.prepare('SELECT value FROM meta WHERE name = ?'),
    setMeta: db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)'),
    byUrl: db.prepare(`${pages} WHERE url = ?`),
    byKey: db.prepare(`${pages} WHERE key = ?`),
    otherOfKey: db.prepare('SELECT url FROM page WHERE key = ? AND url <> ? LIMIT 1'),
    otherOfView: db.prepare('SELECT 1 FROM page WHERE view = ? AND view <> 0 AND url <> ? LIMIT 1'),
    byCanonical: db.prepare(`${pages} WHERE canonical = ?`),
    // Said twice, for the index leaves out the others.
    byView: db.prepare(`${pages} WHERE view = ? AND view <> 0`),
    byBand: db.prepare(`${pages} WHERE id IN (SELECT page FROM band WHERE band = ?)`),
    after: db.prepare(`${pages} WHERE id > ? ORDER BY id LIMIT ?`),
    save: db.prepare(
      'INSERT INTO page (url, key, variant, low, high, offset, rank, canonical, view, tail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    addBand: db.prepare('INSERT OR IGNORE INTO band (band, page) VALUES (?, ?)'),
    dropBand: db.prepare('DELETE FROM band WHERE band = ? AND page = ?'),
    move: db.prepare('UPDATE page SET offset = ? WHERE url = ?'),
    remove: db.prepare('DELETE FROM page WHERE id = ?'),
    members: db.prepare('SELECT url, lead FROM page WHERE url > ? AND lead IS NOT NULL ORDER BY url LIMIT ?'),
    setGroup: db.prepare('UPDATE page SET lead = ?, also = ? WHERE url = ?'),
    getRelation: db.prepare('SELECT relation FROM relation WHERE a = ? AND b = ?'),
    setRelation: db.prepare('INSERT OR REPLACE INTO relation (a, b, relation) VALUES (?, ?, ?)'),
    allDirty: db.prepare('SELECT url FROM dirty'),
    addDirty: db.prepare('INSERT OR IGNORE INTO dirty (url) VALUES (?)'),
  }
}
