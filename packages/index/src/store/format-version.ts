/**
 * The format of an index: a version, and a revision that counts the changes of layout within it. Every file of an index
 * has both in its header; a reader compares them before anything else of a file, so that an index of another format is
 * called that and never damaged.
 */
import { isSpindleError, SpindleError } from '@spindle/core'

/** A format: `0.1` is version 0, revision 1. */
export interface Format {
  readonly version: number
  readonly revision: number
}

/** The format written. Version 0 is not released: its revisions count how often it changed, INDEX-FORMAT.md tells how. */
export const FORMAT: Format = { version: 0, revision: 3 }
/** The oldest format that is still read. */
export const OLDEST_FORMAT: Format = FORMAT

/** @throws SpindleError INDEX_FORMAT_TOO_NEW, INDEX_FORMAT_TOO_OLD where this program does not read it */
export function checkFormat(path: string, found: Format): void {
  const isTooNew = isBefore(FORMAT, found)
  if (!isTooNew && !isBefore(found, OLDEST_FORMAT)) return
  const readable = `formats ${formatText(OLDEST_FORMAT)} to ${formatText(FORMAT)}`
  const what = `The index file ${path} has format ${formatText(found)} and this program reads ${readable}`
  const rebuild = 'remove the index and build it again with this program'
  if (isTooNew) {
    throw new SpindleError('INDEX_FORMAT_TOO_NEW', `${what}; use a newer version of the program, or ${rebuild}.`)
  }
  throw new SpindleError('INDEX_FORMAT_TOO_OLD', `${what}; ${rebuild}.`)
}

/** Whether an error says that a file has a format that this program does not read. */
export function isFormatError(error: unknown): boolean {
  return isSpindleError(error, 'INDEX_FORMAT_TOO_NEW') || isSpindleError(error, 'INDEX_FORMAT_TOO_OLD')
}

/** As people write it. */
export function formatText({ version, revision }: Format): string {
  return `${version}.${revision}`
}

function isBefore(a: Format, b: Format): boolean {
  return a.version < b.version || (a.version === b.version && a.revision < b.revision)
}
