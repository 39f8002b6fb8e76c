/**
 * Analyzers by name. An index records the name and settings of each of its analyzers; this is where they become
 * analyzers again. Programs that embed the library add their own.
 */
import { SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerSettings } from './analyzer.js'
import { BigramAnalyzer } from './bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from './chinese/chinese-analyzer.js'
import { CustomAnalyzer, customSettings } from './custom/custom-analyzer.js'
import { EnglishAnalyzer } from './english/english-analyzer.js'
import { stemSettings } from './english/word-stemmer.js'
import { KeywordAnalyzer } from './keyword-analyzer.js'
import { StandardAnalyzer } from './standard/standard-analyzer.js'

/** What is needed to make an analyzer. */
export interface AnalyzerSpec {
  readonly name: string
  readonly settings?: AnalyzerSettings
}

/** Makes an analyzer from its settings; settings it does not know are ignored. */
export type AnalyzerFactory = (settings: AnalyzerSettings) => Analyzer

const factories = new Map<string, AnalyzerFactory>([
  ['standard', (settings) => new StandardAnalyzer(numberSetting(settings, 'maxTokenLength'))],
  ['bigram', () => new BigramAnalyzer()],
  [
    'chinese',
    (settings) => new ChineseAnalyzer({ ...stemSettings(settings), searchMode: settings.searchMode === true }),
  ],
  ['english', (settings) => new EnglishAnalyzer(stemSettings(settings))],
  ['keyword', () => new KeywordAnalyzer()],
  ['custom', (settings) => new CustomAnalyzer(customSettings(settings))],
])

/**
 * Makes an analyzer known by name in this process, or replaces the one that has the name. Must be called before an
 * index that uses it is opened.
 * @param name what the analyzer's `name` is
 */
export function registerAnalyzer(name: string, factory: AnalyzerFactory): void {
  factories.set(name, factory)
}

/**
 * Makes the analyzer of a name and settings.
 * @throws SpindleError ANALYZER_UNKNOWN where the name is not registered
 */
export function analyzerFromSpec(spec: AnalyzerSpec): Analyzer {
  const factory = factories.get(spec.name)
  if (factory === undefined) {
    const known = [...factories.keys()].sort().join(', ')
    throw new SpindleError(
      'ANALYZER_UNKNOWN',
      `No analyzer is registered under the name "${spec.name}" (known: ${known}); call registerAnalyzer first.`,
    )
  }
  return factory(spec.settings ?? {})
}

function numberSetting(settings: AnalyzerSettings, key: 'maxTokenLength'): { maxTokenLength?: number } {
  const value = settings[key]
  return typeof value === 'number' ? { [key]: value } : {}
}
