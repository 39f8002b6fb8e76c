/**
 * The documents whose texts have one of some words in them, in either script of Chinese: those that another dictionary
 * may cut otherwise. They are found by the pairs and characters that a text is indexed by as it stands; of very many
 * words, by going through the stored texts instead.
 */
import { BitSet } from '@spindle/core'
import { cellTerm, pairTerm } from '../analysis/bigram/cjk-scanner.js'
import { simplifiedFolder } from '../analysis/chinese/simplified-folder.js'
import { WordFinder } from '../analysis/chinese/word-finder.js'
import type { Document } from '../document/document.js'
import { layerFieldName } from '../document/field-info.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import type { ReanalysisQuery } from './reanalysis.js'

/** More words than that are looked for in the stored texts. */
const MAX_LOOKED_UP = 1000

/**
 * The documents that `IndexWriter.reanalyze` makes again when the dictionary of a `ChineseAnalyzer` has changed. Fields that
 * are no text of such an analyzer have none of the words. `IndexDictionary` remembers beside the index how far that is.
 * @example
 * ```ts
 * import {
 *   ChangedWords,
 *   ChineseAnalyzer,
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   standardDictionary,
 *   Term,
 *   TermQuery,
 *   UserDictionary,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const analyzer = new ChineseAnalyzer()
 * const writer = await IndexWriter.open(directory, { analyzer })
 * for (const body of ['新的链面云服务', '旧的服务']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 *
 * const before = UserDictionary.EMPTY
 * const after = UserDictionary.parse('链面云 2000 nz', 'words of ours')
 * analyzer.dictionary = after.over(standardDictionary())
 * console.log(await writer.reanalyze(new ChangedWords(before.changedWords(after)))) // 1
 * await writer.close()
 *
 * const searcher = await IndexSearcher.open(directory)
 * console.log(await searcher.count(new TermQuery(new Term('body#word', '链面云')))) // 1
 * ```
 */
export class ChangedWords implements ReanalysisQuery {
  readonly #words: readonly (readonly number[])[]
  readonly #finder: WordFinder

  /** @param words of Han, Kana and Hangul characters, see `UserDictionary.changedWords` */
  constructor(words: readonly string[]) {
    this.#words = words.map((word) => Array.from(simplifiedFolder.foldAll(word.normalize('NFC')), codeOf))
    this.#finder = new WordFinder(words)
  }

  /** The documents that have the words, and may be some more: {@link accepts} tells. */
  async matchingDocs(segment: SegmentReader): Promise<BitSet> {
    const found = new BitSet(segment.maxDoc)
    const fields = textFields(segment)
    if (fields.length === 0 || this.#words.length === 0) return found
    if (this.#words.length > MAX_LOOKED_UP) return segment.liveDocs?.clone() ?? BitSet.full(segment.maxDoc)
    for (const field of fields) {
      for (const word of this.#words) {
        const query = await wordQuery(segment, field, word)
        if (query === undefined) continue
        const docs = await query.matchingDocs(segment)
        for (let i = 0; i < found.words.length; i++) found.words[i]! |= docs.words[i]!
      }
    }
    return found
  }

  accepts(document: Document): boolean {
    return document.fields.some(({ type, value }) => type.tokenized && this.#finder.isIn(value))
  }
}

/** Fields of text, without layers and those that are made of others. */
function textFields(segment: SegmentReader): string[] {
  return [...segment.data.fieldInfos.values()]
    .filter(({ name, type, sources, docCount }) => {
      return type.tokenized && sources === undefined && docCount > 0 && !name.includes('#')
    })
    .map(({ name }) => name)
}

/** Undefined where the segment has no such word. */
async function wordQuery(segment: SegmentReader, field: string, word: readonly number[]): Promise<Query | undefined> {
  if (word.length === 1) return new TermQuery(new Term(layerFieldName(field, 'char'), cellTerm(word[0]!)))
  const pairs: string[] = []
  for (let i = 1; i < word.length; i++) {
    const pair = pairTerm(word[i - 1]!, word[i]!)
    if ((await segment.loadTermStats(field, pair)) === null) return undefined
    pairs.push(pair)
  }
  return new PhraseQuery(field, pairs)
}

function codeOf(character: string): number {
  return character.codePointAt(0)!
}
