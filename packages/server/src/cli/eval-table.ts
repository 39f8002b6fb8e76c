/** An evaluation as text for the terminal. */
import { EOL } from 'node:os'
import { counted } from '@spindle/core'
import { type Evaluation, type MeasureComparison, percentile } from '@spindle/index'

/** What is told of an evaluation. */
export interface EvaluationReport {
  /** Queries of the file. */
  readonly queries: number
  readonly evaluation: Evaluation
  /** Relevant pages that are in no ranking, and all of them. */
  readonly unseen: number
  readonly relevant: number
  /** Milliseconds, an answer each. */
  readonly times: Float64Array
  readonly comparisons: readonly MeasureComparison[]
}

/** Queries that are told of those that lost or won most, each. */
const MOST_CHANGED = 5

/** @param each whether the values of every query are told */
export function evaluationTable(report: EvaluationReport, each: boolean): string {
  const { queries, evaluation, unseen, relevant, times, comparisons } = report
  const judged = evaluation.queries.length
  const lines = [
    `${counted(queries, 'query', 'queries')}, ${judged} of them with ${counted(relevant, 'relevant page')}`,
    ...(unseen === 0 ? [] : [`Not found, or not in the index: ${unseen} of these pages`]),
    '',
    ...(comparisons.length === 0 ? meanLines(evaluation) : comparisonLines(comparisons)),
    '',
    `Time for a page of results: ${[0.5, 0.95, 0.99].map((share) => `p${share * 100} ${percentile(times, share).toFixed(1)} ms`).join(', ')}`,
  ]
  if (each) lines.push('', ...queryLines(evaluation))
  return lines.join(EOL) + EOL
}

function meanLines({ means }: Evaluation): string[] {
  return [...means].map(([name, value]) => row([name, value.toFixed(4)]))
}

function comparisonLines(comparisons: readonly MeasureComparison[]): string[] {
  const lines = [row(['', 'now', 'baseline', 'change', 'better', 'worse', 'equal', 'p (random.)', 'p (t-test)'])]
  for (const { measure, before, after, better, worse, equal, randomization, tTest } of comparisons) {
    lines.push(
      row([
        measure,
        after.toFixed(4),
        before.toFixed(4),
        signed(after - before),
        ...[better, worse, equal].map(String),
        ...[randomization.p, tTest.p].map((p) => p.toFixed(4)),
      ]),
    )
  }
  const first = comparisons.find(({ changes }) => changes.length > 0)
  if (first === undefined) return [...lines, '', 'No query changed.']
  const { measure, changes } = first
  const most =
    changes.length <= 2 * MOST_CHANGED ? changes : [...changes.slice(0, MOST_CHANGED), ...changes.slice(-MOST_CHANGED)]
  lines.push('', `Queries that changed most in ${measure}:`)
  for (const { query, before, after } of most) {
    lines.push(row([query, after.toFixed(4), before.toFixed(4), signed(after - before)]))
  }
  return lines
}

function queryLines({ queries, values }: Evaluation): string[] {
  const columns = [...values.values()]
  return [
    row(['query', ...values.keys()]),
    ...queries.map((query, i) => row([query, ...columns.map((column) => column[i]!.toFixed(4))])),
  ]
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(4)}`
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(20) : cell.padStart(12))).join('')
}
