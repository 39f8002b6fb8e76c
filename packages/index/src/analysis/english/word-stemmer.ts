/**
 * From a word as it stands to the form that it ranks by: without a possessive 's, by Snowball's rules of the language
 * (English: Porter2), and without the accents of Latin letters. Words with a digit stay as they are.
 *
 * Snowball's rules take some 15 µs a word, a look-up 0.1 µs: texts repeat their words, so stems are kept, by language for
 * the whole process, in two generations of 32,768 words.
 */
import { createRequire } from 'node:module'
import type * as Snowball from 'snowball-stemmers'

/** Languages with rules, as Snowball names them; `none`: words are not stemmed. */
export const STEMMERS = [
  ...(['arabic', 'armenian', 'basque', 'catalan', 'czech', 'danish', 'dutch', 'english', 'finnish', 'french'] as const),
  ...(['german', 'hungarian', 'irish', 'italian', 'norwegian', 'porter', 'portuguese', 'romanian', 'russian'] as const),
  ...(['slovene', 'spanish', 'swedish', 'tamil', 'turkish', 'none'] as const),
] as const

/** One of {@link STEMMERS}. */
export type StemmerName = (typeof STEMMERS)[number]

/** How words are brought to their stems. */
export interface StemSettings {
  /** `english` where not given. */
  readonly stemmer?: StemmerName
  /** Words, in lower case, that are not stemmed: names that would else be taken for a form of another word. */
  readonly protectedWords?: readonly string[]
}

const GENERATION = 32_768
/** Longer ones are no words of a language. */
const MAX_STEMMED = 64
const HAS_DIGIT = /\p{Nd}/u
const MARKS = /\p{M}/gu
const LATIN = /\p{Script=Latin}/u
const NOT_ASCII = /[^\0-\x7f]/

const shared = new Map<StemmerName, LanguageStems>()

/** The stems of a language. */
class LanguageStems {
  readonly #language: StemmerName
  #stemmer: { stem(word: string): string } | null = null
  #recent = new Map<string, string>()
  #older = new Map<string, string>()

  constructor(language: StemmerName) {
    this.#language = language
  }

  get(word: string): string {
    let stem = this.#recent.get(word)
    if (stem !== undefined) return stem
    stem = this.#older.get(word) ?? this.#compute(word)
    if (this.#recent.size >= GENERATION) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(word, stem)
    return stem
  }

  #compute(word: string): string {
    if (word.length > MAX_STEMMED || HAS_DIGIT.test(word)) return withoutAccents(word)
    const bare = withoutPossessive(word)
    if (this.#language === 'none') return withoutAccents(bare)
    // Loaded where it is needed: 40 ms.
    this.#stemmer ??= snowball().newStemmer(this.#language)
    // English rules know no accents, those of other languages need them.
    const stem = this.#stemmer.stem(this.#language === 'english' ? withoutAccents(bare) : bare)
    return withoutAccents(stem) || word
  }
}

/** Makes stems of words; those with the same settings make the same. */
export class WordStemmer {
  /** All settings, in full. */
  readonly settings: { readonly stemmer: StemmerName; readonly protectedWords: readonly string[] }
  readonly #protected: ReadonlySet<string>
  readonly #stems: LanguageStems

  /** @throws RangeError for a language that has no rules */
  constructor({ stemmer = 'english', protectedWords = [] }: StemSettings = {}) {
    if (!STEMMERS.includes(stemmer)) {
      throw new RangeError(`There is no stemmer "${stemmer}": take one of ${STEMMERS.join(', ')}.`)
    }
    this.settings = { stemmer, protectedWords: [...new Set(protectedWords)].sort() }
    this.#protected = new Set(protectedWords)
    let stems = shared.get(stemmer)
    if (stems === undefined) {
      stems = new LanguageStems(stemmer)
      shared.set(stemmer, stems)
    }
    this.#stems = stems
  }

  /** @param word folded and in lower case; not empty, and neither is the stem */
  stem(word: string): string {
    return this.#protected.has(word) ? word : this.#stems.get(word)
  }
}

/** What an index recorded of {@link WordStemmer.settings}. */
export function stemSettings(settings: { readonly [key: string]: unknown }): StemSettings {
  const { stemmer, protectedWords } = settings
  return {
    ...(typeof stemmer === 'string' ? { stemmer: stemmer as StemmerName } : {}),
    ...(Array.isArray(protectedWords) ? { protectedWords: protectedWords.map(String) } : {}),
  }
}

function snowball(): typeof Snowball {
  return createRequire(import.meta.url)('snowball-stemmers') as typeof Snowball
}

/** Python's → python, authors' → authors. */
function withoutPossessive(word: string): string {
  if (word.length > 2 && word.endsWith("'s")) return word.slice(0, -2)
  return word.length > 1 && word.endsWith("'") ? word.slice(0, -1) : word
}

/** Latin letters without their accents; other scripts have letters that only look like one with a mark. */
function withoutAccents(word: string): string {
  if (!NOT_ASCII.test(word) || !LATIN.test(word)) return word
  return word.normalize('NFD').replace(MARKS, '').normalize('NFC') || word
}
