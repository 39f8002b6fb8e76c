/** The analyzers that an index was written with, made again from what its commit records. */
import { isSpindleError, SpindleError } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import { analyzerFromSpec } from '../analysis/registry.js'
import type { AnalyzerRecord, CommitPoint } from '../codec/commit-point.js'

/** Analyzers by field. */
export class RecordedAnalyzers {
  readonly #default: AnalyzerRecord
  readonly #fields: ReadonlyMap<string, AnalyzerRecord>
  readonly #made = new Map<AnalyzerRecord, Analyzer>()

  /**
   * @throws SpindleError ANALYZER_MISMATCH where an analyzer of this program would make other tokens than the one that
   * wrote the index. An analyzer that is not registered is an error only when it is asked for.
   */
  constructor(path: string, commit: CommitPoint) {
    this.#default = commit.analyzer
    this.#fields = commit.analyzers
    for (const record of [commit.analyzer, ...commit.analyzers.values()]) {
      try {
        const analyzer = analyzerFromSpec(record)
        checkFingerprint(path, record, analyzer)
        this.#made.set(record, analyzer)
      } catch (error) {
        if (!isSpindleError(error, 'ANALYZER_UNKNOWN')) throw error
      }
    }
  }

  /** @throws SpindleError ANALYZER_UNKNOWN */
  get default(): Analyzer {
    return this.#analyzer(this.#default)
  }

  /** The field's own analyzer, or the default one. @throws SpindleError ANALYZER_UNKNOWN */
  forField(name: string): Analyzer {
    return this.#analyzer(this.recordFor(name))
  }

  /** What is recorded of the analyzer of a field. */
  recordFor(name: string): AnalyzerRecord {
    return this.#fields.get(name) ?? this.#default
  }

  #analyzer(record: AnalyzerRecord): Analyzer {
    return this.#made.get(record) ?? analyzerFromSpec(record)
  }
}

/** What a commit records of an analyzer. */
export function analyzerRecord(analyzer: Analyzer): AnalyzerRecord {
  return { name: analyzer.name, settings: analyzer.settings, fingerprint: analyzer.fingerprint }
}

/** @param field the field that uses it; left out for the default analyzer. @throws SpindleError ANALYZER_MISMATCH */
export function checkFingerprint(path: string, record: AnalyzerRecord, analyzer: Analyzer, field?: string): void {
  if (record.fingerprint === analyzer.fingerprint) return
  const what = field === undefined ? 'its analyzer' : `the analyzer of the field ${field}`
  throw new SpindleError(
    'ANALYZER_MISMATCH',
    `The index in ${path} was written with "${record.name}" (${record.fingerprint}) as ${what}, and this program has "${analyzer.name}" (${analyzer.fingerprint}): use the analyzer of then, or build the index again.`,
  )
}
