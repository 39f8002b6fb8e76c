/** The error for damaged files: one wording everywhere, always with file, offset, what was expected and what was found. */
import { SpindleError } from '@spindle/core'

/** Makes (does not throw) an `INDEX_CORRUPT` error. */
export function indexCorrupt(
  file: string,
  offset: number,
  expected: string,
  found: string | number,
  cause?: unknown,
): SpindleError {
  return new SpindleError(
    'INDEX_CORRUPT',
    `The index file ${file} is damaged at byte ${offset}: expected ${expected}, found ${found}; restore it from a backup or build the index again.`,
    cause === undefined ? undefined : { cause },
  )
}

/** A checksum as people read it. */
export function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}
