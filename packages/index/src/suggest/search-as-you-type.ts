/** The query for a text that is still being typed: its last word is one that begins so. */
import type { Analyzer } from '../analysis/analyzer.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { DisjunctionMaxQuery } from '../search/query/disjunction-max-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'

/** Terms of a text, at most; what is behind them is not asked for. */
const MAX_TERMS = 32
/** Share of the fields that are not a word's best one. */
const TIE_BREAKER = 0.3

/** Terms of a layer that overlap in the text, or one that overlaps none. */
interface Run {
  readonly layer: string
  readonly terms: string[]
  readonly positions: number[]
  readonly start: number
  end: number
}

/**
 * Matches documents with all words of a text, each in any of the fields, where the last one counts as the beginning of a
 * word, too, unless something stands behind it. Chinese is looked for as it stands, wherever in the field: there, any
 * beginning of a word is a part of the text.
 * @param analyzer of all the fields
 * @returns null where there is no word in the text
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   searchAsYouType,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const analyzer = new StandardAnalyzer()
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer })
 * for (const title of ['silk road', 'silk roses', 'silk']) {
 *   await writer.addDocument(new Document().add(Field.text('title', title)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(searchAsYouType('silk ro', ['title'], analyzer))) // 2
 * console.log(await searcher.count(searchAsYouType('silk ro ', ['title'], analyzer))) // 0
 * ```
 */
export function searchAsYouType(text: string, fields: readonly string[], analyzer: Analyzer): Query | null {
  const runs = runsOf(text, analyzer)
  const clauses = runs.map((run, i) => {
    const isOpen = i === runs.length - 1 && run.end === text.length && run.terms.length === 1 && run.layer === ''
    const queries = fields.map((field) => runQuery(`${field}${run.layer}`, run, isOpen))
    return queries.length === 1 ? queries[0]! : new DisjunctionMaxQuery(queries, TIE_BREAKER)
  })
  if (clauses.length === 0) return null
  return clauses.length === 1
    ? clauses[0]!
    : new BooleanQuery(clauses.map((query) => ({ query, occur: 'must' as const })))
}

function runQuery(field: string, { terms, positions }: Run, isOpen: boolean): Query {
  if (terms.length > 1) return new PhraseQuery(field, terms, positions)
  const term = new TermQuery(new Term(field, terms[0]!))
  if (!isOpen) return term
  // The word itself, where it is one, says more than those that begin with it.
  return new BooleanQuery([
    { query: term, occur: 'should' },
    { query: new PrefixQuery(field, terms[0]!), occur: 'should' },
  ])
}

/** Runs of the main layer, and single characters. */
function runsOf(text: string, analyzer: Analyzer): Run[] {
  const runs: Run[] = []
  const characters: Run[] = []
  const characterLayer = analyzer.queryPlan?.characterLayer
  let position = -1
  let terms = 0
  analyzer.analyze(text, {
    token(term, start, end, increment, layer) {
      if (layer === characterLayer) {
        if (characters.length < MAX_TERMS) {
          characters.push({ layer: `#${analyzer.layers[layer]!.name}`, terms: [term], positions: [0], start, end })
        }
        return
      }
      if (layer !== 0) return
      position += increment
      if (++terms > MAX_TERMS) return
      const last = runs.at(-1)
      if (last !== undefined && start < last.end) {
        last.terms.push(term)
        last.positions.push(position)
        last.end = end
      } else runs.push({ layer: '', terms: [term], positions: [position], start, end })
    },
  })
  for (const one of characters) {
    // A character alone is a run of its own in the main layer, which is found only where it stands alone.
    const at = runs.findIndex((run) => run.start < one.end && one.start < run.end)
    if (at < 0) runs.push(one)
    else if (runs[at]!.start === one.start && runs[at]!.end === one.end) runs[at] = one
  }
  for (const { positions } of runs) {
    const first = positions[0]!
    for (let i = 0; i < positions.length; i++) positions[i] = positions[i]! - first
  }
  return runs.sort((a, b) => a.start - b.start)
}
