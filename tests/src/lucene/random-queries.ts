/** Random query trees over the words of a collection. */
import type { Occur } from '@spindle/index'
import type { Random } from '../support/random.js'
import { type SearchTask, SIMILARITIES, type SimilarityName } from './engine.js'
import type { ClauseNode, QueryNode } from './query-node.js'
import { randomMultiPhrase, randomNear, randomPhrase, randomSloppyPhrase } from './random-positions.js'
import {
  randomFuzzy,
  randomLike,
  randomPrefix,
  randomRegexp,
  randomTerm,
  randomTermRange,
  randomTermSet,
  randomWildcard,
} from './random-words.js'
import { type Draw, TEXT_FIELDS, type Vocabulary, wordField } from './vocabulary.js'

/** What a collection allows. */
export interface QueryChoices {
  /** Whether every document is so short that the lengths of its fields, and their sum, fit the byte of a norm exactly. */
  readonly combined: boolean
}

type Maker = (draw: Draw) => QueryNode

/** Queries without others in them, with how frequent they are. */
const LEAVES: readonly (readonly [weight: number, make: Maker])[] = [
  [30, randomTerm],
  [10, randomPhrase],
  [7, randomSloppyPhrase],
  [5, randomMultiPhrase],
  [7, randomNear],
  [4, randomPrefix],
  [4, randomWildcard],
  [4, randomRegexp],
  [5, randomFuzzy],
  [3, randomTermSet],
  [3, randomLike],
  [4, randomTermRange],
  [4, randomNumberRange],
  [2, ({ random }) => ({ kind: 'exists', field: random.pick(['title', 'body', 'tag', 'size', 'rank', 'nowhere']) })],
  [1, ({ random }) => ({ kind: random.pick(['all', 'all', 'none']) })],
]
const LEAF_WEIGHT = LEAVES.reduce((sum, [weight]) => sum + weight, 0)

/** Makes queries; each draws its kind first, so that every kind is as frequent as its weight says. */
export class RandomQueries {
  readonly #draw: Draw
  readonly #random: Random
  readonly #choices: QueryChoices
  #similarity: SimilarityName = 'bm25'
  /** Queries of one kind alone that were made. */
  #alone = 0

  constructor(random: Random, vocabulary: Vocabulary, choices: QueryChoices) {
    this.#draw = { random, vocabulary }
    this.#random = random
    this.#choices = choices
  }

  /** The next query with the formula to score by: a third of them of one kind alone, all kinds in turn. */
  next(): SearchTask {
    this.#similarity = this.#random.pick(SIMILARITIES)
    const query = this.#random.chance(0.3) ? LEAVES[this.#alone++ % LEAVES.length]![1](this.#draw) : this.#query(3)
    return { query, similarity: this.#similarity }
  }

  /** A query of at most so many levels of compound ones. */
  #query(depth: number): QueryNode {
    const random = this.#random
    if (depth === 0 || random.chance(0.2)) return this.#leaf()
    const kind = random.next()
    if (kind < 0.2) return this.#words()
    if (kind < 0.65) return this.#boolean(depth)
    const inner = (): QueryNode => this.#query(depth - 1)
    if (kind < 0.72) return { kind: 'constant', query: inner() }
    if (kind < 0.82) return { kind: 'boost', boost: random.pick([0, 0.5, 2, 3.25, 100]), query: inner() }
    if (kind < 0.9) return this.#function(inner())
    const queries = Array.from({ length: 1 + random.below(4) }, inner)
    return { kind: 'dismax', tieBreaker: random.pick([0, 0.1, 0.5, 1]), queries }
  }

  #leaf(): QueryNode {
    const random = this.#random
    // A combined field is scored by BM25 here, whatever the formula of the other queries is.
    if (this.#choices.combined && this.#similarity === 'bm25' && random.chance(0.25)) return randomCombined(this.#draw)
    let at = random.next() * LEAF_WEIGHT
    const [, make] = LEAVES.find(([weight]) => {
      at -= weight
      return at < 0
    })!
    return make(this.#draw)
  }

  /** Words alone, as most queries are: alternatives, or all required. */
  #words(): QueryNode {
    const random = this.#random
    const occur: Occur = random.chance(0.6) ? 'should' : 'must'
    const clauses = Array.from({ length: 2 + random.below(random.chance(0.1) ? 20 : 4) }, () => ({
      occur,
      query: randomTerm(this.#draw),
    }))
    return { kind: 'boolean', minimum: occur === 'should' && random.chance(0.3) ? 1 + random.below(3) : 0, clauses }
  }

  #boolean(depth: number): QueryNode {
    const random = this.#random
    const clauses: ClauseNode[] = Array.from({ length: 1 + random.below(5) }, () => ({
      occur: random.pick<Occur>(['must', 'should', 'should', 'should', 'mustNot', 'filter']),
      query: this.#query(depth - 1),
    }))
    return { kind: 'boolean', minimum: random.chance(0.25) ? random.below(4) : 0, clauses }
  }

  /** A score that depends on a number of the document; rather flat, so that it does not drown the others. */
  #function(query: QueryNode): QueryNode {
    const random = this.#random
    const origin = this.#draw.vocabulary.number(random, 'size')
    return {
      kind: 'function',
      combine: random.pick(['multiply', 'add', 'replace']),
      field: random.pick(['size', 'rank']),
      function: random.pick([
        { kind: 'value' },
        { kind: 'sqrt' },
        { kind: 'ln1p' },
        { kind: 'saturation', pivot: random.pick([0.5, 1, 100]) },
        { kind: 'exponential', origin, scale: random.pick([10, 1000]) },
      ]),
      base: random.pick([0, 0.5, 1]),
      weight: random.pick([1, 0.25, 3]),
      query,
    }
  }
}

function randomNumberRange({ random, vocabulary }: Draw): QueryNode {
  const field = random.pick(['size', 'rank'] as const)
  const bound = (open: number): number => (random.chance(0.15) ? open : vocabulary.number(random, field))
  let [from, to] = [bound(Number.NEGATIVE_INFINITY), bound(Number.POSITIVE_INFINITY)]
  if (from > to && random.chance(0.9)) [from, to] = [to, from]
  return { kind: 'numberRange', field, from, to }
}

function randomCombined({ random, vocabulary }: Draw): QueryNode {
  const text = vocabulary.word(random, wordField(random))
  return { kind: 'combined', fields: TEXT_FIELDS.map((name) => ({ name, weight: 1 })), text }
}
