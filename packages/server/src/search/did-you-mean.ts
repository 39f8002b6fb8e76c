/**
 * What a query with few hits was meant as: of the spell checker's guesses the likeliest that clearly finds more. Hits
 * count here where they hold all words, since a page with the other words of a query says nothing of a misspelled one.
 */
import { isSpindleError, PageField } from '@spindle/core'
import { type SearchStop, SpellChecker } from '@spindle/index'
import { filteredQuery } from './filtered-query.js'
import type { IndexSnapshot } from './index-snapshot.js'
import { parseQuery } from './parse-query.js'
import type { SearchRequest } from './search-backend.js'
import type { QuerySettings } from './search-settings.js'

/** A query with more hits than these is right. */
const FEW = 5
/** A correction has to find so many times as much. */
const CLEARLY_MORE = 3
/** A longer run is a sentence. */
const SHORT_RUN = /(?<!\p{Script=Han})\p{Script=Han}{2,4}(?!\p{Script=Han})/gu
/** Guesses that are counted. */
const MAX_COUNTED = 4

/**
 * The query to offer; null where there is none or the time runs out.
 * @param total hits of the query as typed
 * @throws the reason of the signal
 */
export async function didYouMean(
  request: SearchRequest,
  snapshot: IndexSnapshot,
  total: number,
  settings: QuerySettings,
  stop: () => SearchStop,
): Promise<string | null> {
  const { query } = request
  const { reader, searcher } = snapshot
  const count = (text: string): Promise<number> => {
    const parsed = parseQuery(asTyped(text), reader, { ...settings, leniency: 'all', operator: 'and' })
    return parsed.empty ? Promise.resolve(0) : searcher.count(filteredQuery(parsed.query, request.filters), stop())
  }
  try {
    // Counting is cheap beside guessing.
    const own = total === 0 ? 0 : await count(query)
    if (own > FEW) return null
    const checker = new SpellChecker(reader, {
      fields: [PageField.body, PageField.title],
      analyzer: reader.analyzers.forField(PageField.body),
    })
    const guesses = await checker.corrections(query, stop())
    let best: { readonly text: string; readonly score: number } | null = null
    for (const { text, score } of guesses.slice(0, MAX_COUNTED)) {
      const hits = await count(text)
      if (hits === 0 || hits < CLEARLY_MORE * own + 1) continue
      const weighed = score + Math.log(hits)
      if (best === null || weighed > best.score) best = { text, score: weighed }
    }
    return best?.text ?? null
  } catch (error) {
    if (isSpindleError(error, 'QUERY_TIMEOUT') || isSpindleError(error, 'QUERY_TOO_COMPLEX')) return null
    throw error
  }
}

/** Short runs of Chinese as phrases: their characters one by one say nothing of the word. */
function asTyped(text: string): string {
  return /["＂“”]/.test(text) ? text : text.replace(SHORT_RUN, '"$&"')
}
