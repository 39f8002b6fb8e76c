/** What a check of an index tells. Everything is plain data, so that it can be printed as JSON; the names are stable. */

import { isSpindleError, systemCode } from '@spindle/core'

/** One file of the index. */
export interface FileReport {
  readonly name: string
  readonly bytes: number
  /** Checksum at the end of the file, in hexadecimal; null where the file has no end to read it from. */
  readonly crcStored: string | null
  /** Checksum of its bytes; null as above. */
  readonly crcComputed: string | null
  readonly ok: boolean
  readonly error: string | null
}

/** One part of a segment, or a check across segments. */
export interface PartReport {
  /** Whether the part was looked at. */
  readonly checked: boolean
  /** Entries seen: deleted documents, fields, terms, postings, norms, doc values, stored documents, ids. */
  readonly count: number
  readonly error: string | null
  readonly ms: number
}

/** Names of the parts of a segment. */
export type PartName = 'liveDocs' | 'fieldInfos' | 'terms' | 'postings' | 'norms' | 'docValues' | 'storedFields'

/** One segment. */
export interface SegmentReport {
  readonly name: string
  /** Hexadecimal. */
  readonly id: string
  readonly maxDoc: number
  readonly deleted: number
  readonly bytes: number
  readonly ok: boolean
  readonly files: readonly FileReport[]
  readonly parts: Readonly<Record<PartName, PartReport>>
}

/** Who writes to the index while it is checked. */
export interface LockReport {
  readonly pid: number
  readonly host: string
  /** ISO time. */
  readonly since: string
}

/** The whole index. */
export interface CheckReport {
  /** False where anything that the newest commit names is damaged or missing. Files that it does not name never count. */
  readonly clean: boolean
  readonly path: string
  readonly mode: 'fast' | 'full'
  readonly generation: number
  readonly segmentsFile: string
  /** Such as `0.1`: version and revision. */
  readonly formatVersion: string
  /** Program and version that wrote the commit. */
  readonly createdBy: string
  readonly userData: Readonly<Record<string, string>>
  /** Whether the number of the next segment is higher than those of all segments. */
  readonly counterValid: boolean
  /** What is wrong with the commit point itself; then nothing else could be checked. */
  readonly error: string | null
  /** Files that the commit names and that are not there. */
  readonly missingFiles: readonly string[]
  /** Index files that the commit does not name; the next writer removes them. */
  readonly unreferencedFiles: readonly string[]
  /** Commit points that were never finished, and remains of locks. */
  readonly leftoverFiles: readonly string[]
  /** Generations of commits before the newest that are still on disk; they are not checked. */
  readonly olderCommits: readonly number[]
  readonly lock: LockReport | null
  /**
   * The pointer to the newest commit that readers over HTTP begin with; null where the index was never published. A
   * generation behind the newest is no damage: the next commit makes it good.
   */
  readonly pointer: { readonly generation: number; readonly error: string | null } | null
  /** Live documents. */
  readonly docs: number
  readonly deleted: number
  /** Bytes of all files that the commit names. */
  readonly bytes: number
  readonly badSegments: readonly string[]
  /** Live documents in the bad segments: what `exorcise` would lose. */
  readonly docsLost: number
  /** Whether one field is an identity: no value in two live documents. null: not asked for. */
  readonly uniqueIds: (PartReport & { readonly field: string }) | null
  readonly segments: readonly SegmentReport[]
  readonly ms: number
}

/** A part that nobody looked at. */
export const UNCHECKED: PartReport = { checked: false, count: 0, error: null, ms: 0 }

/**
 * A part of a check that is done in pieces, and what became of it. After a piece that failed the others are left out. An
 * error that is none of ours is a fault of the check, but no reason to stop it.
 */
export class PartRun {
  #count = 0
  #error: string | null = null
  #ms = 0

  /** Does the next piece. @param work gives the number of entries seen */
  async add(work: () => number | Promise<number>): Promise<void> {
    if (this.#error !== null) return
    const began = performance.now()
    try {
      this.#count += await work()
    } catch (thrown) {
      this.#error = messageOf(thrown)
      this.#count = 0
    }
    this.#ms += performance.now() - began
  }

  get report(): PartReport {
    return { checked: true, count: this.#count, error: this.#error, ms: Math.round(this.#ms * 10) / 10 }
  }
}

/** Does a part of a check in one piece. */
export async function runPart(work: () => number | Promise<number>): Promise<PartReport> {
  const run = new PartRun()
  await run.add(work)
  return run.report
}

/** The message of anything thrown; with the kind of error where it is none of ours or of the system. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return isSpindleError(thrown) || systemCode(thrown) !== undefined
    ? thrown.message
    : `${thrown.name}: ${thrown.message}`
}
