/**
 * The product's queries with one part of their score taken out at a time: what each part is worth. Parts of the query are changed in the
 * query that the search page makes, parts of the analysis by another index.
 */
import {
  BooleanQuery,
  BoostQuery,
  ChineseAnalyzer,
  CombinedFieldQuery,
  CoverageQuery,
  DisjunctionMaxQuery,
  ENGLISH_FUNCTION_WORDS,
  IndexSearcher,
  MatchNoneQuery,
  PhraseQuery,
  StaticRankQuery,
  TermQuery,
} from '@spindle/index'
import { parseQuery } from '../../dist/search/parse-query.js'
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

const combined = (change) => (query) =>
  query instanceof CombinedFieldQuery ? change(query.fields, query.text, query.options) : null

/** What is taken out, by name. */
export const ABLATIONS = [
  { name: 'nothing: the product' },
  { name: 'stems', analyzer: () => new ChineseAnalyzer({ stemmer: 'none' }) },
  {
    name: 'greater weight and bonus of the title',
    weights: { title: 1 },
    edit: combined(
      (fields, text, options) =>
        new CombinedFieldQuery(
          fields
            .map((field) => ({ ...field, weight: Math.min(field.weight, 1), bonus: 0 }))
            .filter(({ weight }) => weight > 0),
          text,
          options,
        ),
    ),
  },
  { name: 'leaving out function words', functionWords: false },
  {
    name: 'burst factor',
    edit: combined((fields, text, options) => new CombinedFieldQuery(fields, text, { ...options, burst: 0 })),
  },
  {
    name: 'coverage factor',
    edit: (query) =>
      query instanceof CoverageQuery && query.factor !== 0
        ? edited(new CoverageQuery(query.queries, 0), ABLATIONS.find(({ name }) => name === 'coverage factor').edit)
        : null,
  },
  {
    name: 'what stands together as typed',
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
export async function ablatedRanking({ path }, { edit = () => null, functionWords = true }) {
  const searcher = await IndexSearcher.open(path)
  const ids = new Map()
  const idOf = async (docId) => {
    if (!ids.has(docId)) ids.set(docId, recordId((await searcher.reader.document(docId)).get('url')))
    return ids.get(docId)
  }
  const parse = (text) => parseQuery(text, searcher.reader.analyzers, 'all')
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
