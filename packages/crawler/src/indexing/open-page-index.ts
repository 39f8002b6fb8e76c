/**
 * Opens the index that pages go into, with the analyzer that they are to have. Where it was written with another one, a new
 * index begins in its place: the pages are stored, so that it is filled anew, and until its first commit the old one answers.
 */
import { isSpindleError, SpindleError } from '@spindle/core'
import {
  type Analyzer,
  ChineseAnalyzer,
  IndexReader,
  IndexWriter,
  type IndexWriterOptions,
  STEMMERS,
  type StemmerName,
} from '@spindle/index'

/** How words of letters are stemmed, as the configuration says. */
export interface Stemming {
  /** See `StemSettings`. */
  readonly stemmer?: readonly string[] | undefined
  readonly protectedWords?: readonly string[] | undefined
}

/** How pages are analyzed. */
export interface PageAnalysis {
  /** Analyzer of text fields; a {@link ChineseAnalyzer} where not given. */
  readonly analyzer?: Analyzer
  /** Stemming of that ChineseAnalyzer; as the index was made where nothing is said, and English in a new one. */
  readonly stemming?: Stemming | undefined
}

/** An open index and the analyzer of its writer. */
export interface PageIndex {
  readonly writer: IndexWriter
  readonly analyzer: Analyzer
}

/** @throws SpindleError `CONFIG_INVALID` for a language without a stemmer; those of `IndexWriter.open` */
export async function openPageIndex(
  path: string,
  { analyzer: given, stemming = {} }: PageAnalysis,
  options: Omit<IndexWriterOptions, 'analyzer'>,
): Promise<PageIndex> {
  const { stemmer, protectedWords } = stemming
  const isSaid = given !== undefined || stemmer !== undefined || protectedWords !== undefined
  const analyzer = given ?? new ChineseAnalyzer({ ...stemmerOf(stemmer), ...(protectedWords && { protectedWords }) })
  const open = async (one: Analyzer, create?: true): Promise<PageIndex> => {
    const more = create === undefined ? {} : { create }
    return { analyzer: one, writer: await IndexWriter.open(path, { ...options, ...more, analyzer: one }) }
  }
  try {
    return await open(analyzer)
  } catch (error) {
    if (!isMismatch(error)) throw error
  }
  if (!isSaid) {
    try {
      const recorded = await recordedAnalyzer(path)
      if (recorded !== undefined) return await open(recorded)
    } catch (error) {
      if (!isMismatch(error)) throw error
    }
  }
  return open(analyzer, true)
}

function isMismatch(error: unknown): boolean {
  return isSpindleError(error, 'ANALYZER_MISMATCH') || isSpindleError(error, 'COMBINED_FIELD_MISMATCH')
}

/** The analyzer that an index was made with, where it is one of ours. @throws SpindleError `ANALYZER_MISMATCH` */
async function recordedAnalyzer(path: string): Promise<Analyzer | undefined> {
  const reader = await IndexReader.open(path)
  try {
    const recorded = reader.analyzers.default
    return recorded instanceof ChineseAnalyzer ? recorded : undefined
  } finally {
    await reader.close()
  }
}

function stemmerOf(names: readonly string[] | undefined): { stemmer?: readonly StemmerName[] } {
  if (names === undefined) return {}
  const known = names.filter((name): name is StemmerName => (STEMMERS as readonly string[]).includes(name))
  const unknown = names.find((name) => !(known as readonly string[]).includes(name))
  if (unknown === undefined) return { stemmer: known }
  throw new SpindleError(
    'CONFIG_INVALID',
    `The setting index.stemmer has "${unknown}", which there is no stemmer for: take ${STEMMERS.slice(0, -1).join(', ')} or none.`,
  )
}
