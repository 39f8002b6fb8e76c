/** The words that a document is about: frequent in it, rare in the index. */
import { layerFieldName } from '../document/field-info.js'
import type { IndexReader } from '../reading/index-reader.js'
import { ClassicSimilarity } from './similarity/classic-similarity.js'

/** A word of {@link extractKeywords}. */
export interface Keyword {
  /** As it stands in the document, most often. */
  readonly word: string
  /** As it is indexed: in lower case, or as a stem. */
  readonly term: string
  /** Occurrences, each counting as much as its field. */
  readonly frequency: number
  /** Documents of the index that hold it; of several fields, in the one that has most. */
  readonly docFreq: number
  /** `frequency · idf`. */
  readonly score: number
}

/** Settings of {@link extractKeywords}. */
export interface ExtractKeywordsOptions {
  /** What an occurrence in a stored text field counts, by the name of the field; 1 in all of them where not given. */
  readonly fields?: Readonly<Record<string, number>>
  /** Words at most, from 1 on; 10 where not given. */
  readonly limit?: number
  /** Words, as they stand or as they are indexed, in lower case, that are passed over; none where not given. */
  readonly stopWords?: ReadonlySet<string>
  /** Words that fewer documents hold are passed over: 2 leaves out misspellings; 1 where not given. */
  readonly minDocFreq?: number
  /** Tokens of a field that are looked at, at most; 50,000 where not given. */
  readonly maxTokens?: number
}

/** Letters of a word of more than one, or Han characters; no numbers. */
const WORD = /^(?=.*\p{L}.*\p{L})/u
const TF_IDF = new ClassicSimilarity()

interface Candidate {
  frequency: number
  docFreq: number
  readonly surfaces: Map<string, number>
}

/**
 * Keywords of a document by TF-IDF (Salton and Buckley 1988), the best first: its stored texts are analyzed as they were indexed, words of
 * Chinese by the dictionary, other words by their stems, and weighed by the idf of `ClassicSimilarity`. Single characters
 * and numbers are none. Costs one look into the dictionary of terms a word.
 * @param docId index-wide id
 * @throws RangeError for an option out of its range
 * @example
 * ```ts
 * import { Document, EnglishAnalyzer, extractKeywords, Field, IndexReader, IndexWriter, MemoryDirectory } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new EnglishAnalyzer() })
 * for (const body of ['Moths spin silk; the moth eats leaves', 'leaves of tea', 'the silk road']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 *
 * const reader = await IndexReader.open(directory)
 * const keywords = await extractKeywords(reader, 0, { limit: 2, stopWords: new Set(['the']) })
 * console.log(keywords.map(({ word }) => word).join(', ')) // moths, spin
 * ```
 */
export async function extractKeywords(
  reader: IndexReader,
  docId: number,
  options: ExtractKeywordsOptions = {},
): Promise<Keyword[]> {
  const { fields, limit = 10, minDocFreq = 1, maxTokens = 50_000 } = options
  for (const [name, value] of Object.entries({ limit, minDocFreq, maxTokens })) {
    if (!(Number.isSafeInteger(value) && value >= 1))
      throw new RangeError(`${name} must be a whole number ≥ 1: ${value}`)
  }
  const document = await reader.document(docId)
  const texts = document.fields.filter(({ type }) => type.kind === 'text')
  const weights = fields ?? Object.fromEntries(texts.map(({ name }) => [name, 1]))
  const candidates = new Map<string, Candidate>()
  for (const [name, weight] of Object.entries(weights)) {
    if (!(weight > 0 && weight < Infinity)) throw new RangeError(`the field '${name}' needs a weight > 0: ${weight}`)
    const values = texts.filter((field) => field.name === name).map(({ value }) => value)
    const analyzer = reader.analyzers.forField(name)
    const layer = analyzer.queryPlan?.words?.layer ?? 0
    const found = new Set<string>()
    let tokens = 0
    for (const text of values) {
      analyzer.analyze(text, {
        token(term, start, end, _increment, tokenLayer) {
          if (tokenLayer !== layer || tokens++ >= maxTokens || !WORD.test(term)) return
          const surface = text.slice(start, end).toLowerCase()
          if (options.stopWords?.has(term) === true || options.stopWords?.has(surface) === true) return
          let candidate = candidates.get(term)
          if (candidate === undefined) {
            candidate = { frequency: 0, docFreq: 0, surfaces: new Map() }
            candidates.set(term, candidate)
          }
          candidate.frequency += weight
          candidate.surfaces.set(surface, (candidate.surfaces.get(surface) ?? 0) + 1)
          found.add(term)
        },
      })
    }
    const indexed = layerFieldName(name, analyzer.layers[layer]!.name)
    for (const term of found) {
      const candidate = candidates.get(term)!
      candidate.docFreq = Math.max(candidate.docFreq, await reader.docFreq(indexed, term))
    }
  }
  return [...candidates]
    .filter(([, { docFreq }]) => docFreq >= minDocFreq)
    .map(([term, { frequency, docFreq, surfaces }]) => ({
      word: mostFrequent(surfaces),
      term,
      frequency,
      docFreq,
      score: frequency * TF_IDF.idf(docFreq, reader.numDocs),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
}

/** The first of those that stand most often. */
function mostFrequent(surfaces: ReadonlyMap<string, number>): string {
  let best = ''
  let most = 0
  for (const [surface, count] of surfaces) {
    if (count <= most) continue
    best = surface
    most = count
  }
  return best
}
