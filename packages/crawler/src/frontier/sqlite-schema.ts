/**
 * Tables and statements of {@link SqliteWorkload}.
 *
 *   url      one row an address; state 0 waiting (or running), 1 complete, 2 error; content is a hash of a stored page's body,
 *            directory one of the folder that its address stands for
 *   host     hosts by number, with their rows in state 0
 *   skipped  addresses that are no work
 *   counter  sizes of the queues and of their reasons; "complete/fetched" and the like
 *   meta     named values
 */
import type { SqliteDatabase } from './sqlite.js'

/** Kept in the database's user_version. */
export const SCHEMA_VERSION = 2

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
  directory INTEGER
);
CREATE INDEX twins ON url (directory) WHERE directory IS NOT NULL;
CREATE INDEX waiting ON url (host, depth, sequence) WHERE state = 0;
CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL, pending INTEGER NOT NULL DEFAULT 0);
CREATE TABLE skipped (url TEXT PRIMARY KEY, reason TEXT NOT NULL, referrer INTEGER) WITHOUT ROWID;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`

const ROW = `u.url, u.state, u.depth, u.sequence, u.redirects, u.disposition, u.status, u.page, u.finished, u.host, r.url
  FROM url u LEFT JOIN url r ON r.key = u.referrer`
const SKIPPED = 'SELECT s.url, s.reason, r.url FROM skipped s LEFT JOIN url r ON r.key = s.referrer'

/** The statements, prepared once. */
export function prepareStatements(db: SqliteDatabase) {
  return {
    find: db.prepare('SELECT url, state, depth FROM url WHERE key = ?'),
    insert: db.prepare(
      'INSERT INTO url (key, url, host, depth, sequence, redirects, referrer) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    setDepth: db.prepare('UPDATE url SET depth = ? WHERE key = ?'),
    end: db.prepare(
      'UPDATE url SET state = ?, disposition = ?, status = ?, page = ?, finished = ?, content = ?, directory = ? WHERE key = ?',
    ),
    twins: db.prepare('SELECT url FROM url WHERE directory = ? AND content = ?'),
    waiting: db.prepare(
      'SELECT key, url, depth, sequence, redirects FROM url WHERE host = ? AND state = 0 ORDER BY depth, sequence LIMIT ?',
    ),
    read: db.prepare(`SELECT ${ROW} WHERE u.key = ?`),
    listEnded: db.prepare(`SELECT ${ROW} WHERE u.key > ? AND u.state = ? ORDER BY u.key LIMIT ?`),
    listWaiting: db.prepare(
      `SELECT ${ROW} WHERE u.state = 0 AND (u.depth, u.sequence) > (?, ?) ORDER BY u.depth, u.sequence LIMIT ?`,
    ),
    hosts: db.prepare('SELECT id, name, pending FROM host'),
    addHost: db.prepare('INSERT INTO host (id, name) VALUES (?, ?)'),
    setHost: db.prepare('UPDATE host SET pending = ? WHERE id = ?'),
    skip: db.prepare('INSERT OR IGNORE INTO skipped (url, reason, referrer) VALUES (?, ?, ?)'),
    unskip: db.prepare('DELETE FROM skipped WHERE url = ?'),
    skippedOf: db.prepare(`${SKIPPED} WHERE s.url = ?`),
    listSkipped: db.prepare(`${SKIPPED} WHERE s.url > ? ORDER BY s.url LIMIT ?`),
    counters: db.prepare('SELECT name, value FROM counter'),
    setCounter: db.prepare('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)'),
    metas: db.prepare('SELECT name, value FROM meta'),
    setMeta: db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  }
}

/** The prepared statements by name. */
export type Statements = ReturnType<typeof prepareStatements>
