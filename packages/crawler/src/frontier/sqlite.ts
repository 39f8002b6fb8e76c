/**
 * The only file that knows the SQLite library. What is used of it: synchronous prepared statements whose numbers are
 * bound as doubles (exact to 2^53; a column of affinity INTEGER stores them as integers).
 */
import Libsql from 'libsql'

/** A value to bind. */
export type SqlValue = string | number | null

/** A prepared statement; rows come as arrays in the order of the columns. */
export interface SqliteStatement {
  /** @returns number of rows changed */
  run(...values: SqlValue[]): number
  first(...values: SqlValue[]): SqlValue[] | undefined
  all(...values: SqlValue[]): SqlValue[][]
}

/** An open database. */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** Opens or creates a database file. Errors are those of the library; {@link sqliteErrorCode} names them. */
export function openSqlite(path: string): SqliteDatabase {
  const db = new Libsql(path)
  return {
    exec: (sql) => void db.exec(sql),
    prepare(sql) {
      const statement = db.prepare(sql)
      // Only a statement that returns rows can be switched to arrays.
      if (statement.reader) statement.raw()
      return {
        run: (...values) => statement.run(...values).changes,
        first: (...values) => statement.get(...values) as SqlValue[] | undefined,
        all: (...values) => statement.all(...values) as SqlValue[][],
      }
    },
    close: () => void db.close(),
  }
}

/** Primary result codes that the library gives no name to when an extended one was raised (sqlite.org/rescode.html). */
const NAMES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
}

/** SQLite's name of an error (`SQLITE_FULL`, `SQLITE_CORRUPT`, …), or undefined. */
export function sqliteErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const extended = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(error.code)?.[1]
  // The lowest byte of an extended code is the primary one.
  if (extended !== undefined) return NAMES[Number(extended) & 0xff] ?? 'SQLITE_UNKNOWN'
  return error.code.startsWith('SQLITE_') ? error.code : undefined
}
