/** Query trees as queries of this project. */
import {
  BooleanQuery,
  BoostQuery,
  CombinedFieldQuery,
  ConstantScoreQuery,
  DisjunctionMaxQuery,
  ExistsQuery,
  FunctionScoreQuery,
  FuzzyQuery,
  MatchAllQuery,
  MatchNoneQuery,
  MoreLikeThisQuery,
  MultiPhraseQuery,
  type NearClause,
  NearQuery,
  NumberRangeQuery,
  PhraseQuery,
  PrefixQuery,
  type Query,
  RegexpQuery,
  type ScoreFunction,
  Term,
  TermQuery,
  TermRangeQuery,
  TermSetQuery,
  WildcardQuery,
} from '@spindle/index'
import type { FunctionNode, NearNode, QueryNode, SpanNode } from './query-node.js'
import { WhitespaceAnalyzer } from './whitespace-analyzer.js'

/** The query that a tree describes. */
export function toQuery(node: QueryNode): Query {
  switch (node.kind) {
    case 'term':
      return new TermQuery(new Term(node.field, node.text))
    case 'boolean': {
      const clauses = node.clauses.map(({ occur, query }) => ({ occur, query: toQuery(query) }))
      return new BooleanQuery(clauses, node.minimum)
    }
    case 'boost':
      return new BoostQuery(toQuery(node.query), node.boost)
    case 'constant':
      return new ConstantScoreQuery(toQuery(node.query))
    case 'dismax':
      return new DisjunctionMaxQuery(node.queries.map(toQuery), node.tieBreaker)
    case 'all':
      return new MatchAllQuery()
    case 'none':
      return new MatchNoneQuery()
    case 'exists':
      return new ExistsQuery(node.field)
    case 'phrase': {
      const texts = node.words.map(({ text }) => text)
      const positions = node.words.map(({ position }) => position)
      return new PhraseQuery(node.field, texts, positions, node.slop)
    }
    case 'multiPhrase': {
      const texts = node.places.map((place) => place.texts)
      const positions = node.places.map(({ position }) => position)
      return new MultiPhraseQuery(node.field, texts, positions, node.slop)
    }
    case 'near':
      return toNear(node)
    case 'prefix':
      return new PrefixQuery(node.field, node.pattern)
    case 'wildcard':
      return new WildcardQuery(node.field, node.pattern)
    case 'regexp':
      return new RegexpQuery(node.field, node.pattern)
    case 'fuzzy': {
      const { maxEdits, prefixLength, maxExpansions, transpositions } = node
      return new FuzzyQuery(node.field, node.text, { maxEdits, prefixLength, maxExpansions, transpositions })
    }
    case 'termSet':
      return new TermSetQuery(node.field, node.texts)
    case 'termRange':
      return new TermRangeQuery(node.field, node.lower, node.upper, node.includeLower, node.includeUpper)
    case 'numberRange':
      return new NumberRangeQuery(node.field, { gte: node.from, lte: node.to })
    case 'combined': {
      const fields = node.fields.map(({ name, weight }) => ({ name, weight, bonus: 0 }))
      // Lucene's formula: that of BM25 over the sums, no burst.
      return new CombinedFieldQuery(fields, node.text, { k1: 1.2, b: 0.75, burst: 0 })
    }
    case 'like': {
      const { minTermFreq, minDocFreq } = node
      // All words: of those that count alike, each engine would leave out others.
      const options = { minTermFreq, minDocFreq, maxQueryTerms: Number.MAX_SAFE_INTEGER }
      return new MoreLikeThisQuery({ [node.field]: node.text }, new WhitespaceAnalyzer(), options)
    }
    case 'function': {
      const { combine, field, base, weight } = node
      const parts = { field, base, weight }
      return new FunctionScoreQuery(toQuery(node.query), scoreFunction(node.function, parts), { combine })
    }
  }
}

function toNear({ spans, slop, inOrder }: NearNode): NearQuery {
  return new NearQuery(spans.map(toClause), { slop, inOrder })
}

function toClause(span: SpanNode): NearClause {
  if (span.kind === 'spanTerm') return new Term(span.field, span.text)
  return span.kind === 'spanOr' ? span.spans.map(toClause) : toNear(span)
}

function scoreFunction(
  node: FunctionNode,
  parts: { readonly field: string; readonly base: number; readonly weight: number },
): ScoreFunction {
  switch (node.kind) {
    case 'value':
      return { ...parts, kind: 'value' }
    case 'sqrt':
    case 'ln1p':
      return { ...parts, kind: 'value', modifier: node.kind }
    case 'saturation':
      return { ...parts, kind: 'saturation', pivot: node.pivot }
    case 'exponential':
      return { ...parts, kind: 'exponential', origin: node.origin, scale: node.scale }
  }
}
