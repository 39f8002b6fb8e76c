/** The Retry-After header of a response (RFC 9110 §10.2.3): seconds or a date. */

/** Longest wait that is taken from a server. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000

/** Milliseconds to wait, 0 … 24 h; undefined where there is no header or it makes no sense. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  let ms: number
  if (/^\d{1,15}$/.test(text)) ms = Number(text) * 1000
  else if (/^[A-Za-z]{3,9},? /.test(text)) ms = Date.parse(text) - now
  else return undefined
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}
