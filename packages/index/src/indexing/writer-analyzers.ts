/** The analyzers of a writer, compared with those that the index was begun with. */
import { SpindleError } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import type { AnalyzerRecord, CommitPoint } from '../codec/commit-point.js'
import { analyzerRecord, checkFingerprint } from '../reading/recorded-analyzers.js'

/** Analyzers by field. */
export class WriterAnalyzers {
  readonly #default: Analyzer
  readonly #fields: ReadonlyMap<string, Analyzer>

  constructor(analyzer: Analyzer, fields: Readonly<Record<string, Analyzer>> = {}) {
    this.#default = analyzer
    this.#fields = new Map(Object.entries(fields))
  }

  get default(): Analyzer {
    return this.#default
  }

  /** The field's own analyzer, or the default one. */
  forField(name: string): Analyzer {
    return this.#fields.get(name) ?? this.#default
  }

  recordFor(name: string): AnalyzerRecord {
    return analyzerRecord(this.forField(name))
  }

  /** The default analyzer as a commit records it. */
  get defaultRecord(): AnalyzerRecord {
    return analyzerRecord(this.#default)
  }

  /** Analyzers of single fields as a commit records them. */
  get fieldRecords(): Map<string, AnalyzerRecord> {
    const records = new Map<string, AnalyzerRecord>()
    for (const [field, analyzer] of this.#fields) records.set(field, analyzerRecord(analyzer))
    return records
  }

  /** @throws SpindleError ANALYZER_MISMATCH where documents added now would have other terms than those of the commit */
  check(path: string, commit: CommitPoint): void {
    checkFingerprint(path, commit.analyzer, this.#default)
    for (const [field, record] of commit.analyzers) checkFingerprint(path, record, this.forField(field), field)
    for (const [field, analyzer] of this.#fields) {
      const used = commit.fields.some((one) => one.name === field && one.options !== 'none')
      if (!used || commit.analyzers.has(field) || analyzer.fingerprint === commit.analyzer.fingerprint) continue
      throw new SpindleError(
        'ANALYZER_MISMATCH',
        `The field ${field} of the index in ${path} was written with the index's analyzer "${commit.analyzer.name}", and now "${analyzer.name}" is given for it: leave it out, or build the index again.`,
      )
    }
  }
}
