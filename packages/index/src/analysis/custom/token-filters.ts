/** The token filters of the library. */

import { foldDiacritics } from '../english/fold-diacritics.js'
import { WordParts } from '../english/word-parts.js'
import { stemSettings, WordStemmer } from '../english/word-stemmer.js'
import { foldWord, lowerCase } from '../standard/term-folding.js'
import {
  numberOf,
  PartRegistry,
  type PartSettings,
  type TokenFilter,
  type TokenTarget,
  textsOf,
} from './chain-parts.js'
import { ENGLISH_STOP_WORDS } from './english-stop-words.js'

/** Changes every term by a function. */
class MapFilter implements TokenFilter {
  readonly normalizes: boolean
  readonly #map: (term: string) => string

  constructor(map: (term: string) => string, normalizes: boolean) {
    this.#map = map
    this.normalizes = normalizes
  }

  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void {
    next.token(this.#map(term), start, end, positionIncrement)
  }
}

/** Leaves out the terms that a test does not accept; the positions they took stay open. */
class KeepFilter implements TokenFilter {
  readonly #accepts: (term: string) => boolean
  #gap = 0

  constructor(accepts: (term: string) => boolean) {
    this.#accepts = accepts
  }

  begin(): void {
    this.#gap = 0
  }

  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void {
    if (this.#accepts(term)) {
      next.token(term, start, end, positionIncrement + this.#gap)
      this.#gap = 0
    } else this.#gap += positionIncrement
  }
}

/** Beside a term, at its position, the parts of a name such as `img_data_ttl` or `parseHTML`; to stand before `lowercase`. */
class PartsFilter implements TokenFilter {
  readonly #parts = new WordParts()

  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void {
    next.token(term, start, end, positionIncrement)
    const parts = this.#parts
    if (!parts.split(term, 0, term.length)) return
    for (let i = 0; i < parts.count; i++) {
      addPart(next, term, { start, end }, parts.starts[i]!, parts.ends[i]!)
    }
  }
}

/** Longest words of a dictionary of compounds. */
const MAX_PART = 64

/**
 * Beside a term, at its position, the words of a list that it is made of: Datenbank of Datenbankverwaltung. Of those that
 * begin at one character the longest, none shorter than `min` characters; a term is itself no part.
 */
class CompoundFilter implements TokenFilter {
  readonly #words: ReadonlySet<string>
  readonly #min: number
  readonly #max: number

  constructor(settings: PartSettings) {
    this.#min = numberOf(settings, 'min', 4, 2)
    const words = textsOf(settings, 'words')
      .map(foldWord)
      .filter(({ length }) => length >= this.#min && length <= MAX_PART)
    this.#words = new Set(words)
    this.#max = words.reduce((most, { length }) => Math.max(most, length), 0)
  }

  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void {
    next.token(term, start, end, positionIncrement)
    const last = term.length - this.#min
    for (let from = 0; from <= last; from++) {
      const whole = from === 0 ? term.length - 1 : term.length
      for (let to = Math.min(whole, from + this.#max); to >= from + this.#min; to--) {
        if (!this.#words.has(term.slice(from, to))) continue
        addPart(next, term, { start, end }, from, to)
        break
      }
    }
  }
}

/** The beginnings of a term, of `min` to `max` characters: for completion. */
class EdgeFilter implements TokenFilter {
  readonly #min: number
  readonly #max: number

  constructor(settings: PartSettings) {
    this.#min = numberOf(settings, 'min', 1, 1)
    this.#max = numberOf(settings, 'max', 20, this.#min)
  }

  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void {
    let increment = positionIncrement
    let at = 0
    let length = 0
    while (at < term.length && length < this.#max) {
      at += term.codePointAt(at)! > 0xffff ? 2 : 1
      if (++length < this.#min && at < term.length) continue
      next.token(term.slice(0, at), start, end, increment)
      increment = 0
    }
  }
}

/** A part of a term; its place is that of the whole where the term is not the text itself any more. */
function addPart(
  next: TokenTarget,
  term: string,
  { start, end }: { readonly start: number; readonly end: number },
  from: number,
  to: number,
): void {
  const isVerbatim = term.length === end - start
  next.token(term.slice(from, to), isVerbatim ? start + from : start, isVerbatim ? start + to : end, 0)
}

function stopFilter(settings: PartSettings): TokenFilter {
  const words = settings.words === undefined ? ENGLISH_STOP_WORDS : new Set(textsOf(settings, 'words').map(foldWord))
  return new KeepFilter((term) => !words.has(term))
}

function lengthFilter(settings: PartSettings): TokenFilter {
  const min = numberOf(settings, 'min', 1, 1)
  const max = numberOf(settings, 'max', Number.MAX_SAFE_INTEGER, min)
  return new KeepFilter(({ length }) => length >= min && length <= max)
}

function stemFilter(settings: PartSettings): TokenFilter {
  const stemmer = new WordStemmer(stemSettings(settings))
  return new MapFilter((term) => stemmer.stem(term), false)
}

/**
 * `lowercase`; `fold` (compatibility forms, invisible characters, lower case); `diacritics`; `stop` with `words` (33 English
 * ones where not given); `stem` with `stemmer` and `protectedWords`; `length` with `min` and `max`; `parts`; `compound` with
 * `words` and `min`; `edge` with `min` and `max`.
 */
export const tokenFilters: PartRegistry<TokenFilter> = new PartRegistry('token filter', {
  lowercase: () => new MapFilter(lowerCase, true),
  fold: () => new MapFilter(foldWord, true),
  diacritics: () => new MapFilter(foldDiacritics, true),
  stop: stopFilter,
  stem: stemFilter,
  length: lengthFilter,
  parts: () => new PartsFilter(),
  compound: (settings) => new CompoundFilter(settings),
  edge: (settings) => new EdgeFilter(settings),
})
