/**
 * What makes a crawl one of news (`--preset news`): lists are asked again often, articles only while they are young, and each piece of
 * news that a list names is told once.
 */
import type { SpiderCallbacks } from '../spider-callbacks.js'
import type { SpiderOptions } from '../spider-options.js'
import { type FoundItem, isArticle, newsItems } from './news-items.js'

/** Articles are corrected in the first days; later they stay as they are. */
const SETTLED_MS = 2 * 86_400_000
/** Addresses remembered as told. */
const MAX_TOLD = 100_000

/**
 * Settings of a spider.
 * @param onItem told each piece of news at the first list that names it
 */
export function newsCrawl(
  onItem: (item: FoundItem) => void,
  now: () => number = Date.now,
): Required<Pick<SpiderCallbacks, 'processPage'>> & { readonly isSettled: NonNullable<SpiderOptions['isSettled']> } {
  const told = new Set<string>()
  return {
    processPage: (page) => {
      for (const item of newsItems(page)) {
        if (told.has(item.url) || told.size >= MAX_TOLD) continue
        told.add(item.url)
        onItem({ ...item, page: page.url })
      }
    },
    isSettled: ({ depth, fetchedAt, parsed }) => depth > 0 && isArticle(parsed) && now() - fetchedAt > SETTLED_MS,
  }
}
