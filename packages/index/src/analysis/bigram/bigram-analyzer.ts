/**
 * For Chinese, Japanese and Korean without a dictionary: runs of Han, Kana and Hangul characters as overlapping pairs
 * (北京天安门 gives 北京 京天 天安 安门), a run of one character as that character, all other words as the
 * StandardAnalyzer does. A phrase of pairs finds any part of a run of two characters or more. Thai, Lao, Khmer and Myanmar,
 * which are written without spaces too, are in pairs like them.
 */
import {
  type AnalysisMode,
  type Analyzer,
  type AnalyzerLayer,
  MAX_TERM_LENGTH,
  type QueryPlan,
  type TokenSink,
} from '../analyzer.js'
import { fingerprint } from '../fingerprint.js'
import { foldWord } from '../standard/term-folding.js'
import { END } from '../standard/word-scanner.js'
import { widthFolder } from './character-folder.js'
import { CjkScanner, cellTerm, pairTerm, RUN } from './cjk-scanner.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 2

const LAYERS: readonly AnalyzerLayer[] = [{ name: '', options: 'positions', norms: true }]

/** Short runs must stand as they are typed, longer ones are searched by alternatives. */
const QUERY_PLAN: QueryPlan = { phraseRun: 4, mainWeight: 1 }

/** Overlapping pairs of characters, width-folded and in lower case. */
export class BigramAnalyzer implements Analyzer {
  readonly name = 'bigram'
  readonly settings = {}
  readonly fingerprint = fingerprint('bigram', {}, VERSION)
  readonly layers = LAYERS
  readonly queryPlan = QUERY_PLAN
  readonly #scanner = new CjkScanner(widthFolder, MAX_TERM_LENGTH)

  analyze(text: string, sink: TokenSink, _mode?: AnalysisMode): void {
    const scanner = this.#scanner
    scanner.reset(text)
    for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
      if (kind === RUN) {
        emitPairs(scanner, sink)
        if (!scanner.last) scanner.keep(scanner.length - 1)
        continue
      }
      const word = text.slice(scanner.start, scanner.end)
      const term = scanner.plain ? word : foldWord(word)
      if (term !== '') sink.token(term, scanner.start, scanner.end, 1, 0)
    }
    scanner.reset('')
  }

  normalize(text: string): string {
    return foldWord(widthFolder.foldAll(text))
  }
}

/** Emits the pairs that the fresh cells of a run make, or its only character, into layer 0. */
export function emitPairs(scanner: CjkScanner, sink: TokenSink): void {
  const { codes, starts, ends, length, fresh } = scanner
  if (length === 1 && fresh === 0) {
    sink.token(cellTerm(codes[0]!), starts[0]!, ends[0]!, 1, 0)
    return
  }
  for (let i = fresh === 0 ? 1 : fresh; i < length; i++) {
    sink.token(pairTerm(codes[i - 1]!, codes[i]!), starts[i - 1]!, ends[i]!, 1, 0)
  }
}
