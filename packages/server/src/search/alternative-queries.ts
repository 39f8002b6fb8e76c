/**
 * Looser forms of a query that found nothing. They are guesses about the text as typed; the caller counts their hits
 * and offers only those that have some, so that no visitor is sent from one empty page to the next.
 */
import type { AlternativeQuery } from './search-backend.js'

/** A guess, not yet counted. */
export type Candidate = Omit<AlternativeQuery, 'total'>

/** One piece of a query as typed. */
interface Piece {
  readonly text: string
  readonly quoted: boolean
  readonly excluded: boolean
}

const MAX_PIECES = 32
const OPERATORS = new Set(['AND', 'OR', '&&', '||'])
const QUOTES = /["＂“”]/
const HAN = /^[\p{Script=Han}]{3,}$/u

/** Cuts a query at white space outside quotation marks; linear, never throws. */
function pieces(query: string): Piece[] {
  const found: Piece[] = []
  let excludeNext = false
  let at = 0
  while (at < query.length && found.length < MAX_PIECES) {
    while (at < query.length && /[\s()（）+＋]/.test(query[at]!)) at++
    if (at >= query.length) break
    let excluded = excludeNext
    excludeNext = false
    if (/[-!－！]/.test(query[at]!)) {
      excluded = true
      at++
    }
    const start = at
    const quoted = at < query.length && QUOTES.test(query[at]!)
    if (quoted) {
      at++
      while (at < query.length && !QUOTES.test(query[at]!)) at++
      if (at > start + 1) found.push({ text: query.slice(start + 1, at).trim(), quoted, excluded })
      at++
      continue
    }
    while (at < query.length && !/[\s()（）]/.test(query[at]!) && !QUOTES.test(query[at]!)) at++
    const text = query.slice(start, at)
    if (text === 'NOT') excludeNext = true
    else if (text !== '' && !OPERATORS.has(text)) found.push({ text, quoted, excluded })
  }
  return found
}

/** Splits a run of Han characters into pairs, since a short run is searched as one phrase. */
function looseWords(text: string): string[] {
  if (!HAN.test(text)) return [text]
  const characters = [...text]
  const words: string[] = []
  for (let i = 0; i + 1 < characters.length; i += 2) words.push(characters[i]! + characters[i + 1]!)
  if (characters.length % 2 === 1) words.push(characters.at(-2)! + characters.at(-1)!)
  return words
}

/** Guesses, the closest to the query first; none where nothing can be loosened. */
export function alternativeCandidates(query: string): Candidate[] {
  const parts = pieces(query)
  const candidates: Candidate[] = []
  const offer = (kind: Candidate['kind'], text: string): void => {
    if (text !== '' && text !== query && !candidates.some((c) => c.query === text))
      candidates.push({ kind, query: text })
  }
  const wanted = parts.filter((part) => !part.excluded)
  if (wanted.length < parts.length) {
    offer('without-exclusions', wanted.map((part) => (part.quoted ? `"${part.text}"` : part.text)).join(' '))
  }
  if (wanted.some((part) => part.quoted)) {
    offer('without-quotes', wanted.map((part) => part.text).join(' '))
  }
  const words = wanted.flatMap((part) => part.text.split(/\s+/)).flatMap(looseWords)
  if (words.length > 1) offer('any-word', words.slice(0, MAX_PIECES).join(' '))
  return candidates
}
