/** Two evaluations of the same queries, query by query. */
import { type Evaluation, mean } from './evaluate-run.js'
import { type PairedTest, pairedTTest, randomizationTest } from './significance.js'

/** How one query changed. */
export interface QueryChange {
  readonly query: string
  readonly before: number
  readonly after: number
}

/** How one measure changed. */
export interface MeasureComparison {
  readonly measure: string
  readonly before: number
  readonly after: number
  readonly better: number
  readonly worse: number
  readonly equal: number
  readonly randomization: PairedTest
  readonly tTest: PairedTest
  /** The queries that changed, those that lost most first. */
  readonly changes: readonly QueryChange[]
}

/** Values that differ by less are equal. */
const EQUAL = 1e-9

/**
 * Compares the measures that both have, over the queries that both have.
 * @param before the baseline
 */
export function compareEvaluations(before: Evaluation, after: Evaluation): MeasureComparison[] {
  const places = new Map(before.queries.map((query, i) => [query, i]))
  const pairs = after.queries.flatMap((query, i) => {
    const place = places.get(query)
    return place === undefined ? [] : [{ query, before: place, after: i }]
  })
  const comparisons: MeasureComparison[] = []
  for (const [measure, column] of after.values) {
    const old = before.values.get(measure)
    if (old === undefined || pairs.length === 0) continue
    const a = Float64Array.from(pairs, (pair) => old[pair.before]!)
    const b = Float64Array.from(pairs, (pair) => column[pair.after]!)
    const changes = pairs
      .map(({ query }, i) => ({ query, before: a[i]!, after: b[i]! }))
      .filter((change) => Math.abs(change.after - change.before) > EQUAL)
      .sort((x, y) => x.after - x.before - (y.after - y.before))
    const better = changes.filter((change) => change.after > change.before).length
    comparisons.push({
      measure,
      before: mean(a),
      after: mean(b),
      better,
      worse: changes.length - better,
      equal: pairs.length - changes.length,
      randomization: randomizationTest(a, b),
      tTest: pairedTTest(a, b),
      changes,
    })
  }
  return comparisons
}
