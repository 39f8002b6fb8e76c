/** Brings the words of alphabetic scripts to their indexed form. */
import { MAX_TERM_LENGTH } from '../analyzer.js'

/** Soft hyphen, word joiner, byte order mark, variation selectors: they change the look of a word, not the word. */
const INVISIBLE = /\u00ad|\u2060|\ufeff|[\ufe00-\ufe0f]/g

/** Written for an apostrophe. */
const CURLY_QUOTE = /[\u2018\u2019]/g

/** Lower case by the rules of Unicode (a final sigma stays one), never longer than a term may be. */
export function lowerCase(word: string): string {
  return cut(word.toLowerCase())
}

/**
 * Compatibility forms (full-width letters, ligatures, decomposed accents) to the usual ones (NFKC), without invisible
 * characters, in lower case. May be empty.
 */
export function foldWord(word: string): string {
  return cut(word.normalize('NFKC').replace(INVISIBLE, '').replace(CURLY_QUOTE, "'").toLowerCase())
}

/** Folding can lengthen a word; it is cut between two characters. */
function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term
  const last = term.charCodeAt(MAX_TERM_LENGTH - 1)
  return term.slice(0, (last & 0xfc00) === 0xd800 ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH)
}
