/**
 * Looser forms of a query that found nothing. They are guesses about the text as typed; the caller counts their hits
 * and offers only those that have some, so that no visitor is sent from one empty page to the next.
 */
import { type Analyzer, CHINESE_FUNCTION_WORDS, tokenize } from '@spindle/index'
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
const PART = /[\p{L}\p{M}\p{N}]+/gu
/** A field or field word of the search box, before its value. */
const FIELD =
  /^(site|inurl|intitle|filetype|lang|date|before|after|type|url|title|body|anchor|author|keywords|filter)[:：](?=\S)/i
/** Those whose values are words. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['intitle', 'title', 'body', 'anchor', 'author', 'keywords'])

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

/** The words of a text that is searched as one phrase: a run of Han characters, or what has a sign between its parts. */
function looseWords(text: string, analyzer: Analyzer): string[] {
  if (!HAN.test(text)) {
    const parts = text.match(PART) ?? []
    return parts.length > 1 ? parts : [text]
  }
  const layer = analyzer.queryPlan?.words?.layer
  const words = layer === undefined ? [] : tokenize(analyzer, text, layer, 'query')
  if (words.length > 1) {
    const telling = words.filter(({ term }) => !CHINESE_FUNCTION_WORDS.has(term))
    return telling.map(({ startOffset, endOffset }) => text.slice(startOffset, endOffset))
  }
  // of a word as such, the pairs of characters
  const characters = [...text]
  const pairs: string[] = []
  for (let i = 0; i + 1 < characters.length; i += 2) pairs.push(characters[i]! + characters[i + 1]!)
  if (characters.length % 2 === 1) pairs.push(characters.at(-2)! + characters.at(-1)!)
  return pairs
}

/** A piece without the field that it was asked of; '' where its value is no word. */
function withoutField({ text, quoted }: Piece): string {
  if (quoted) return text
  const name = FIELD.exec(text)
  if (name === null) return text
  return TEXT_FIELDS.has(name[1]!.toLowerCase()) ? text.slice(name[0].length) : ''
}

/**
 * Guesses, the closest to the query first; none where nothing can be loosened.
 * @param analyzer of the pages' text: it knows words
 */
export function alternativeCandidates(query: string, analyzer: Analyzer): Candidate[] {
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
  if (wanted.some(({ text, quoted }) => !quoted && FIELD.test(text))) {
    const rest = wanted.map((part) => (part.quoted ? `"${part.text}"` : withoutField(part)))
    offer('without-filters', rest.filter((text) => text !== '').join(' '))
  }
  const words = wanted
    .flatMap((part) => withoutField(part).split(/\s+/))
    .flatMap((text) => (text === '' ? [] : looseWords(text, analyzer)))
  if (words.length > 1) offer('any-word', words.slice(0, MAX_PIECES).join(' '))
  return candidates
}
