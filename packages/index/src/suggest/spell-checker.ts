/**
 * Corrects queries by the words of the index itself. Each part that the index hardly knows gets other forms – respelled,
 * broken, joined with the next, for Chinese of the same sound – and the likeliest combinations are told as whole queries.
 * They are guesses: who offers one asks the index first how many hits it has.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import { tokenize } from '../analysis/tokenize.js'
import type { IndexReader } from '../reading/index-reader.js'
import { SearchLimits, type SearchStop } from '../search/scorer/search-limits.js'
import { ChineseSpeller } from './chinese-speller.js'
import { type Respelling, WordSpeller } from './word-speller.js'

/** What {@link SpellChecker} takes. */
export interface SpellCheckerOptions {
  /** Fields whose terms are words as they are written, the largest first. */
  readonly fields: readonly string[]
  /** The analyzer of these fields. */
  readonly analyzer: Analyzer
}

/** Another form of a query. */
export interface QueryCorrection {
  /** The query with some parts replaced, all else as typed. */
  readonly text: string
  /** Logarithm of how likely it is, to compare the corrections of one query. */
  readonly score: number
}

/** A part of a query that is a word or a run of Chinese. */
interface Piece {
  readonly start: number
  readonly end: number
  /** As the index would have it. */
  readonly term: string
  readonly isRun: boolean
}

interface Choice {
  readonly score: number
  readonly text: string
  /** Pieces that it stands for. */
  readonly pieces: number
  readonly typed: boolean
}

interface Path {
  readonly score: number
  readonly changed: boolean
  readonly text: string
}

/** Pieces of a query that are looked at; longer queries are left as they are. */
const MAX_PIECES = 12
/** Combinations that are kept. */
const MAX_PATHS = 6
/** Work of all walks through terms together, in postings: some 40 ms. */
const EXPANSION_LIMIT = 2_000_000
/** Characters on each side of a part that are looked at. */
const MAX_BESIDE = 64
const PIECE = /\p{Script=Han}+|[\p{L}\p{M}\p{N}_'’]+/gu
const HAN = /^\p{Script=Han}/u
const OPERATORS = new Set(['AND', 'OR', 'NOT', 'TO'])

/**
 * Corrects words and queries.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexReader,
 *   IndexWriter,
 *   MemoryDirectory,
 *   SpellChecker,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['porcelain', 'porcelain and silk', 'a database']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const reader = await IndexReader.open(directory)
 * const checker = new SpellChecker(reader, { fields: ['body'], analyzer: new StandardAnalyzer() })
 *
 * console.log((await checker.corrections('+porcelian'))[0].text) // +porcelain
 * console.log((await checker.corrections('data base'))[0].text) // database
 * ```
 */
export class SpellChecker {
  readonly #reader: IndexReader
  readonly #fields: readonly string[]
  readonly #analyzer: Analyzer
  readonly #wordLayers: readonly string[]

  /** @param reader stays the caller's to close */
  constructor(reader: IndexReader, { fields, analyzer }: SpellCheckerOptions) {
    this.#reader = reader
    this.#fields = fields
    this.#analyzer = analyzer
    const layer = analyzer.queryPlan?.words?.layer
    const name = layer === undefined ? '' : analyzer.layers[layer]!.name
    this.#wordLayers = name === '' ? [] : fields.map((field) => `${field}#${name}`)
  }

  /**
   * Other forms of a query, the likeliest first; none where its words are known well enough. Operators, names of fields
   * with their values, patterns, excluded words and those with digits stay as they are.
   * @throws SpindleError `QUERY_TIMEOUT`; the signal's reason
   */
  async corrections(query: string, stop: SearchStop = {}): Promise<QueryCorrection[]> {
    const pieces = this.#pieces(query)
    if (pieces.length === 0 || pieces.length > MAX_PIECES) return []
    const limits = new SearchLimits({ expansionLimit: EXPANSION_LIMIT, ...stop }, 'partial')
    const choices = await this.#choices(query, pieces, limits)
    const paths: Path[][] = [[{ score: 0, changed: false, text: query.slice(0, pieces[0]!.start) }]]
    for (let i = 0; i < pieces.length; i++) paths.push([])
    for (let i = 0; i < pieces.length; i++) {
      const before = bestPaths(paths[i]!)
      for (const { score, text, pieces: count, typed } of choices[i]!) {
        const between = query.slice(pieces[i + count - 1]!.end, pieces[i + count]?.start ?? query.length)
        for (const path of before) {
          const next = path.text + text + between
          paths[i + count]!.push({ score: path.score + score, changed: path.changed || !typed, text: next })
        }
      }
    }
    const changed = paths[pieces.length]!.filter((path) => path.changed && path.text !== query)
    return bestPaths(changed).map(({ text, score }) => ({ text, score }))
  }

  async #choices(query: string, pieces: readonly Piece[], limits: SearchLimits): Promise<Choice[][]> {
    const words = new WordSpeller(this.#reader, this.#fields, limits)
    const runs = new ChineseSpeller(this.#reader, { words: this.#wordLayers, pairs: this.#fields }, limits)
    const frequencies: number[] = []
    for (const { term, isRun } of pieces) frequencies.push(isRun ? 0 : await words.frequency(term))
    const choices: Choice[][] = []
    for (const [i, piece] of pieces.entries()) {
      const typed = query.slice(piece.start, piece.end)
      const found: Choice[] = []
      const offer = (forms: readonly Respelling[], count = 1): void => {
        for (const { text, score } of forms) found.push({ text, score, pieces: count, typed: false })
      }
      choices.push(found)
      if (piece.isRun) {
        found.push({ text: typed, score: -100, pieces: 1, typed: true })
        if (this.#wordLayers.length > 0) offer(await runs.corrections(typed))
        continue
      }
      const frequency = frequencies[i]!
      found.push({ text: typed, score: words.scoreOf(frequency), pieces: 1, typed: true })
      offer(await words.corrections(piece.term, frequency))
      if (frequency === 0) offer(await words.breaks(piece.term))
      const next = pieces[i + 1]
      if (next === undefined || next.isRun || !/^[ -]$/.test(query.slice(piece.end, next.start))) continue
      const joined = await words.join(piece.term, next.term)
      if (joined !== null) offer([joined], 2)
    }
    return choices
  }

  /** Words and runs of a query that may be corrected. */
  #pieces(query: string): Piece[] {
    const pieces: Piece[] = []
    for (const { 0: text, index: start } of query.matchAll(PIECE)) {
      const end = start + text.length
      if (OPERATORS.has(text) || isSyntax(query, start, end)) continue
      if (!HAN.test(text) && holdsDigit(query, start, end)) continue
      if (HAN.test(text)) {
        pieces.push({ start, end, term: text, isRun: true })
        continue
      }
      const tokens = tokenize(this.#analyzer, text)
      if (tokens.length === 1) pieces.push({ start, end, term: tokens[0]!.term, isRun: false })
    }
    return pieces
  }
}

/** Whether a word is a field's name or value, excluded, or part of a pattern, an address or a file's name. */
function isSyntax(query: string, start: number, end: number): boolean {
  const before = query[start - 1] ?? ' '
  const after = query[end] ?? ' '
  if (/[:：*?~^\\/@.]/.test(before) || /[:：*?~^\\/@]/.test(after)) return true
  if (after === '.' && /[\p{L}\p{N}]/u.test(query[end + 1] ?? ' ')) return true
  return /[-!－！]/.test(before) && /^[\s(（]?$/.test(query[start - 2] ?? '')
}

/** Whether the word that a part belongs to has a digit in it: numbers, dates and identifiers mean what they are. */
function holdsDigit(query: string, start: number, end: number): boolean {
  let from = start
  while (from > 0 && start - from < MAX_BESIDE && /[^\s"\p{Script=Han}]/u.test(query[from - 1]!)) from--
  let to = end
  while (to < query.length && to - end < MAX_BESIDE && /[^\s"\p{Script=Han}]/u.test(query[to]!)) to++
  return /\p{Nd}/u.test(query.slice(from, to))
}

/** The likeliest paths, each text once; one without a change is among them where there is one. */
function bestPaths(paths: Path[]): Path[] {
  const best = new Map<string, Path>()
  for (const path of paths.sort((a, b) => b.score - a.score)) {
    if (!best.has(path.text) && (best.size < MAX_PATHS || !path.changed)) best.set(path.text, path)
  }
  return [...best.values()]
}
