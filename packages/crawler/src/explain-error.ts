/** What a person can do about an error of the disk or of the index, which do not know that pages are stored beside them. */
import { join } from 'node:path'
import { type DataDir, SpindleError, systemCode } from '@spindle/core'
import { sqliteErrorCode } from './frontier/sqlite.js'

/** Faults of an index that building it anew mends. */
const REBUILT = new Set<string>([
  'INDEX_CORRUPT',
  'INDEX_FORMAT_TOO_NEW',
  'INDEX_FORMAT_TOO_OLD',
  'ANALYZER_MISMATCH',
  'COMBINED_FIELD_MISMATCH',
])
const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])
/** A database that is damaged: of those of a data folder, the frontier's has its own message. */
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|ERROR)/

/** The same error with the way out for a crawl; an error that has one already, or is no fault of the data folder, as it is. */
export function explainError(error: unknown, dataDir: DataDir): unknown {
  if (error instanceof SpindleError) return REBUILT.has(error.code) ? unusableIndex(error.code, error, dataDir) : error
  const code = sqliteErrorCode(error) ?? systemCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  if (code === 'ENOENT' && 'path' in error && String(error.path).startsWith(dataDir.index)) {
    return unusableIndex('INDEX_CORRUPT', error, dataDir)
  }
  if (DAMAGED.test(code)) {
    return new SpindleError(
      'PAGE_STORE_CORRUPT',
      `The list of duplicates ${join(dataDir.pages, 'duplicates.db')} is damaged (${error.message}): remove it and give the same command again; it is made anew from the stored pages.`,
      { cause: error },
    )
  }
  if (FULL.has(code)) {
    return new SpindleError(
      'DISK_FULL',
      `There is no room left in the data folder ${dataDir.root} (${error.message}): free some space, then give the same command again; the crawl goes on where it stopped.`,
      { cause: error },
    )
  }
  return new SpindleError(
    'DATA_DIR_UNUSABLE',
    `The data folder ${dataDir.root} cannot be used (${error.message}): correct that, then give the same command again.`,
    { cause: error },
  )
}

function unusableIndex(code: SpindleError['code'], cause: Error, { index }: DataDir): SpindleError {
  // Its own advice knows of no stored pages.
  const what = cause.message.replace(/[;:] (?:restore|remove|use|leave) .*$|\.$/, '')
  return new SpindleError(
    code,
    `The index cannot be used (${what}): remove the folder ${index} and give the same command again, and it is built anew from the stored pages.`,
    { cause },
  )
}
