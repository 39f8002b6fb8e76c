/** Random query trees over the words of a collection. */
import type { Occur } from '@spindle/index'
import type { Random } from '../support/random.js'
import { type SearchTask, SIMILARITIES, type SimilarityName } from './engine.js'
import type { ClauseNode, QueryNode } from './query-node.js'
import { TEXT_FIELDS, type TextField, type Vocabulary } from './vocabulary.js'

/** What a collection allows. */
export interface QueryChoices {
  /**
   * Whether every document is short enough for the lengths of its fields to be added exactly: Lucene rounds their sum to
   * one byte once more, ours adds the rounded ones.
   */
  readonly combined: boolean
}

type Maker = () => QueryNode

/** Makes queries; each draws its kind first, so that every kind is as frequent as its weight says. */
export class RandomQueries {
  readonly #random: Random
  readonly #vocabulary: Vocabulary
  readonly #leaves: readonly (readonly [weight: number, make: Maker])[]
  #similarity: SimilarityName = 'bm25'

  constructor(random: Random, vocabulary: Vocabulary, choices: QueryChoices) {
    this.#random = random
    this.#vocabulary = vocabulary
    this.#leaves = [
      [30, () => this.#term()],
      [12, () => this.#phrase()],
      [4, () => this.#prefix()],
      [4, () => this.#wildcard()],
      [4, () => this.#termRange()],
      [4, () => this.#numberRange()],
      [2, () => ({ kind: 'exists', field: random.pick(['title', 'body', 'tag', 'size', 'rank', 'nowhere']) })],
      [1, () => ({ kind: random.pick(['all', 'all', 'none']) })],
      [choices.combined ? 6 : 0, () => this.#combined()],
    ]
  }

  /** The next query with the formula to score by. */
  next(): SearchTask {
    this.#similarity = this.#random.pick(SIMILARITIES)
    return { query: this.#query(3), similarity: this.#similarity }
  }

  /** A query of at most so many levels of compound ones. */
  #query(depth: number): QueryNode {
    const random = this.#random
    if (depth === 0 || random.chance(0.3)) return this.#leaf()
    const kind = random.next()
    if (kind < 0.2) return this.#words()
    if (kind < 0.65) return this.#boolean(depth)
    if (kind < 0.75) return { kind: 'constant', query: this.#query(depth - 1) }
    if (kind < 0.87) return { kind: 'boost', boost: random.pick([0, 0.5, 2, 3.25, 100]), query: this.#query(depth - 1) }
    const queries = Array.from({ length: 1 + random.below(4) }, () => this.#query(depth - 1))
    return { kind: 'dismax', tieBreaker: random.pick([0, 0.1, 0.5, 1]), queries }
  }

  #leaf(): QueryNode {
    let at = this.#random.next() * this.#leaves.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, make] of this.#leaves) {
      at -= weight
      if (at < 0) return make()
    }
    return this.#term()
  }

  #field(): TextField {
    return this.#random.chance(0.7) ? 'body' : 'title'
  }

  #term(): QueryNode {
    const random = this.#random
    if (random.chance(0.1)) return { kind: 'term', field: 'tag', text: this.#vocabulary.tag(random) }
    const field = this.#field()
    return { kind: 'term', field, text: this.#vocabulary.word(random, field) }
  }

  /** Words alone, as most queries are: alternatives, or all required. */
  #words(): QueryNode {
    const random = this.#random
    const occur: Occur = random.chance(0.6) ? 'should' : 'must'
    const clauses = Array.from({ length: 2 + random.below(random.chance(0.1) ? 20 : 4) }, () => ({
      occur,
      query: this.#term(),
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

  /** An exact phrase, mostly of words that stand so in some text, also with gaps and several words at one place. */
  #phrase(): QueryNode {
    const random = this.#random
    const field = this.#field()
    const length = random.pick([1, 2, 2, 2, 3, 3, 4, 6])
    const texts = random.chance(0.8)
      ? this.#vocabulary.stretch(random, field, length)
      : Array.from({ length }, () => this.#vocabulary.word(random, field))
    const words = texts.map((text, position) => ({ text, position }))
    if (random.chance(0.2) && words.length > 2) words.splice(1 + random.below(words.length - 2), 1)
    if (random.chance(0.1)) words.push({ text: this.#vocabulary.word(random, field), position: words.at(-1)!.position })
    return { kind: 'phrase', field, slop: 0, words }
  }

  /** A word to be changed: of a text, or a keyword. */
  #anyWord(): { readonly field: string; readonly text: string } {
    const random = this.#random
    if (random.chance(0.15)) return { field: 'tag', text: this.#vocabulary.tag(random) }
    const field = this.#field()
    return { field, text: this.#vocabulary.word(random, field) }
  }

  #prefix(): QueryNode {
    const { field, text } = this.#anyWord()
    const letters = [...text]
    return { kind: 'prefix', field, pattern: letters.slice(0, this.#random.below(letters.length + 1)).join('') }
  }

  /** A word in which letters are replaced by `?` or stretches by `*`, sometimes an escaped or a strange one. */
  #wildcard(): QueryNode {
    const random = this.#random
    const { field, text } = this.#anyWord()
    const letters = [...text]
    for (let n = 1 + random.below(2); n > 0; n--) {
      const at = random.below(letters.length + 1)
      if (random.chance(0.4)) letters.splice(at, 1, '?')
      else letters.splice(at, random.below(3), '*')
    }
    if (random.chance(0.1)) letters.splice(random.below(letters.length + 1), 0, random.pick(['\\*', '\\?', '*?', '**']))
    const escaped = random.below(letters.length)
    if (random.chance(0.1) && letters[escaped]!.length === 1) letters[escaped] = `\\${letters[escaped]}`
    return { kind: 'wildcard', field, pattern: letters.join('') }
  }

  #termRange(): QueryNode {
    const random = this.#random
    const field = random.pick([...TEXT_FIELDS, 'tag', 'id'] as const)
    const bound = (): string | null => {
      if (random.chance(0.15)) return null
      if (field === 'tag') return this.#vocabulary.tag(random)
      if (field === 'id') return `${random.below(2000)}`
      const word = this.#vocabulary.word(random, field)
      return random.chance(0.3) ? [...word].slice(0, 2).join('') : word
    }
    let [lower, upper] = [bound(), bound()]
    if (lower !== null && upper !== null && lower > upper && random.chance(0.9)) [lower, upper] = [upper, lower]
    return {
      kind: 'termRange',
      field,
      lower,
      upper,
      includeLower: random.chance(0.5),
      includeUpper: random.chance(0.5),
    }
  }

  #numberRange(): QueryNode {
    const random = this.#random
    const field = random.pick(['size', 'rank'] as const)
    const bound = (open: number): number => (random.chance(0.15) ? open : this.#vocabulary.number(random, field))
    let [from, to] = [bound(Number.NEGATIVE_INFINITY), bound(Number.POSITIVE_INFINITY)]
    if (from > to && random.chance(0.9)) [from, to] = [to, from]
    return { kind: 'numberRange', field, from, to }
  }

  #combined(): QueryNode {
    // Ours is scored by BM25 over the sums whatever the formula of the other queries is.
    if (this.#similarity !== 'bm25') return this.#term()
    const text = this.#vocabulary.word(this.#random, this.#field())
    return { kind: 'combined', fields: TEXT_FIELDS.map((name) => ({ name, weight: 1 })), text }
  }
}
