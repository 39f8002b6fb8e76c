/** Documents that share the telling words of a text. */
import type { Analyzer } from '../../analysis/analyzer.js'
import { layerFieldName } from '../../document/field-info.js'
import type { SearchContext } from '../search-context.js'
import { ClassicSimilarity } from '../similarity/classic-similarity.js'
import { Term } from '../term.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { BooleanQuery } from './boolean-query.js'
import { BoostQuery } from './boost-query.js'
import { Query, type QueryVisitor } from './query.js'
import { TermQuery } from './term-query.js'

/** Which words of the text are asked for; what is not given is as in Lucene's MoreLikeThis. */
export interface MoreLikeThisOptions {
  /** Words that stand in the text less often are not asked for; 2 where not given. */
  readonly minTermFreq?: number
  /** Nor are those that fewer documents hold; 5 where not given. */
  readonly minDocFreq?: number
  /** Nor those that more documents hold; no limit where not given. */
  readonly maxDocFreq?: number
  /** Words that are asked for, at most: those with the greatest frequency in the text times idf; 25 where not given. */
  readonly maxQueryTerms?: number
  /** Length of a word in UTF-16 units, at least and at most; any where not given. */
  readonly minWordLength?: number
  readonly maxWordLength?: number
  /** Words, as they are indexed, that are not asked for; none where not given. */
  readonly stopWords?: ReadonlySet<string>
  /** Tokens of a field that are looked at, at most; 5,000 where not given. */
  readonly maxTokens?: number
  /** Whether a word counts by its frequency in the text times idf, the best one as 1; otherwise all count alike. */
  readonly boost?: boolean
  /** Share of the words that a document must hold, 0–1; one word is enough where not given. */
  readonly minimumShare?: number
}

/** A text to which others are to be like: by field, or several texts of a field. */
export type LikeText = Readonly<Record<string, string | readonly string[]>>

interface CandidateTerm {
  readonly term: Term
  readonly freq: number
}

const TF_IDF = new ClassicSimilarity()

/**
 * Matches documents with one of the words of a text that tell it from others: frequent in the text, rare in the index.
 * Of an analyzer with words beside pairs of characters (Chinese) the words are asked for. Which words these are is known
 * for an index only: visitors are shown all that come into question. As a filter that is kept, and for deleting, it
 * chooses them for each segment.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   MoreLikeThisQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk moths eat leaves', 'silk of moths', 'tea leaves', 'porcelain']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const query = new MoreLikeThisQuery({ body: 'Moths spin silk' }, new StandardAnalyzer(), { minTermFreq: 1, minDocFreq: 1 })
 * const hits = await searcher.search(query)
 * console.log(hits.length, (await hits.doc(0)).get('body')) // 2 silk of moths
 *
 * const others = await searcher.moreLikeThis(hits.docId(0), { minTermFreq: 1, minDocFreq: 1 })
 * console.log((await others.doc(0)).get('body')) // silk moths eat leaves
 * ```
 */
export class MoreLikeThisQuery extends Query {
  readonly fields: readonly string[]
  readonly options: MoreLikeThisOptions
  readonly #candidates: readonly CandidateTerm[]

  /**
   * @param analyzers those of the fields, or one for all
   * @throws RangeError for an option out of its range
   */
  constructor(
    like: LikeText,
    analyzers: Analyzer | { forField(name: string): Analyzer },
    options: MoreLikeThisOptions = {},
  ) {
    super()
    const { minTermFreq = 2, minDocFreq = 5, maxQueryTerms = 25, maxTokens = 5000, minimumShare = 0 } = options
    for (const [name, value] of Object.entries({ minTermFreq, minDocFreq, maxQueryTerms, maxTokens })) {
      if (!(Number.isSafeInteger(value) && value >= 0))
        throw new RangeError(`${name} must be a whole number ≥ 0: ${value}`)
    }
    if (!(minimumShare >= 0 && minimumShare <= 1)) {
      throw new RangeError(`minimumShare must be between 0 and 1: ${minimumShare}`)
    }
    this.fields = Object.keys(like)
    this.options = options
    const candidates: CandidateTerm[] = []
    for (const [field, text] of Object.entries(like)) {
      const analyzer = 'forField' in analyzers ? analyzers.forField(field) : analyzers
      const layer = analyzer.queryPlan?.words?.layer ?? 0
      const name = layerFieldName(field, analyzer.layers[layer]!.name)
      const texts = typeof text === 'string' ? [text] : text
      for (const [word, freq] of countWords(analyzer, layer, texts, maxTokens)) {
        if (freq >= minTermFreq && !isNoise(word, options)) candidates.push({ term: new Term(name, word), freq })
      }
    }
    this.#candidates = candidates
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const chosen = this.#choose(context)
    if (chosen.length === 0) return new MatchNoneWeight()
    const best = chosen[0]!.score
    const clauses = chosen.map(({ term, score }) => {
      const query = new TermQuery(term)
      return {
        query: this.options.boost === true && best > 0 ? new BoostQuery(query, score / best) : query,
        occur: 'should' as const,
      }
    })
    const minimum = Math.floor((this.options.minimumShare ?? 0) * clauses.length)
    return new BooleanQuery(clauses, minimum).createWeight(context, boost)
  }

  /** The words that are asked for, the best first. */
  #choose(context: SearchContext): { readonly term: Term; readonly score: number }[] {
    const { minDocFreq = 5, maxDocFreq = Infinity, maxQueryTerms = 25 } = this.options
    let numDocs = 0
    for (const segment of context.segments) numDocs += segment.numDocs
    const scored: { term: Term; score: number }[] = []
    for (const { term, freq } of this.#candidates) {
      const docFreq = context.termStats(term.field, term.text)?.docFreq ?? 0
      if (docFreq === 0 || docFreq < minDocFreq || docFreq > maxDocFreq) continue
      scored.push({ term, score: freq * TF_IDF.idf(docFreq, numDocs) })
    }
    scored.sort((a, b) => b.score - a.score)
    return scored.slice(0, maxQueryTerms)
  }

  visit(visitor: QueryVisitor): void {
    for (const { term } of this.#candidates) visitor.term(term)
  }

  toString(): string {
    return `like:(${this.fields.join(' ')})`
  }
}

function isNoise(
  word: string,
  { minWordLength = 0, maxWordLength = Infinity, stopWords }: MoreLikeThisOptions,
): boolean {
  return word.length < minWordLength || word.length > maxWordLength || stopWords?.has(word) === true
}

/** How often each word of a layer stands in the first `maxTokens` tokens of the texts together. */
function countWords(
  analyzer: Analyzer,
  layer: number,
  texts: readonly string[],
  maxTokens: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  let tokens = 0
  const sink = {
    token(term: string, _start: number, _end: number, _increment: number, tokenLayer: number): void {
      if (tokenLayer !== layer || tokens++ >= maxTokens) return
      counts.set(term, (counts.get(term) ?? 0) + 1)
    },
  }
  for (const text of texts) {
    if (tokens < maxTokens) analyzer.analyze(text, sink)
  }
  return counts
}
