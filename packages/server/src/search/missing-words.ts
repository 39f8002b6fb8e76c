/** Which words of a query each hit lacks: pages that have only some of them may be the best there are, but that is told. */
import { isSpindleError } from '@spindle/core'
import { BooleanQuery, type IndexSearcher, type Query, type QueryWord, type SearchStop } from '@spindle/index'

/** A query of more words is a sentence, of which pages rarely have every word. */
const MAX_WORDS = 8

/** What hits lack. */
export interface MissingWords {
  /** A list a hit, in their order. */
  readonly byHit: readonly (readonly string[])[]
  /** Matching pages that have all words; undefined where every hit has them, or where it could not be counted in time. */
  readonly withAll: number | undefined
}

/**
 * @param words of the query, those that are asked for
 * @param query what hits match, with all its limits
 * @param docIds the hits
 * @returns null where nothing can be told: one word, too many of them, or no time left
 * @throws the reason of the signal
 */
export async function missingWords(
  words: readonly QueryWord[],
  query: Query,
  searcher: IndexSearcher,
  docIds: readonly number[],
  stop: () => SearchStop,
): Promise<MissingWords | null> {
  if (words.length < 2 || words.length > MAX_WORDS || docIds.length === 0) return null
  const byHit = docIds.map((): string[] => [])
  try {
    for (const { text, query } of words) {
      const matching = await searcher.matchingOf(query, docIds, stop())
      for (const [i, matches] of matching.entries()) if (!matches) byHit[i]!.push(text)
    }
  } catch (error) {
    return onLimit(error, null)
  }
  if (byHit.every((missing) => missing.length === 0)) return { byHit, withAll: undefined }
  try {
    const all = [query, ...words.map((word) => word.query)]
    const together = new BooleanQuery(all.map((query) => ({ query, occur: 'filter' })))
    return { byHit, withAll: await searcher.count(together, stop()) }
  } catch (error) {
    return onLimit(error, { byHit, withAll: undefined })
  }
}

function onLimit<T>(error: unknown, result: T): T {
  if (isSpindleError(error, 'QUERY_TIMEOUT') || isSpindleError(error, 'QUERY_TOO_COMPLEX')) return result
  throw error
}
