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

/** SQLite's name of an error (`SQLITE_FULL`, `SQLITE_CORRUPT`, …), or undefined. */
export function sqliteErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return error.code.startsWith('SQLITE_') ? error.code : undefined
}
