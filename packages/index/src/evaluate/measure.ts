/**
 * Measures of a ranking against judgements, as trec_eval defines them. A document is relevant where its grade is 1 or more; one
 * that nobody judged is not. Depths count ranks from 1, and a ranking that ends before the depth is not spared:
 * `p@10` of three relevant documents alone is .3.
 */
import { SpindleError } from '@spindle/core'
import type { Grades, RankedDocument } from './trec-files.js'

/** What measures look at: the grades in the order of a ranking, and all that there are. */
export interface JudgedRanking {
  /** Grades of the ranked documents, the best rank first; undefined: not judged. */
  readonly grades: readonly (number | undefined)[]
  /** Relevant documents that there are. */
  readonly relevant: number
  /** Documents that were judged not relevant. */
  readonly nonRelevant: number
  /** Grades of the relevant documents, the greatest first. */
  readonly ideal: readonly number[]
}

/** A measure of one query: 0 is the worst, 1 the best. */
export interface Measure {
  /** As {@link parseMeasure} takes it. */
  readonly name: string
  readonly of: (ranking: JudgedRanking) => number
}

/** Measures without a depth. */
const WHOLE: ReadonlyMap<string, Measure['of']> = new Map([
  ['map', averagePrecision],
  ['mrr', reciprocalRank],
  ['bpref', binaryPreference],
  ['ndcg', (ranking) => discountedGain(ranking, Number.POSITIVE_INFINITY)],
])

const AT_DEPTH: ReadonlyMap<string, (ranking: JudgedRanking, depth: number) => number> = new Map([
  ['p', (ranking, depth) => found(ranking, depth) / depth],
  ['recall', (ranking, depth) => found(ranking, depth) / ranking.relevant],
  ['success', (ranking, depth) => (found(ranking, depth) > 0 ? 1 : 0)],
  ['ndcg', discountedGain],
])

/** What there is, for messages and help. */
export const MEASURE_NAMES = 'map, mrr, bpref, ndcg, p@K, recall@K, success@K, ndcg@K'

/**
 * The measure of a name: one of {@link MEASURE_NAMES}, `K` a depth from 1 on.
 * @throws SpindleError `BAD_PARAMETER`
 */
export function parseMeasure(text: string): Measure {
  const [name = '', depth, ...rest] = text.trim().toLowerCase().split('@')
  if (depth === undefined) {
    const of = WHOLE.get(name)
    if (of !== undefined) return { name, of }
  } else if (/^[1-9]\d{0,5}$/.test(depth) && rest.length === 0) {
    const of = AT_DEPTH.get(name)
    if (of !== undefined) return { name: `${name}@${depth}`, of: (ranking) => of(ranking, Number(depth)) }
  }
  throw new SpindleError('BAD_PARAMETER', `"${text}" is no measure: choose one of ${MEASURE_NAMES}.`)
}

/** Looks the documents of a ranking up in the judgements of its query. */
export function judgeRanking(ranking: readonly RankedDocument[], judged: Grades): JudgedRanking {
  const ideal = [...judged.values()].filter((grade) => grade > 0).sort((a, b) => b - a)
  return {
    grades: ranking.map(({ id }) => judged.get(id)),
    relevant: ideal.length,
    nonRelevant: judged.size - ideal.length,
    ideal,
  }
}

function isRelevant(grade: number | undefined): boolean {
  return grade !== undefined && grade > 0
}

function found({ grades }: JudgedRanking, depth: number): number {
  let count = 0
  for (let i = 0; i < Math.min(depth, grades.length); i++) if (isRelevant(grades[i])) count++
  return count
}

/** Mean over the relevant documents of the precision where each is found; 0 for those that are not. */
function averagePrecision({ grades, relevant }: JudgedRanking): number {
  let count = 0
  let sum = 0
  grades.forEach((grade, i) => {
    if (isRelevant(grade)) sum += ++count / (i + 1)
  })
  return sum / relevant
}

function reciprocalRank({ grades }: JudgedRanking): number {
  const first = grades.findIndex(isRelevant)
  return first < 0 ? 0 : 1 / (first + 1)
}

/**
 * nDCG with the grade itself as gain and log2(rank + 1) as discount (Järvelin and Kekäläinen 2002, in the form of trec_eval), over the
 * same of the best ranking that the judgements allow.
 */
function discountedGain({ grades, ideal }: JudgedRanking, depth: number): number {
  return gainOf(grades, depth) / gainOf(ideal, depth)
}

function gainOf(grades: readonly (number | undefined)[], depth: number): number {
  let gain = 0
  for (let i = 0; i < Math.min(depth, grades.length); i++) gain += Math.max(0, grades[i] ?? 0) / Math.log2(i + 2)
  return gain
}

/** bpref (Buckley and Voorhees 2004, in the form of trec_eval): how seldom judged documents stand in the wrong order. */
function binaryPreference({ grades, relevant, nonRelevant }: JudgedRanking): number {
  let above = 0
  let sum = 0
  for (const grade of grades) {
    if (grade === undefined) continue
    if (grade <= 0) above++
    else sum += above === 0 ? 1 : 1 - Math.min(above, relevant) / Math.min(nonRelevant, relevant)
  }
  return sum / relevant
}
