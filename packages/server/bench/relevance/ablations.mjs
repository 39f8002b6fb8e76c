/**
 * The product's queries with one part of their score taken out at a time: what each part is worth. Parts of the query are changed in the
 * query that the search page makes, parts of the analysis by another index.
 */
import { PageField } from '@spindle/core'
import { DEFAULT_PAGE_WEIGHTS } from '@spindle/crawler'
import {
  BooleanQuery,
  BoostQuery,
  ChineseAnalyzer,
  CombinedFieldQuery,
  CoverageQuery,
  DisjunctionMaxQuery,
  ENGLISH_FUNCTION_WORDS,
  FunctionScoreQuery,
  IndexSearcher,
  MatchNoneQuery,
  PhraseQuery,
  StaticRankQuery,
  TermQuery,
} from '@spindle/index'
import { parseQuery } from '../../dist/search/parse-query.js'
import { DEFAULT_RANKING } from '../../dist/search/ranking.js'
import { searchRequest } from '../../dist/search/search-request.js'
import { recordId } from './collection.mjs'
import { DEPTH } from './rankings.mjs'

const NOTHING = new MatchNoneQuery()

/** A query with some of its parts replaced; what `edit` gives null for stays, and its parts are looked at. */
function edited(query, edit) {
  const replaced = edit(query)
  if (replaced !== null) return replaced
  const all = (queries) => queries.map((part) => edited(part, edit)).filter((part) => part !== NOTHING)
  if (query instanceof BoostQuery) {
    const inner = edited(query.query, edit)
    return inner === NOTHING ? NOTHING : new BoostQuery(inner, query.boost)
  }
  if (query instanceof StaticRankQuery) return new StaticRankQuery(edited(query.query, edit), query.field, query)
  if (query instanceof FunctionScoreQuery) {
    return new FunctionScoreQuery(edited(query.query, edit), query.function, query)
  }
  if (query instanceof CoverageQuery) {
    const parts = all(query.queries)
    return parts.length === 0 ? NOTHING : new CoverageQuery(parts, query.factor)
  }
  if (query instanceof DisjunctionMaxQuery) {
    const parts = all(query.queries)
    return parts.length === 0 ? NOTHING : new DisjunctionMaxQuery(parts, query.tieBreaker)
  }
  if (query instanceof BooleanQuery) {
    const clauses = query.clauses
      .map(({ query: part, occur }) => ({ query: edited(part, edit), occur }))
      .filter(({ query: part }) => part !== NOTHING)
    return clauses.length === 0 ? NOTHING : new BooleanQuery(clauses, query.minimumShouldMatch)
  }
  // A wrapper that says how a query is shown, not how it scores.
  if (query.constructor.name === 'UnmarkedQuery') return edited(query.query, edit)
  if (query.query !== undefined || query.queries !== undefined) {
    throw new Error(`What is in a ${query.constructor.name} is not looked at: say here what becomes of it.`)
  }
  return query
}

const fieldsOf = (query) =>
  query instanceof CombinedFieldQuery
    ? { names: query.fields.map(({ name }) => name), text: query.text }
    : query instanceof TermQuery
      ? { names: [query.term.field], text: query.term.text }
      : null
const HAN = /\p{Script=Han}/u

/** Leaves out terms of Han characters in a layer. */
const withoutHan = (isLayer) => (query) => {
  const term = fieldsOf(query)
  return term !== null && HAN.test(term.text) && term.names.every(isLayer) ? NOTHING : null
}

/** What is taken out, by name: by another index (analyzer, weights), other weights of the ranking, or in the query. */
export const ABLATIONS = [
  { name: 'nothing: the product' },
  { name: 'stems', analyzer: () => new ChineseAnalyzer({ stemmer: 'none' }) },
  { name: 'greater weight of the title', weights: { ...DEFAULT_PAGE_WEIGHTS, [PageField.title]: 1 } },
  { name: 'bonus of the title', ranking: { title: 0, anchor: 0 } },
  { name: 'one combined list (title and text added up when asked)', combined: false },
  { name: 'leaving out function words', functionWords: false },
  { name: 'burst factor', ranking: { burst: 0 } },
  { name: 'coverage factor', ranking: { coverage: 0 } },
  {
    name: 'phrases: short words, and the query as typed',
    edit: (query) => (query instanceof CoverageQuery ? withoutPhrase(query) : null),
  },
  { name: 'words of Chinese (pairs alone)', edit: withoutHan((name) => name.endsWith('#word')) },
  { name: 'pairs of Chinese (words alone)', edit: withoutHan((name) => !name.includes('#')) },
]

function withoutPhrase({ queries, factor }) {
  const isPhrase = (query) =>
    query instanceof PhraseQuery ||
    ((query instanceof BoostQuery || query.constructor.name === 'UnmarkedQuery') && isPhrase(query.query)) ||
    (query instanceof DisjunctionMaxQuery && query.queries.every(isPhrase))
  const parts = queries.filter((query) => !isPhrase(query))
  return parts.length === 0 ? null : new CoverageQuery(parts, factor)
}

/** A ranking of a collection, see rankings.mjs, without a part; to be closed. */
export async function ablatedRanking(
  { path },
  { edit = () => null, functionWords = true, combined = true, ranking: changed = {} },
) {
  const searcher = await IndexSearcher.open(path)
  const { reader } = searcher
  const ids = new Map()
  const idOf = async (docId) => {
    if (!ids.has(docId)) ids.set(docId, recordId((await reader.document(docId)).get('url')))
    return ids.get(docId)
  }
  // Where no segment is seen, no combined field is.
  const index = combined ? reader : { segments: [], analyzers: reader.analyzers }
  const ranking = { ...DEFAULT_RANKING, ...changed }
  const parse = (text) => parseQuery(text, index, { leniency: 'all', ranking })
  return {
    async ranking(text) {
      const { request } = searchRequest({ q: text }, true)
      const { query, empty } = functionWords ? parse(request.query) : withAllWords(() => parse(request.query))
      if (empty) return []
      const hits = await searcher.search(edited(query, edit), { limit: DEPTH })
      const found = []
      for (let i = 0; i < hits.loaded; i++) found.push({ id: await idOf(hits.docId(i)), score: hits.score(i) })
      return found
    },
    close: () => searcher.close(),
  }
}

/** As if no word were a function word: the product has no setting for that. */
function withAllWords(work) {
  const words = [...ENGLISH_FUNCTION_WORDS]
  ENGLISH_FUNCTION_WORDS.clear()
  try {
    return work()
  } finally {
    for (const word of words) ENGLISH_FUNCTION_WORDS.add(word)
  }
}
