/** Completes what is being typed, by titles and headings of the pages of one commit. */
import { decodeSections, PageField } from '@spindle/core'
import { Completer, type Document, type IndexSearcher, type Query, StaticRankQuery } from '@spindle/index'
import { DEFAULT_RANKING } from './ranking.js'

/** Suggestions, at most. */
export const MAX_SUGGESTIONS = 10

const RANK = { factor: DEFAULT_RANKING.pageRank, pivot: DEFAULT_RANKING.pageRankPivot }

/** A completer over what the searcher sees now. @param document reads stored fields @param limitQuery leaves pages out */
export function pageCompleter(
  searcher: IndexSearcher,
  document: (docId: number) => Promise<Document>,
  limitQuery: (query: Query) => Query,
): Completer {
  return new Completer(searcher, {
    field: PageField.title,
    analyzer: searcher.reader.analyzers.forField(PageField.title),
    rank: (query) => limitQuery(new StaticRankQuery(query, PageField.pageRank, RANK)),
    headings: {
      field: PageField.body,
      of: (page) =>
        decodeSections(page.get(PageField.sections) ?? '').flatMap(({ heading }) =>
          heading === undefined ? [] : [heading],
        ),
    },
    document,
  })
}
