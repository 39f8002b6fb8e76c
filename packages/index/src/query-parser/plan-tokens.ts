/** What the plan of an analyzer (`QueryPlan`) makes of tokens: words, characters, weights. */
import type { QueryPlan } from '../analysis/analyzer.js'
import { CHINESE_FUNCTION_WORDS } from '../analysis/chinese/function-words.js'
import type { LayerToken, TokenRun } from '../analysis/layer-tokens.js'

/** What `QueryPlan` means where an analyzer has none: the tokens are alternatives. */
export const NO_PLAN: QueryPlan = { phraseRun: 0, mainWeight: 1 }

/** More than one Chinese character. */
const HAN_WORD = /\p{Script=Han}{2}/u
/** Between the words of compounds that people write in several ways: f-string, and/or. */
const LOOSE_SEPARATORS = /^[-‐–/·&+,;'’!?()]*$/

/**
 * Whether a text is a number, a date, an address or the like, which says something only as it stands: 2026-11-30, 3年2月,
 * CVE-2024-1234, user@example.org, key=value. Web addresses are words, since pages are called by parts of theirs.
 */
export function isIdentifier(text: string, runs: readonly TokenRun[]): boolean {
  if (runs.length < 2 || text.includes('://') || /\s/.test(text)) return false
  if (runs.some(({ start, end, tokens }) => tokens.length > 1 || HAN_WORD.test(text.slice(start, end)))) return false
  if (/\p{Nd}/u.test(text)) return true
  const between = runs.slice(1).map(({ start }, i) => text.slice(runs[i]!.end, start))
  return !/\p{Script=Han}/u.test(text) && between.some((separator) => !LOOSE_SEPARATORS.test(separator))
}

/** Whether a run has to stand as it is: a word of few characters. */
export function isShort(run: TokenRun, words: readonly LayerToken[], { phraseRun }: QueryPlan): boolean {
  return run.tokens.length < phraseRun && wholeWords(words).length < 2
}

/** Weight of a word of letters, which stands for all layers. */
export function mainWeight({ mainWeight, words }: QueryPlan): number {
  return mainWeight + (words === undefined ? 0 : words.weight)
}

/** The words of more than one character. */
export function wholeWords(tokens: readonly LayerToken[]): readonly LayerToken[] {
  return tokens.filter(({ term }) => term.length > firstCharacter(term).length)
}

/** Whether a main-layer token covers a part of a word and something beside it. */
export function crossesWord({ start, end }: LayerToken, words: readonly LayerToken[]): boolean {
  return words.some((word) => word.start < end && start < word.end && !(word.start <= start && end <= word.end))
}

/** Whether a character of a pair is a function word. */
export function holdsFunctionWord(pair: string): boolean {
  return [...pair].some((character) => CHINESE_FUNCTION_WORDS.has(character))
}

export function firstCharacter(term: string): string {
  return String.fromCodePoint(term.codePointAt(0)!)
}
