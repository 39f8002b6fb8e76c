/** Settings of a writer and of its calls. */
import type { Analyzer } from '../analysis/analyzer.js'
import type { CombinedFieldOptions } from './combined-fields.js'
import type { MergeSettings } from './merge-scheduler.js'

/** Settings of a writer. */
export interface IndexWriterOptions {
  /** Analyzer of all text fields that have none of their own. */
  readonly analyzer: Analyzer
  /** Analyzers of single fields. */
  readonly analyzers?: Readonly<Record<string, Analyzer>>
  /**
   * Fields made of other ones, so that a search over several fields reads one list a word; those that the index records
   * where not given. They cannot be changed as long as the index has documents.
   */
  readonly combinedFields?: readonly CombinedFieldOptions[]
  /**
   * Bytes for documents in memory, which are written as a segment when they fill them, and for a merge that runs in the
   * worker meanwhile; 64 MiB where not given. In a folder three eighths of it are left for merges, 24 MiB at most; half
   * of it while one runs that needs so much.
   */
  readonly memoryBudget?: number
  /**
   * Most different names of fields that documents may bring; no limit where not given. A guard for documents whose names
   * come from outside, as each field costs memory for the life of the index. Those that the index has stay.
   */
  readonly maxFields?: number
  /** Segments of one tier of sizes, and segments that are merged into one; 10 where not given, at least 2. */
  readonly mergeFactor?: number
  /** Largest segment, in bytes, that merges make unless `forceMerge` asks for it; 5 GiB where not given. */
  readonly maxMergedSegmentBytes?: number
  /** Merges of at least so many bytes run in a worker while writing goes on; 8 MiB where not given. Folders only. */
  readonly backgroundMergeBytes?: number
  /** Merges that may wait for the worker before a flush waits for one of them; 4 where not given. */
  readonly maxMergeBacklog?: number
  /**
   * How fast merges may write at most, whatever waits for them; no limit where not given. Below it the merges of the
   * worker find their pace by themselves: faster where merges wait, slower where none does, so that searches on the same
   * disk are not slowed down without need.
   */
  readonly maxMergeBytesPerSecond?: number
  /**
   * Told when an automatic merge fails. No document is lost: the segments stay as they were, and merging goes on after a
   * minute. A warning of the process where not given.
   */
  readonly onMergeError?: (error: Error) => void
  /** true: begin a new, empty index; false: the index must exist; not given: as it comes. */
  readonly create?: boolean
  /** How many of the newest commits stay on disk, to be opened by their generation; 1 where not given. */
  readonly keepCommits?: number
}

/** What goes with a commit. */
export interface CommitOptions {
  /** Small data of the caller, such as how far it has read its source; kept from the last commit where not given. */
  readonly userData?: Readonly<Record<string, string>>
}

/** How to close a writer. */
export interface CloseOptions {
  /** true: wait for merges that are running or due, so that the index is left tidy; otherwise they are given up. */
  readonly waitForMerges?: boolean
}

const DEFAULT_MERGE_FACTOR = 10
const DEFAULT_MAX_MERGED_BYTES = 5 * 1024 * 1024 * 1024
const DEFAULT_BACKGROUND_BYTES = 8 * 1024 * 1024
const DEFAULT_MERGE_BACKLOG = 4

/** The settings of merging, with what is not given filled in. @param path of the index, for messages */
export function mergeSettings(options: IndexWriterOptions, path: string): MergeSettings {
  return {
    mergeFactor: options.mergeFactor ?? DEFAULT_MERGE_FACTOR,
    maxMergedSegmentBytes: options.maxMergedSegmentBytes ?? DEFAULT_MAX_MERGED_BYTES,
    backgroundMergeBytes: options.backgroundMergeBytes ?? DEFAULT_BACKGROUND_BYTES,
    maxMergeBacklog: options.maxMergeBacklog ?? DEFAULT_MERGE_BACKLOG,
    maxMergeBytesPerSecond: options.maxMergeBytesPerSecond ?? Number.POSITIVE_INFINITY,
    onMergeError:
      options.onMergeError ??
      ((error) => process.emitWarning(`A merge in ${path} failed: ${error.message}`, 'SpindleWarning')),
  }
}
