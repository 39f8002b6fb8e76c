/** What a parser has to know of an index: the analyzers that wrote it, exact text for keyword fields, sources, kinds. */
import type { Analyzer } from '../analysis/analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { type CombinedSource, type FieldInfo, layerFieldName } from '../document/field-info.js'
import type { FieldKind } from '../document/field-type.js'
import type { IndexReader } from '../reading/index-reader.js'

/**
 * For the parser's option `analyzers`. A field that holds neither frequencies nor lengths was written as a keyword, so
 * its terms are asked for as they are typed: `site:example.org`, `lang:zh-cn`. A combined field has the analyzers of its
 * sources, and phrases are looked for in these. Fields of numbers are told by their kind.
 */
export function indexAnalyzers(reader: Pick<IndexReader, 'segments' | 'analyzers'>): {
  forField(name: string): Analyzer
  sourcesOf(name: string): readonly CombinedSource[] | undefined
  hasLayer(name: string, layer: string): boolean
  kindOf(name: string): FieldKind | undefined
} {
  const keyword = new KeywordAnalyzer()
  const firstInfo = (name: string, fits: (info: FieldInfo) => boolean): FieldInfo | undefined => {
    for (const segment of reader.segments) {
      const info = segment.fieldInfo(name)
      if (info !== undefined && fits(info)) return info
    }
    return undefined
  }
  const sourcesOf = (name: string) => firstInfo(name, ({ sources }) => sources !== undefined)?.sources
  const infoOf = (name: string): FieldInfo | undefined => firstInfo(name, ({ options }) => options !== 'none')
  return {
    forField(name) {
      const info = infoOf(name)
      const sources = sourcesOf(name)
      if (sources !== undefined) return reader.analyzers.forField(sources[0]!.name)
      return info?.options === 'docs' && !info.norms ? keyword : reader.analyzers.forField(name)
    },
    sourcesOf: (name) => sourcesOf(name),
    hasLayer: (name, layer) => infoOf(layerFieldName(name, layer)) !== undefined,
    kindOf: (name) => firstInfo(name, () => true)?.type.kind,
  }
}
