/** The query for documents like one of the index, from what is stored of it. */
import type { Analyzer } from '../analysis/analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import type { IndexReader } from '../reading/index-reader.js'
import { BooleanQuery } from './query/boolean-query.js'
import { type MoreLikeThisOptions, MoreLikeThisQuery } from './query/more-like-this-query.js'
import type { Query } from './query/query.js'
import { SingleDocumentQuery } from './query/single-document-query.js'

/** Options of {@link IndexSearcher.moreLikeThis}. */
export interface MoreLikeDocumentOptions extends MoreLikeThisOptions {
  /** Fields that are compared; stored ones of it; those that are text where not given. */
  readonly fields?: readonly string[]
}

/** @param docId index-wide id */
export async function likeDocument(
  reader: IndexReader,
  docId: number,
  { fields, ...options }: MoreLikeDocumentOptions,
): Promise<Query> {
  const document = await reader.document(docId)
  const names = fields ?? document.fields.filter(({ type }) => type.kind === 'text').map(({ name }) => name)
  const texts = Object.fromEntries([...new Set(names)].map((name) => [name, document.getAll(name)]))
  // Of what was indexed as it is, the value is the word.
  const isText = (name: string): boolean =>
    document.fields.some((field) => field.name === name && field.type.kind === 'text')
  const analyzers = {
    forField: (name: string): Analyzer => (isText(name) ? reader.analyzers.forField(name) : new KeywordAnalyzer()),
  }
  let leaf = 0
  while (leaf + 1 < reader.docBases.length && reader.docBases[leaf + 1]! <= docId) leaf++
  return new BooleanQuery([
    { query: new MoreLikeThisQuery(texts, analyzers, options), occur: 'must' },
    { query: new SingleDocumentQuery(reader.segments[leaf]!, docId - reader.docBases[leaf]!), occur: 'mustNot' },
  ])
}
