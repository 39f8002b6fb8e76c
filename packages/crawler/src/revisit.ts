/**
 * Asking again for a page of an earlier generation: with which validators (RFC 9110 §13, RFC 9111 §4.3), whether the answer is the
 * stored page, and whether what came instead says that the page is gone. Only definite answers remove a page; an outage never
 * does.
 */
import type { FetchResult } from './fetch/fetch-result.js'
import type { FinishedUrl, PreviousVisit } from './frontier/workload.js'
import type { PageHead } from './pages/stored-page.js'
import { dispositionOf } from './report/dispositions.js'
import type { SpentBudget } from './scope/host-budgets.js'

/** Generations in a row in which a page must be said to be missing before it counts as gone. */
export const MAX_MISSES = 3

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/
/** Headers that change what is made of the same bytes. */
const MEANINGFUL = ['x-robots-tag', 'content-type'] as const
/** Definite answers; those that mean "left alone by the rules of the crawl" are definite, too. */
const GONE = new Set(['duplicate', 'http-410', 'http-451'])
/** What says of a page that it is gone, though it may be a mishap of the whole site. */
const VANISHED = new Set(['robots', 'soft-404', 'non-text'])
/** Words of `HostBudgets`. */
const SPENT = new Set<string>(['host-pages', 'host-bytes', 'site-bytes'] satisfies SpentBudget[])
/** Answers of the kind 4xx that say nothing about the page. */
const NO_WORD = new Set([407, 408, 425, 429])

/** Request headers that ask for a page only if it is another one; undefined where the stored one has no usable validator. */
export function conditionalHeaders(head: PageHead): Record<string, string> | undefined {
  // The beginning of a page is not the page.
  if (head.truncated) return undefined
  const headers: Record<string, string> = {}
  const { etag, 'last-modified': modified } = head.headers
  if (etag !== undefined && ENTITY_TAG.test(etag)) headers['if-none-match'] = etag
  // A date that was in the future when it came says nothing about what has changed since.
  if (modified !== undefined && Date.parse(modified) <= sentAt(head)) headers['if-modified-since'] = modified
  return Object.keys(headers).length === 0 ? undefined : headers
}

/** Whether a 304 to a request with {@link conditionalHeaders} is about the page as it is stored. */
export function confirms(answer: FetchResult, head: PageHead): boolean {
  const etag = answer.headers.get('etag')
  const isSameTag = etag === undefined || head.headers.etag === undefined || strong(etag) === strong(head.headers.etag)
  return isSameTag && !changesMeaning(answer, head)
}

/** Whether an answer with a body is the page as it is stored. @param hash SHA-256 of the body */
export function isStored(answer: FetchResult, hash: string, head: PageHead): boolean {
  if (hash !== head.hash || answer.truncated !== head.truncated) return false
  return MEANINGFUL.every((name) => answer.headers.get(name) === head.headers[name])
}

/**
 * What an ending that brought no page means for the page of the earlier generation.
 * @returns `keepsPage`, `misses` and `isVanished` of the {@link FinishedUrl}
 */
export function onNoPage(
  { page, misses }: PreviousVisit,
  { disposition, status }: Pick<FinishedUrl, 'disposition' | 'status'>,
): Pick<FinishedUrl, 'keepsPage' | 'misses' | 'isVanished'> {
  // Not asked for, for the budget of its host is spent: that says nothing about the page.
  if (page !== undefined && SPENT.has(disposition)) return { keepsPage: true, misses }
  if (page === undefined || status === 301 || status === 308) return {}
  const isVanished = status >= 400 || VANISHED.has(disposition)
  if (GONE.has(disposition) || dispositionOf(disposition).class === 'skipped') {
    return isVanished ? { keepsPage: true, isVanished, misses } : {}
  }
  const isMissing = status > 304 ? status < 500 && !NO_WORD.has(status) : status >= 300 && status < 304
  const count = isMissing ? misses + 1 : misses
  if (count < MAX_MISSES) return { keepsPage: true, misses: count }
  return isVanished ? { keepsPage: true, isVanished, misses: count } : {}
}

/** When the server sent the page by its own clock; by ours where it has none. */
function sentAt({ headers, fetchedAt }: PageHead): number {
  const date = Date.parse(headers.date ?? '')
  return Number.isNaN(date) ? fetchedAt : date
}

function strong(etag: string): string {
  return etag.replace(/^W\//, '')
}

/** A 304 may bring headers that replace the stored ones. */
function changesMeaning(answer: FetchResult, head: PageHead): boolean {
  return MEANINGFUL.some((name) => answer.headers.has(name) && answer.headers.get(name) !== head.headers[name])
}
