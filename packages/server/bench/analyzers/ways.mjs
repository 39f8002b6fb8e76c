/** The ways of cutting text that are compared. */
import * as spindle from '@spindle/index'
import { BigramAnalyzer, ChineseAnalyzer, fingerprint, registerAnalyzer, StandardAnalyzer } from '@spindle/index'

/** One layer of another analyzer as the only one, with positions. */
class LayerAnalyzer {
  settings = {}
  layers = [{ name: '', options: 'positions', norms: true }]
  #analyzer
  #layer

  constructor(name, analyzer, layerName) {
    this.name = name
    this.fingerprint = fingerprint(name, {}, 1)
    this.#analyzer = analyzer
    this.#layer = analyzer.layers.findIndex((layer) => layer.name === layerName)
    registerAnalyzer(name, () => this)
  }

  analyze(text, sink, mode) {
    const wanted = this.#layer
    this.#analyzer.analyze(
      text,
      {
        token(term, start, end, increment, layer) {
          if (layer === wanted) sink.token(term, start, end, increment, 0)
        },
      },
      mode,
    )
  }
}

export const CHINESE_WAYS = [
  { label: 'characters (StandardAnalyzer)', analyzer: new StandardAnalyzer(), upkeep: 'none' },
  { label: 'pairs (BigramAnalyzer)', analyzer: new BigramAnalyzer(), upkeep: 'none' },
  {
    label: 'words of the dictionary alone',
    analyzer: new LayerAnalyzer('words-alone', new ChineseAnalyzer(), 'word'),
    upkeep: 'the dictionary decides what can be found: for each new word all pages with it are to be indexed again',
  },
  {
    label: 'pairs, words and characters (ChineseAnalyzer, the default)',
    analyzer: new ChineseAnalyzer(),
    upkeep:
      'the dictionary decides ranks alone: a new word is found at once, and ranks as one when its pages are indexed again',
  },
]

const english =
  spindle.EnglishAnalyzer === undefined
    ? []
    : [{ label: 'words and stems (EnglishAnalyzer)', analyzer: new spindle.EnglishAnalyzer(), upkeep: 'none' }]

export const ENGLISH_WAYS = [
  { label: 'words (StandardAnalyzer)', analyzer: new StandardAnalyzer(), upkeep: 'none' },
  ...english,
  { label: 'ChineseAnalyzer, the default', analyzer: new ChineseAnalyzer(), upkeep: 'none' },
]
