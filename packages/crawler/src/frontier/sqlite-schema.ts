/**
 * Tables and statements of {@link SqliteWorkload}.
 *
 *   url      one row an address; state 0 waiting (or running), 1 complete, 2 error; a row in state 0 keeps what came of it in an
 *            earlier generation; content is a hash of a stored page's body, variant one of what its address has in common with its
 *            variants, modified when a sitemap says that it was changed, vouched the last generation in which one said so, misses the
 *            generations in a row in which it was said to be gone, vanished 1 where it is gone and its page still kept
 *   host     hosts by number, with their rows, those in state 0, and what they asked for
 *   shape    by key of the shape of a query: its rows
 *   alias    by key of the address: where it leads
 *   skipped  addresses that are no work
 *   counter  sizes of the queues and of their reasons; "complete/fetched" and the like
 *   meta     named values; "running" the running rows, for readers only
 */
import type { SqliteDatabase } from './sqlite.js'

/** Kept in the database's user_version. */
export const SCHEMA_VERSION = 6

export const WAITING = 0
/** States of rows that have ended. */
export const STATE = { complete: 1, error: 2 } as const

export const WAITING_INDEX = 'CREATE INDEX waiting ON url (host, priority, sequence) WHERE state = 0'

export const ALIAS_TABLE = 'CREATE TABLE alias (key INTEGER PRIMARY KEY, target TEXT NOT NULL)'

export const SHAPE_TABLE = 'CREATE TABLE shape (key INTEGER PRIMARY KEY, urls INTEGER NOT NULL)'

export const VANISHED_INDEX = 'CREATE INDEX vanished ON url (host) WHERE vanished = 1'

export const SCHEMA = `
CREATE TABLE url (
  key INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  host INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  depth INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  redirects INTEGER NOT NULL,
  referrer INTEGER,
  disposition TEXT,
  status INTEGER NOT NULL DEFAULT 0,
  page INTEGER,
  finished INTEGER,
  content INTEGER,
  variant INTEGER,
  priority REAL NOT NULL DEFAULT 0,
  misses INTEGER NOT NULL DEFAULT 0,
  modified INTEGER,
  vouched INTEGER,
  vanished INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX twins ON url (variant) WHERE variant IS NOT NULL;
${WAITING_INDEX};
${VANISHED_INDEX};
CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  pending INTEGER NOT NULL DEFAULT 0,
  delay INTEGER NOT NULL DEFAULT 0,
  paused INTEGER NOT NULL DEFAULT 0,
  urls INTEGER NOT NULL DEFAULT 0
);
${SHAPE_TABLE};
${ALIAS_TABLE};
CREATE TABLE skipped (url TEXT PRIMARY KEY, reason TEXT NOT NULL, referrer INTEGER) WITHOUT ROWID;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`

const COLUMNS = `u.url, u.state, u.depth, u.sequence, u.redirects, u.priority, u.disposition, u.status, u.page, u.finished, u.misses,
  h.name, r.url, u.modified`
const BESIDE = 'JOIN host h ON h.id = u.host LEFT JOIN url r ON r.key = u.referrer'
const ROW = `${COLUMNS} FROM url u ${BESIDE}`
const SKIPPED = 'SELECT s.url, s.reason, r.url FROM skipped s LEFT JOIN url r ON r.key = s.referrer'
/** Filters that are null hold nothing back. */
const MATCHES = '(?1 IS NULL OR h.name = ?1) AND (?2 IS NULL OR u.disposition = ?2)'

/**
 * A page of the waiting rows by place; the same parameters whatever is asked for. What stands beside a row is looked up for
 * the page alone, and without a reason the index over the waiting rows answers for all the others.
 */
function waitingPage(byHost: boolean, byReason: boolean): string {
  return `SELECT ${COLUMNS} FROM (
      SELECT key FROM url WHERE state = 0 AND (priority, sequence) > (?3, ?4)
        ${byHost ? 'AND host = (SELECT id FROM host WHERE name = ?1)' : ''} ${byReason ? 'AND disposition = ?2' : ''}
        ORDER BY priority, sequence LIMIT ?5
    ) page JOIN url u ON u.key = page.key ${BESIDE} ORDER BY u.priority, u.sequence`
}

/** The statements that only read. */
export function prepareReading(db: SqliteDatabase) {
  return {
    find: db.prepare('SELECT url, state, depth, priority FROM url WHERE key = ?'),
    read: db.prepare(`SELECT ${ROW} WHERE u.key = ?`),
    listEnded: db.prepare(`SELECT ${ROW} WHERE ${MATCHES} AND u.key > ?3 AND u.state = ?4 ORDER BY u.key LIMIT ?5`),
    listWaiting: [false, true].map((host) => [false, true].map((reason) => db.prepare(waitingPage(host, reason)))),
    skippedOf: db.prepare(`${SKIPPED} WHERE s.url = ?`),
    listSkipped: db.prepare(
      `${SKIPPED} WHERE (?1 IS NULL OR instr(s.url, '://' || ?1 || '/') IN (5, 6)) AND (?2 IS NULL OR s.reason = ?2) AND s.url > ?3
       ORDER BY s.url LIMIT ?4`,
    ),
    counters: db.prepare('SELECT name, value FROM counter'),
    metas: db.prepare("SELECT name, value FROM meta WHERE name <> 'running'"),
    running: db.prepare("SELECT value FROM meta WHERE name = 'running'"),
  }
}

/** The statements that change something or serve those that do. */
export function prepareWriting(db: SqliteDatabase) {
  return {
    insert: db.prepare(
      'INSERT INTO url (key, url, host, depth, sequence, redirects, priority, referrer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    setPlace: db.prepare('UPDATE url SET depth = ?, priority = ? WHERE key = ?'),
    setModified: db.prepare('UPDATE url SET modified = ? WHERE key = ? AND (modified IS NULL OR modified < ?)'),
    setVouched: db.prepare('UPDATE url SET vouched = ? WHERE key = ?'),
    end: db.prepare(
      `UPDATE url SET state = ?, disposition = ?, status = ?, finished = ?, misses = ?, vanished = ?, page = ?, content = ?, variant = ?
       WHERE key = ?`,
    ),
    endWithPage: db.prepare(
      'UPDATE url SET state = ?, disposition = ?, status = ?, finished = ?, misses = ?, vanished = ? WHERE key = ?',
    ),
    vanished: db.prepare(
      'SELECT h.id, h.name, count(*) FROM url u JOIN host h ON h.id = u.host WHERE u.vanished = 1 AND u.state <> 0 GROUP BY u.host',
    ),
    vanishedOf: db.prepare(
      'SELECT url, disposition FROM url WHERE vanished = 1 AND state <> 0 AND host = (SELECT id FROM host WHERE name = ?) LIMIT ?',
    ),
    pagesOf: db.prepare('SELECT count(*) FROM url WHERE host = ? AND page IS NOT NULL'),
    dropPage: db.prepare(
      'UPDATE url SET page = NULL, content = NULL, variant = NULL, vanished = 0 WHERE key = ? AND page IS NOT NULL',
    ),
    setAlias: db.prepare('INSERT OR REPLACE INTO alias (key, target) VALUES (?, ?)'),
    dropAlias: db.prepare('DELETE FROM alias WHERE key = ?'),
    aliases: db.prepare(
      `SELECT u.url, a.target FROM alias a JOIN url u ON u.key = a.key
       WHERE a.key > ? AND u.page IS NULL ORDER BY a.key LIMIT ?`,
    ),
    wait: db.prepare('UPDATE url SET state = 0 WHERE state <> 0 AND finished < ?'),
    endings: db.prepare('SELECT state, disposition, count(*) FROM url WHERE state <> 0 GROUP BY state, disposition'),
    clearEndings: db.prepare("DELETE FROM counter WHERE name GLOB 'complete*' OR name GLOB 'error*'"),
    countWaiting: db.prepare(
      'UPDATE host SET pending = (SELECT count(*) FROM url WHERE url.host = host.id AND url.state = 0)',
    ),
    all: db.prepare('SELECT key, url, depth, redirects FROM url WHERE key > ? ORDER BY key LIMIT ?'),
    shape: db.prepare('SELECT urls FROM shape WHERE key = ?'),
    countShape: db.prepare(
      'INSERT INTO shape (key, urls) VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET urls = urls + 1',
    ),
    variants: db.prepare('SELECT variant FROM url WHERE variant IS NOT NULL'),
    twins: db.prepare('SELECT url FROM url WHERE variant = ? AND content = ? AND vanished = 0'),
    waiting: db.prepare(
      `SELECT key, url, depth, sequence, redirects, priority, page, finished, misses, modified, vouched FROM url
       WHERE host = ? AND state = 0 ORDER BY priority, sequence LIMIT ?`,
    ),
    hosts: db.prepare('SELECT id, name, pending, urls FROM host'),
    addHost: db.prepare('INSERT INTO host (id, name) VALUES (?, ?)'),
    setHost: db.prepare('UPDATE host SET pending = ?, urls = ? WHERE id = ?'),
    setHostTimes: db.prepare('UPDATE host SET delay = ?, paused = ? WHERE id = ?'),
    hostTimes: db.prepare('SELECT name, delay, paused FROM host WHERE delay > 0 OR paused > 0'),
    skip: db.prepare('INSERT OR IGNORE INTO skipped (url, reason, referrer) VALUES (?, ?, ?)'),
    unskip: db.prepare('DELETE FROM skipped WHERE url = ?'),
    setCounter: db.prepare('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)'),
    setMeta: db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  }
}

/** The prepared statements by name. */
export type ReadingStatements = ReturnType<typeof prepareReading>
export type WritingStatements = ReturnType<typeof prepareWriting>
