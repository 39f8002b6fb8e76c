/** The analyzers to search an index with: those that wrote it, and exact text for keyword fields. */
import type { Analyzer } from '../analysis/analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import type { IndexReader } from '../reading/index-reader.js'

/**
 * For the parser's option `analyzers`. A field that holds neither frequencies nor lengths was written as a keyword, so
 * its terms are asked for as they are typed: `site:example.org`, `lang:zh-cn`.
 */
export function indexAnalyzers(reader: Pick<IndexReader, 'segments' | 'analyzers'>): {
  forField(name: string): Analyzer
} {
  const keyword = new KeywordAnalyzer()
  return {
    forField(name) {
      for (const segment of reader.segments) {
        const info = segment.fieldInfo(name)
        if (info === undefined || info.options === 'none') continue
        return info.options === 'docs' && !info.norms ? keyword : reader.analyzers.forField(name)
      }
      return reader.analyzers.forField(name)
    },
  }
}
