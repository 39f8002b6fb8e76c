/**
 * Chinese words that the letters of a query may stand for, where it finds little: each is a search of its own and says how much
 * it finds, since words that merely sound alike have nothing to do with each other.
 */
import { isSpindleError, PageField } from '@spindle/core'
import { PinyinWords, type SearchStop } from '@spindle/index'
import { filteredQuery } from './filtered-query.js'
import type { IndexSnapshot } from './index-snapshot.js'
import { parseQuery } from './parse-query.js'
import type { CountedQuery, SearchRequest } from './search-backend.js'
import type { QuerySettings } from './search-settings.js'

/** A query with more hits than these is right as it is. */
const FEW = 5
/** Readings that are told. */
const MAX_READINGS = 3
const LATIN = /^[a-zü'’\s]+$/i

/**
 * The readings that find more than the query as typed, those with most hits first; none where there are none or the time
 * runs out.
 * @param total hits of the query as typed
 * @throws the reason of the signal
 */
export async function readAsPinyin(
  request: SearchRequest,
  snapshot: IndexSnapshot,
  total: number,
  settings: QuerySettings,
  stop: () => SearchStop,
): Promise<CountedQuery[]> {
  const { query, filters } = request
  if (total > FEW || !LATIN.test(query)) return []
  const { reader, searcher } = snapshot
  const found: CountedQuery[] = []
  // Words count as phrases: their characters one by one say nothing of them.
  const count = (text: string): Promise<number> => {
    const { query: all } = parseQuery(text.replace(/\S+/g, '"$&"'), reader, {
      ...settings,
      synonyms: undefined,
      leniency: 'all',
      operator: 'and',
    })
    return searcher.count(filteredQuery(all, filters), stop())
  }
  try {
    const pinyin = await PinyinWords.open(reader, wordLayers(snapshot), stop())
    for (const words of await pinyin.words(query)) {
      for (const text of /\S\s+\S/.test(query) ? [words.join(''), words.join(' ')] : [words.join('')]) {
        const hits = await count(text)
        if (hits <= total) continue
        found.push({ query: text, total: hits })
        break
      }
    }
  } catch (error) {
    if (!isSpindleError(error, 'QUERY_TIMEOUT') && !isSpindleError(error, 'QUERY_TOO_COMPLEX')) throw error
  }
  return found.sort((a, b) => b.total - a.total).slice(0, MAX_READINGS)
}

/** Layers of whole words that hold some. */
function wordLayers({ reader }: IndexSnapshot): string[] {
  const { layers, queryPlan } = reader.analyzers.forField(PageField.body)
  const layer = queryPlan?.words?.layer
  if (layer === undefined) return []
  return [PageField.body, PageField.title]
    .map((field) => `${field}#${layers[layer]!.name}`)
    .filter((field) => reader.collectionStats(field).docCount > 0)
}
