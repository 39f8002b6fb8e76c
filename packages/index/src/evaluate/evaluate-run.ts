/**
 * A run against judgements. Averages go over the queries that have a relevant document; one that the run does not answer
 * counts 0 (trec_eval's option -c), so that a run cannot gain by leaving out what is hard.
 */
import { SpindleError } from '@spindle/core'
import { judgeRanking, type Measure } from './measure.js'
import type { Judgements, Run } from './trec-files.js'

/** What a run reaches. */
export interface Evaluation {
  /** The queries that were measured, in the order of the judgements. */
  readonly queries: readonly string[]
  /** By the name of a measure: one value for each of `queries`. */
  readonly values: ReadonlyMap<string, Float64Array>
  /** By the name of a measure. */
  readonly means: ReadonlyMap<string, number>
}

/**
 * @param only queries to measure; all that are judged where not given
 * @throws SpindleError `EVALUATION_FILE_INVALID` where no query has a relevant document
 */
export function evaluateRun(
  run: Run,
  judgements: Judgements,
  measures: readonly Measure[],
  only?: ReadonlySet<string>,
): Evaluation {
  const queries: string[] = []
  const values = new Map(measures.map(({ name }) => [name, [] as number[]]))
  for (const [query, judged] of judgements) {
    if (only !== undefined && !only.has(query)) continue
    const ranking = judgeRanking(run.get(query) ?? [], judged)
    if (ranking.relevant === 0) continue
    queries.push(query)
    for (const { name, of } of measures) values.get(name)!.push(of(ranking))
  }
  if (queries.length === 0) {
    throw new SpindleError(
      'EVALUATION_FILE_INVALID',
      'No query has a relevant document in the judgements: give judgements of these queries.',
    )
  }
  const columns = new Map([...values].map(([name, column]) => [name, Float64Array.from(column)]))
  const means = new Map([...columns].map(([name, column]) => [name, mean(column)]))
  return { queries, values: columns, means }
}

/** The arithmetic mean; NaN of nothing. */
export function mean(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/**
 * The value that a share of all values does not exceed (nearest rank).
 * @param share above 0, up to 1: .95 for the 95th percentile
 * @returns NaN of nothing
 */
export function percentile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.slice().sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}
