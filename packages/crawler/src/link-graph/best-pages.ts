/** The pages of an index with the greatest numbers of those that links give. */
import { PageField } from '@spindle/core'
import { type Document, ExistsQuery, IndexSearcher } from '@spindle/index'

/** What pages can be listed by. */
export const RANKINGS = { pagerank: PageField.pageRank, hub: PageField.hub, authority: PageField.authority } as const

/** One of {@link RANKINGS}. */
export type Ranking = keyof typeof RANKINGS

/** A page by its links. */
export interface RankedPage {
  readonly url: string
  readonly title: string
  /** The number asked for; the mean of all pages is 1. */
  readonly value: number
}

/**
 * The best pages, the greatest number first.
 * @param path folder of an index
 * @throws SpindleError `INDEX_NOT_FOUND`, `INDEX_CORRUPT`
 */
export async function bestPages(path: string, by: Ranking, limit: number): Promise<RankedPage[]> {
  const field = RANKINGS[by]
  const searcher = await IndexSearcher.open(path)
  try {
    if (searcher.reader.segments.every((segment) => segment.fieldInfo(field) === undefined)) return []
    const hits = await searcher.search(new ExistsQuery(field), { limit, sort: [{ field, order: 'desc' }] })
    const pages: RankedPage[] = []
    for (let i = 0; i < Math.min(limit, hits.length); i++) {
      const document: Document = await hits.doc(i)
      const value = Number(hits.sortValues(i)?.[0])
      pages.push({ url: document.get(PageField.url) ?? '', title: document.get(PageField.title) ?? '', value })
    }
    return pages
  } finally {
    await searcher.close()
  }
}
