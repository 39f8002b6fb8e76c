import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { workloadConformance } from '../test-support/workload-conformance.js'
import type { WorkloadHarness } from '../test-support/workload-harness.js'
import { MemoryWorkload } from './memory-workload.js'
import { openSqlite, sqliteErrorCode } from './sqlite.js'
import { SqliteWorkload, type SqliteWorkloadOptions } from './sqlite-workload.js'
import { nextKey, urlKey } from './url-key.js'
import type { KnownCounts, Workload } from './workload.js'

const folder = t.testdir()

function sqlite(name: string, options: SqliteWorkloadOptions = {}): WorkloadHarness {
  const paths = new WeakMap<Workload, string>()
  const open = async (path: string) => {
    const workload = await SqliteWorkload.open(path, options)
    paths.set(workload, path)
    return workload
  }
  return {
    name,
    create: () => open(join(mkdtempSync(join(folder, 'db-')), 'frontier.db')),
    async reopen(workload) {
      await workload.close()
      return open(paths.get(workload)!)
    },
    // The connection stays as it is: what it has not written is lost to the second one.
    kill: (workload) => open(paths.get(workload)!),
  }
}

await workloadConformance(t, { name: 'memory', create: async () => new MemoryWorkload() })
await workloadConformance(t, sqlite('sqlite'))
// Every address has one of three keys, so nearly all of them collide; the chain wraps at the end of the key space.
await workloadConformance(t, sqlite('sqlite with colliding keys', { keyOf: (url) => 2 ** 53 - 1 - (url.length % 3) }))

t.test('keys are exact integers, salted, and differ', async (t) => {
  const keys = new Set<number>()
  for (let i = 0; i < 100_000; i++) keys.add(urlKey(`http://example.org/page-${i}.html`, 12345))
  t.equal(keys.size, 100_000)
  for (const key of keys) if (!Number.isSafeInteger(key) || key < 0) t.fail(`${key} is no key`)
  t.not(urlKey('http://example.org/', 1), urlKey('http://example.org/', 2))
  t.equal(nextKey(2 ** 53 - 1), 0)
})

t.test('a crash loses at most what was not finished', async (t) => {
  const path = join(t.testdir(), 'frontier.db')
  const w = await SqliteWorkload.open(path)
  await w.add([{ url: 'http://a.example/', depth: 0, redirects: 0 }])
  await w.claim()
  // No close: a second connection sees what a new process would see.
  const again = await SqliteWorkload.open(path)
  t.same(again.counts(), { waiting: 1, running: 0, error: 0, complete: 0 })
  await again.close()
  await w.close()
})

t.test('a failed transaction leaves memory and disk alike', async (t) => {
  const path = join(t.testdir(), 'frontier.db')
  const w = await SqliteWorkload.open(path)
  await w.add([{ url: 'http://a.example/1', depth: 0, redirects: 0 }])
  await w.claim()
  const block = openSqlite(path)
  block.exec('BEGIN IMMEDIATE')
  const finished = {
    url: 'http://a.example/1',
    queue: 'complete' as const,
    disposition: 'fetched',
    status: 200,
    finishedAt: 1,
    links: [{ url: 'http://b.example/', depth: 1, redirects: 0 }],
    skipped: [],
  }
  await t.rejects(w.finish([finished]), { code: 'DATA_DIR_UNUSABLE' })
  t.same(w.counts(), { waiting: 0, running: 1, error: 0, complete: 0 })
  block.exec('ROLLBACK')
  block.close()
  t.equal((await w.finish([finished])).added, 1)
  t.same(w.counts(), { waiting: 1, running: 0, error: 0, complete: 1 })
  await w.close()
})

t.test('a frontier of the last schema is brought up to this one', async (t) => {
  const dir = t.testdir()
  const path = join(dir, 'frontier.db')
  const old = openSqlite(path)
  // As version 2 wrote it.
  old.exec(`
    CREATE TABLE url (key INTEGER PRIMARY KEY, url TEXT NOT NULL, host INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,
      depth INTEGER NOT NULL, sequence INTEGER NOT NULL, redirects INTEGER NOT NULL, referrer INTEGER, disposition TEXT,
      status INTEGER NOT NULL DEFAULT 0, page INTEGER, finished INTEGER, content INTEGER, directory INTEGER);
    CREATE INDEX twins ON url (directory) WHERE directory IS NOT NULL;
    CREATE INDEX waiting ON url (host, depth, sequence) WHERE state = 0;
    CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL, pending INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE skipped (url TEXT PRIMARY KEY, reason TEXT NOT NULL, referrer INTEGER) WITHOUT ROWID;
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO host VALUES (1, 'a.example', 2);
    INSERT INTO counter VALUES ('pending', 2), ('complete', 3), ('complete/fetched', 3), ('sequence', 5);
    INSERT INTO meta VALUES ('salt', '7'), ('crawl.id', 'x');
    PRAGMA user_version = 2`)
  const insert = old.prepare(
    'INSERT INTO url (key, url, host, state, depth, sequence, redirects, disposition, status, page, finished) VALUES (?, ?, 1, ?, ?, ?, 0, ?, ?, ?, ?)',
  )
  const rows = [
    ['http://a.example/', 1, 0, 1, 'fetched', 200, 8, 5],
    ['http://a.example/far', 0, 2, 2, null, 0, null, null],
    ['http://a.example/near', 0, 1, 3, null, 0, null, null],
    ['http://a.example/q?a=1', 1, 1, 4, 'fetched', 200, null, 5],
    ['http://a.example/q?a=2', 1, 1, 5, 'fetched', 200, null, 5],
  ] as const
  for (const [url, ...more] of rows) insert.run(urlKey(url, 7), url, ...more)
  old.close()
  const w = await SqliteWorkload.open(path)
  t.same(w.counts(), { waiting: 2, running: 0, error: 0, complete: 3 })
  t.same([w.pageCount(), w.generation(), w.meta('crawl.id')], [1, 1, 'x'])
  t.match(await w.claim(), { url: 'http://a.example/near', depth: 1, priority: 1, previous: undefined })
  t.match(await w.get('http://a.example/'), { queue: 'complete', page: 8, misses: 0 })
  const asked: KnownCounts[] = []
  await w.useAdmission({ addHost() {}, admit: (_url, known) => void asked.push(known) })
  await w.add(['http://a.example/q?a=3', 'http://a.example/q?b=3'].map((url) => ({ url, depth: 0, redirects: 0 })))
  t.same(asked, [
    { host: 5, shape: 2 },
    { host: 6, shape: 0 },
  ])
  await w.close()
  const fresh = await SqliteWorkload.open(join(dir, 'fresh.db'))
  await fresh.close()
  const columns = (file: string, table: string) => {
    const db = openSqlite(file)
    const names = db
      .prepare(`SELECT name, type, "notnull", dflt_value FROM pragma_table_info('${table}') ORDER BY name`)
      .all()
    db.close()
    return names
  }
  for (const table of ['url', 'host', 'alias', 'shape'])
    t.same(columns(path, table), columns(join(dir, 'fresh.db'), table), table)
})

t.test('a damaged or foreign file is named', async (t) => {
  const dir = t.testdir()
  const path = join(dir, 'frontier.db')
  writeFileSync(path, 'garbage '.repeat(1000))
  await t.rejects(SqliteWorkload.open(path), { code: 'FRONTIER_CORRUPT', message: /frontier.db/ })
  const newer = join(dir, 'newer.db')
  const db = openSqlite(newer)
  db.exec('PRAGMA user_version = 99')
  db.close()
  await t.rejects(SqliteWorkload.open(newer), { code: 'FRONTIER_CORRUPT', message: /version 99/ })
  const error = await SqliteWorkload.open(join(dir, 'none', 'x.db')).catch((error) => error)
  t.ok(isSpindleError(error, 'DATA_DIR_UNUSABLE'))
})

t.test('errors of SQLite have their names, extended ones that of their kind', async (t) => {
  const named = (code: string) => sqliteErrorCode(Object.assign(new Error('x'), { code }))
  t.equal(named('SQLITE_FULL'), 'SQLITE_FULL')
  t.equal(named('UNKNOWN_SQLITE_ERROR_1544'), 'SQLITE_READONLY', 'a folder that may not be written')
  t.equal(named('UNKNOWN_SQLITE_ERROR_778'), 'SQLITE_IOERR')
  t.equal(named('UNKNOWN_SQLITE_ERROR_267'), 'SQLITE_CORRUPT')
  t.equal(named('UNKNOWN_SQLITE_ERROR_99999'), 'SQLITE_UNKNOWN')
  t.equal(named('ENOENT'), undefined)
  t.equal(sqliteErrorCode(new Error('x')), undefined)
})
