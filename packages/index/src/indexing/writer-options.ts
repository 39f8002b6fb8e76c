/** Settings of a writer and of its calls. */
import type { Analyzer } from '../analysis/analyzer.js'

/** Settings of a writer. */
export interface IndexWriterOptions {
  /** Analyzer of all text fields that have none of their own. */
  readonly analyzer: Analyzer
  /** Analyzers of single fields. */
  readonly analyzers?: Readonly<Record<string, Analyzer>>
  /** Bytes of documents in memory before they are written as a segment; 64 MiB where not given. */
  readonly memoryBudget?: number
  /** Segments of one class of size that are merged into one; 10 where not given, at least 2. */
  readonly mergeFactor?: number
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
