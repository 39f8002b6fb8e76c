/**
 * Chooses the part of a text that a snippet shows: the stretch with the most different words of the query, then with
 * the most occurrences, then one behind the very beginning (where pages keep their navigation), then the earliest; moved so that it begins and ends at sentences or words where these are near.
 */
import type { Mark } from './mark.js'

/** UTF-16 range of a text. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A different word outweighs any number of occurrences up to this one. */
const OCCURRENCES = 8

/**
 * The best stretch of at most `maxLength` UTF-16 units.
 * @param marks in the order of their starts
 * @param ids how many different words and phrases there are
 * @param skip units at the beginning that are not shown; no mark is in them
 */
export function bestWindow(text: string, marks: readonly Mark[], ids: number, maxLength: number, skip = 0): TextRange {
  if (text.length - skip <= maxLength) return { start: skip, end: text.length }
  if (marks.length === 0) return snap(text, skip, skip, maxLength, skip)
  const counts = new Int32Array(ids)
  let different = 0
  let best = -1
  let bestFirst = 0
  let bestLast = 0
  let first = 0
  for (let last = 0; last < marks.length; last++) {
    if (counts[marks[last]!.id]!++ === 0) different++
    while (first < last && marks[last]!.end - marks[first]!.start > maxLength) {
      if (--counts[marks[first]!.id]! === 0) different--
      first++
    }
    const density = different * OCCURRENCES + Math.min(last - first + 1, OCCURRENCES - 1)
    const score = 2 * density - (skip === 0 && marks[first]!.start < maxLength ? 1 : 0)
    if (score > best) {
      best = score
      bestFirst = first
      bestLast = last
    }
  }
  const from = marks[bestFirst]!.start
  let to = marks[bestFirst]!.end
  for (let i = bestFirst; i <= bestLast; i++) to = Math.max(to, marks[i]!.end)
  return snap(text, from, to - from > maxLength ? whole(text, from + maxLength, -1, from + 1) : to, maxLength, skip)
}

/** A stretch of at most `maxLength` around `[from, to)`, with good edges. */
function snap(text: string, from: number, to: number, maxLength: number, skip: number): TextRange {
  const spare = maxLength - (to - from)
  // A third of the free room goes before the words, since people read on after them.
  const earliest = Math.max(skip, from - Math.floor(spare / 3))
  let start = earliest === skip ? skip : startEdge(text, earliest, from)
  const latest = Math.min(text.length, start + maxLength)
  const end = endEdge(text, Math.max(to, latest - Math.floor(maxLength / 4)), latest)
  // At the end of the text the room behind the words is not needed: it goes before them.
  if (end === text.length && end - start < maxLength) start = startEdge(text, Math.max(skip, end - maxLength), start)
  return { start: start + skipSpace(text, start, from), end: Math.max(end - trailingSpace(text, to, end), to) }
}

/** The best place in `[low, high]` to begin at: after a sentence, else after white space or punctuation, else `low`. */
function startEdge(text: string, low: number, high: number): number {
  if (low === 0) return 0
  let word = -1
  for (let at = low; at <= high; at++) {
    if (endsSentence(text, at)) return at
    if (word < 0 && isBreak(text, at)) word = at
  }
  return word >= 0 ? word : whole(text, low, 1, high)
}

/** The best place in `[low, high]` to end at: after the last sentence, else at the last break, else `high`. */
function endEdge(text: string, low: number, high: number): number {
  if (high === text.length) return high
  let word = -1
  for (let at = high; at >= low && at > 0; at--) {
    if (endsSentence(text, at)) return at
    if (word < 0 && isBreak(text, at)) word = at
  }
  return word >= 0 ? word : whole(text, high, -1, low)
}

/** Marks that belong to the character before them, and joiners. */
const EXTENDS = /^(?:\p{M}|\u200d|\p{Emoji_Modifier})/u
const JOINER = '\u200d'

/** How far a good cut is looked for; a longer pile of marks is cut between two code points. */
const MAX_STEPS = 64

/** Moves away from the middle of a surrogate pair, and of a character with marks, up to `limit`. */
function whole(text: string, at: number, step: 1 | -1, limit: number): number {
  const pair = insidePair(text, at) ? at + step : at
  let cut = pair
  for (let steps = 0; steps < MAX_STEPS && cut !== limit && cut > 0 && cut < text.length; steps++) {
    const next = String.fromCodePoint(text.codePointAt(cut)!)
    if (!insidePair(text, cut) && !EXTENDS.test(next) && text[cut - 1] !== JOINER) return cut
    cut += step
  }
  return pair
}

function insidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

const CJK_SENTENCE = '。！？；…\n'
const CJK_BREAK = '，、：“”‘’《》（）【】「」'

/** Whether a sentence ends right before `at`. */
function endsSentence(text: string, at: number): boolean {
  const before = text[at - 1]!
  if (CJK_SENTENCE.includes(before)) return true
  return (before === '.' || before === '!' || before === '?') && isSpace(text, at)
}

/** Whether a word or a part of a sentence ends or begins at `at`. */
function isBreak(text: string, at: number): boolean {
  return isSpace(text, at) || isSpace(text, at - 1) || CJK_BREAK.includes(text[at - 1]!)
}

function isSpace(text: string, at: number): boolean {
  const char = text[at]
  return char !== undefined && char.trim() === ''
}

function skipSpace(text: string, start: number, limit: number): number {
  let at = start
  while (at < limit && isSpace(text, at)) at++
  return at - start
}

function trailingSpace(text: string, limit: number, end: number): number {
  let at = end
  while (at > limit && isSpace(text, at - 1)) at--
  return end - at
}
