/**
 * The one error class that users and programs meet, and the table of its stable codes.
 * A message is one sentence: what was wrong, where, and what to do.
 */

/** Every stable error code of the product with its meaning; the documentation's error table is made from this. */
export const ERROR_CODES = {
  ANALYZER_MISMATCH: 'The analyzer given is not the one that wrote the index.',
  ANALYZER_UNKNOWN: 'The index names an analyzer that is not registered in this process.',
  BACKUP_TARGET_USED: 'The folder for a backup holds an index already.',
  COMBINED_FIELD_MISMATCH:
    'A combined field is made of other fields or weights than those that the index was written with.',
  COMMIT_PENDING: 'A prepared commit waits to be committed or rolled back.',
  CONFIG_INVALID: 'A configuration file, environment variable or flag holds a wrong key or value.',
  DATA_DIR_UNUSABLE: 'The data folder cannot be created, read or written.',
  DISK_FULL: 'The disk or a quota is full.',
  DICTIONARY_INVALID: 'The dictionary of a user cannot be read, or has a line that is no word.',
  DICTIONARY_UNREADABLE: 'A dictionary that an analyzer needs is missing, damaged or too large.',
  DOCUMENT_INVALID: 'A document or field cannot be indexed as given.',
  EVALUATION_FILE_INVALID: 'A file of queries, judgements or a run has a line that cannot be read, or nothing in it.',
  FETCH_FAILED: 'An address could not be fetched.',
  FIELD_WITHOUT_DOC_VALUES: 'A sort, range, facet or the like asks a field that keeps no doc values.',
  FIELD_WITHOUT_POSITIONS: 'A phrase or a near query asks a field whose index keeps no positions.',
  FRONTIER_CORRUPT: 'The crawl frontier cannot be read.',
  INDEX_CHANGED: 'A file of an index on a web server is not the one that was opened.',
  INDEX_CLOSED: 'A reader, writer or searcher was used after it was closed.',
  INDEX_CORRUPT: 'A file of the index is damaged, truncated or belongs to another index.',
  INDEX_FETCH_FAILED: 'A file of an index on a web server could not be read.',
  INDEX_FORMAT_TOO_NEW: 'The index was written by a newer version of the product.',
  INDEX_FORMAT_TOO_OLD: 'The index was written by a version that this one no longer reads.',
  INDEX_NOT_FOUND: 'There is no index in the given folder.',
  INDEX_WRITE_FAILED: 'A file of the index could not be written.',
  LOCK_HELD: 'Another process is writing to the same folder.',
  LOCK_LOST: 'The lock that a writer held has been taken away from it.',
  PAGE_STORE_CORRUPT: 'A record of the page store is damaged.',
  QUERY_EMPTY: 'A search in the terminal has no words.',
  QUERY_SYNTAX: 'The query cannot be parsed.',
  QUERY_TIMEOUT: 'The search took longer than its time limit.',
  QUERY_TOO_COMPLEX: 'The query has more clauses or a deeper nesting than allowed.',
  QUERY_TOO_LONG: 'The query has more characters than allowed.',
  REANALYSIS_IMPOSSIBLE: 'Documents cannot be analyzed again, because not all of their text is stored.',
  REGEX_TOO_COMPLEX: 'A pattern of a query needs more states than allowed.',
  WARC_UNREADABLE: 'A WARC file cannot be read to its end.',
  READ_ONLY: 'The index lies where it can only be read.',
  SEED_INVALID: 'A start address cannot be crawled.',
  BAD_PAGE: 'A page number or page size is not a whole number in its range.',
  BAD_PARAMETER: 'A parameter of a search has a value that it cannot have.',
  SYNONYMS_INVALID: 'A list of synonyms cannot be read, or has a line that says nothing.',
  SEARCH_RULES_INVALID: 'The rules of the search (pinned, hidden and boosted pages) cannot be read, or have a mistake.',
  SERVER_ADDRESS: 'The server cannot listen on the given address.',
  BAD_REQUEST: 'The request is no valid HTTP request, or its address cannot be decoded.',
  HEADERS_TOO_LARGE: 'The request has more or larger headers than allowed.',
  HOST_NOT_ALLOWED: 'The request names a host that this server does not answer for.',
  INDEX_NOT_READY: 'There is no page to find yet: the index is missing, empty or cannot be read.',
  METHOD_NOT_ALLOWED: 'The address does not take this HTTP method.',
  NOT_FOUND: 'There is nothing at the address asked for.',
  REQUEST_TIMEOUT: 'The request took longer than allowed.',
  SEARCH_FAILED: 'The index could not be read while a search was running.',
  SERVER_BUSY: 'More requests come in than the server can answer.',
  SERVER_ERROR: 'The server met a fault of its own.',
} as const

/** A stable error code. */
export type ErrorCode = keyof typeof ERROR_CODES

/** An error with a stable {@link ErrorCode}; programs test the code, people read the message. */
export class SpindleError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SpindleError'
    this.code = code
  }
}

/** True for a {@link SpindleError}, of the given code where one is given. */
export function isSpindleError(error: unknown, code?: ErrorCode): error is SpindleError {
  return error instanceof SpindleError && (code === undefined || error.code === code)
}

/** The system's code of an I/O error (`ENOENT`, `ENOSPC`, …), or undefined where the value carries none. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
