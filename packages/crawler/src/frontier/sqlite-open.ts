/** Opens the frontier's database file, brings one of the last schema up to this one, and says errors of the library in ours. */
import { SpindleError } from '@spindle/core'
import { queryShapeKey } from './query-shape.js'
import { openSqlite, type SqliteDatabase, sqliteErrorCode } from './sqlite.js'
import { ALIAS_TABLE, SCHEMA, SCHEMA_VERSION, SHAPE_TABLE, VANISHED_INDEX, WAITING_INDEX } from './sqlite-schema.js'

/** Steps from a version to the next; each is one transaction. */
const MIGRATIONS: ReadonlyMap<number, string | ((db: SqliteDatabase) => void)> = new Map<
  number,
  string | ((db: SqliteDatabase) => void)
>([
  [
    2,
    `ALTER TABLE url ADD COLUMN priority REAL NOT NULL DEFAULT 0;
     ALTER TABLE url ADD COLUMN misses INTEGER NOT NULL DEFAULT 0;
     UPDATE url SET priority = depth;
     DROP INDEX waiting;
     ${WAITING_INDEX};
     ALTER TABLE host ADD COLUMN delay INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE host ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
     INSERT INTO counter (name, value) SELECT 'pages', count(*) FROM url WHERE page IS NOT NULL`,
  ],
  // Pages stored before are found under other variants again once they have been fetched again.
  [3, 'ALTER TABLE url RENAME COLUMN directory TO variant; ALTER TABLE url ADD COLUMN modified INTEGER'],
  // Where addresses lead that ended before is known when they have been asked again.
  [4, ALIAS_TABLE],
  [5, keepCounts],
])

/** What was counted at each start is kept. */
function keepCounts(db: SqliteDatabase): void {
  db.exec(
    `ALTER TABLE url ADD COLUMN vouched INTEGER;
     ALTER TABLE url ADD COLUMN vanished INTEGER NOT NULL DEFAULT 0;
     ${VANISHED_INDEX};
     ALTER TABLE host ADD COLUMN urls INTEGER NOT NULL DEFAULT 0;
     UPDATE host SET urls = size.urls FROM (SELECT host, count(*) AS urls FROM url GROUP BY host) AS size WHERE size.host = host.id;
     ${SHAPE_TABLE}`,
  )
  const shapes = new Map<number, number>()
  const withQuery = db.prepare("SELECT key, url FROM url WHERE key > ? AND instr(url, '?') > 0 ORDER BY key LIMIT 1000")
  for (let rows = withQuery.all(-1); rows.length > 0; rows = withQuery.all(rows[rows.length - 1]![0]!)) {
    for (const [, url] of rows) {
      const key = queryShapeKey(String(url))!
      shapes.set(key, (shapes.get(key) ?? 0) + 1)
    }
  }
  const insert = db.prepare('INSERT INTO shape (key, urls) VALUES (?, ?)')
  for (const [key, urls] of shapes) insert.run(key, urls)
}

/**
 * Opens or creates the database. The caller holds the lock of the data folder.
 *
 * Durability: a transaction is one append to the write-ahead log, safe against the end of the process at once and against
 * loss of power from the next checkpoint on (`Workload.sync`; before each commit of the index). SQLite syncs the log before
 * it changes the file (synchronous = NORMAL), so power lost at any moment leaves the state after some transaction.
 * @throws SpindleError `FRONTIER_CORRUPT`, `DATA_DIR_UNUSABLE`, `DISK_FULL`
 */
export function openFrontier(path: string): SqliteDatabase {
  return open(path, (db) => {
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 20000; PRAGMA cache_size = -8192',
    )
    let version = versionOf(db)
    if (version === 0) {
      db.exec(`BEGIN IMMEDIATE; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
      return
    }
    for (let step = MIGRATIONS.get(version); step !== undefined; step = MIGRATIONS.get(version)) {
      migrate(db, step, version + 1)
      version = versionOf(db)
    }
    checkVersion(version, path)
  })
}

/**
 * Opens an existing database to read, also while another process writes to it.
 * @throws SpindleError as {@link openFrontier}
 */
export function openFrontierToRead(path: string): SqliteDatabase {
  return open(path, (db) => {
    db.exec('PRAGMA query_only = 1')
    try {
      checkVersion(versionOf(db), path)
    } catch (error) {
      if (sqliteErrorCode(error)?.startsWith('SQLITE_READONLY') !== true) throw error
      // Readers take part in the bookkeeping of the write-ahead log.
      throw new SpindleError(
        'DATA_DIR_UNUSABLE',
        `The crawl frontier ${path} can be looked at only by a user who may write to its folder: give the command as the user who crawls.`,
        { cause: error },
      )
    }
  })
}

/** An error of the library as one that says what to do; others as they are. */
export function translateSqliteError(error: unknown, path: string): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  const message = (error as Error).message
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_ERROR') {
    return new SpindleError(
      'FRONTIER_CORRUPT',
      `The crawl frontier ${path} cannot be read (${message}): restore it, or start over with --fresh.`,
      { cause: error },
    )
  }
  return new SpindleError(
    code === 'SQLITE_FULL' ? 'DISK_FULL' : 'DATA_DIR_UNUSABLE',
    `The crawl frontier ${path} cannot be written (${message}): make room or correct its rights, then start again.`,
    { cause: error },
  )
}

function open(path: string, prepare: (db: SqliteDatabase) => void): SqliteDatabase {
  let db: SqliteDatabase
  try {
    db = openSqlite(path)
  } catch (cause) {
    throw new SpindleError(
      'DATA_DIR_UNUSABLE',
      `Cannot open the crawl frontier ${path} (${(cause as Error).message}): check the folder and its rights.`,
      { cause },
    )
  }
  try {
    prepare(db)
    return db
  } catch (error) {
    db.close()
    throw translateSqliteError(error, path)
  }
}

function migrate(db: SqliteDatabase, step: string | ((db: SqliteDatabase) => void), version: number): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    if (typeof step === 'string') db.exec(step)
    else step(db)
    db.exec(`PRAGMA user_version = ${version}; COMMIT`)
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function versionOf(db: SqliteDatabase): number {
  return Number(db.prepare('PRAGMA user_version').first()?.[0])
}

function checkVersion(version: number, path: string): void {
  if (version === SCHEMA_VERSION) return
  throw new SpindleError(
    'FRONTIER_CORRUPT',
    `The crawl frontier ${path} has version ${version}, and this program reads version ${SCHEMA_VERSION}: use the program that wrote it, or start over with --fresh.`,
  )
}
