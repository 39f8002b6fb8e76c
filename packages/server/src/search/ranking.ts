/**
 * What the order of hits depends on beside the words themselves, each with its weight: the section `search.ranking` of the
 * configuration. How much a word counts by where it stands is settled when a page is indexed (`index.weights`).
 */
import { type OptionSpec, PageField } from '@spindle/core'
import {
  type CombinedScoring,
  ENGLISH_FUNCTION_WORDS,
  FunctionScoreQuery,
  type Query,
  type ScoreFunction,
  StaticRankQuery,
} from '@spindle/index'

/** Weights of a ranking. */
export interface Ranking {
  /** Saturation of the occurrences of a word (BM25's k1). */
  readonly k1: number
  /** How much longer pages have to say a word more often (BM25's b). */
  readonly b: number
  /** Exponent of occurrences ÷ pages of a word of letters: words that come in bursts count more, at most four times. */
  readonly burst: number
  /** Added for a word that stands in the title at all, as a share of what its best occurrence can count. */
  readonly title: number
  /** As `title`, for what other pages call the page. */
  readonly anchor: number
  /** A page that has all words of the query is worth so much more. */
  readonly coverage: number
  /** A page that is linked very well is worth so much more. */
  readonly pageRank: number
  /** PageRank that has half of that effect; the mean of all pages is 1. */
  readonly pageRankPivot: number
  /** A page that says the same words over and over is worth up to so much less. */
  readonly repetition: number
  /** A page of today is worth so much more; 0: its date does not count. */
  readonly freshness: number
  /** Age in days at which half of that is left. */
  readonly freshnessDays: number
}

/** The best values measured over judged collections and known items (docs/analysis.md, docs/benchmarks.md). */
export const DEFAULT_RANKING: Ranking = {
  k1: 1.2,
  b: 0.7,
  burst: 0.3,
  title: 0.6,
  anchor: 0.1,
  coverage: 0.25,
  pageRank: 0.3,
  pageRankPivot: 3,
  repetition: 0.6,
  freshness: 0,
  freshnessDays: 30,
}

/** The least and the greatest value of each. */
const RANGES: Readonly<Record<keyof Ranking, readonly [number, number]>> = {
  k1: [0, 10],
  b: [0, 1],
  burst: [0, 1],
  title: [0, 10],
  anchor: [0, 10],
  coverage: [0, 10],
  pageRank: [0, 10],
  pageRankPivot: [0.01, 1000],
  repetition: [0, 1],
  freshness: [0, 10],
  freshnessDays: [0.01, 100_000],
}
const NAMES = Object.keys(RANGES) as (keyof Ranking)[]
const DAY = 86_400_000

/** What is wrong with a value of the option. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it must be an object of weights'
  for (const [name, weight] of Object.entries(value)) {
    if (!Object.hasOwn(RANGES, name)) return `there is no weight "${name}", only ${NAMES.join(', ')}`
    const [least, most] = RANGES[name as keyof Ranking]
    if (!(typeof weight === 'number' && weight >= least && weight <= most)) {
      return `"${name}" must be a number from ${least} to ${most}`
    }
  }
  return undefined
}

/** Weights that differ from {@link DEFAULT_RANKING}; an object, in a variable as JSON. */
export const rankingOption: OptionSpec<Ranking> = {
  default: DEFAULT_RANKING,
  expects: `an object of ${NAMES.join(', ')}`,
  parse(value) {
    const given = fromText(value)
    return faultOf(given) === undefined ? { ...DEFAULT_RANKING, ...(given as Partial<Ranking>) } : undefined
  },
  explain: (value) => faultOf(fromText(value)),
}

function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** How the words of a query are scored. */
export function scoringOf({ k1, b, burst, title, anchor, coverage }: Ranking): CombinedScoring {
  const bonuses = { [PageField.title]: title, [PageField.anchor]: anchor }
  return { k1, b, burst, coverage, bonuses, functionWords: ENGLISH_FUNCTION_WORDS }
}

/** A query whose scores are multiplied by what the page is worth whatever is asked: how it is linked, written, and how old it is. */
export function withStaticFactors(query: Query, ranking: Ranking): Query {
  const { pageRank, pageRankPivot, repetition, freshness, freshnessDays } = ranking
  const ranked = new StaticRankQuery(query, PageField.pageRank, { factor: pageRank, pivot: pageRankPivot })
  const honest = repetition === 0 ? ranked : new FunctionScoreQuery(ranked, lessFor(repetition))
  if (freshness === 0) return honest
  const field = PageField.published
  return new FunctionScoreQuery(honest, {
    kind: 'exponential',
    field,
    scale: freshnessDays * DAY,
    base: 1,
    weight: freshness,
  })
}

/** From 1 down to 1 − most, the more a page repeats itself. */
function lessFor(most: number): ScoreFunction {
  return { kind: 'value', field: PageField.repetition, modifier: 'reciprocal', base: 1 - most, weight: most }
}
