/** Queries of an evaluation, asked as the search page asks them. */
import type { RankedDocument, Topics } from '@spindle/index'
import type { LocalIndexBackend } from './local-index-backend.js'
import type { PageNames } from './page-names.js'
import { searchRequest } from './search-request.js'

/** What came. */
export interface Answers {
  /** By query, the pages that were found, by the names of the judgements. */
  readonly run: ReadonlyMap<string, readonly RankedDocument[]>
  /** Milliseconds that the first page of results took, a query each. */
  readonly times: Float64Array
}

/** @param depth pages that are asked for, a query */
export async function askTopics(
  backend: Pick<LocalIndexBackend, 'rank' | 'search'>,
  topics: Topics,
  names: PageNames,
  depth: number,
): Promise<Answers> {
  const run = new Map<string, readonly RankedDocument[]>()
  const times: number[] = []
  for (const [id, text] of topics) {
    const { request } = searchRequest({ q: text }, true)
    const { tookMs } = await backend.search({ ...request, facets: false })
    times.push(tookMs)
    run.set(id, names.ranking(await backend.rank(request, depth)))
  }
  return { run, times: Float64Array.from(times) }
}
