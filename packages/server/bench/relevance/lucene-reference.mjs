/**
 * Lucene's way with the same sets, in our index: one field of title and text, words without Lucene's 33 stop words, Porter's stems
 * (or pairs of characters for Chinese), BM25 with k1 1.2 and b .75, any of the words. Where its figures come out as Lucene's own,
 * index, BM25 and measures are right, and what the product gains is a gain.
 */
import {
  BigramAnalyzer,
  BM25Similarity,
  BooleanQuery,
  Document,
  Field,
  fingerprint,
  IndexSearcher,
  IndexWriter,
  MemoryDirectory,
  registerAnalyzer,
  StandardAnalyzer,
  Term,
  TermQuery,
  tokenize,
} from '@spindle/index'
import { porterStem } from './porter-stem.mjs'

const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)

/** Words in lower case without possessives and stop words, as stems. */
class PorterAnalyzer {
  name = 'porter-reference'
  settings = {}
  fingerprint = fingerprint('porter-reference', {}, 1)
  layers = [{ name: '', options: 'positions', norms: true }]
  #standard = new StandardAnalyzer()

  analyze(text, sink) {
    let skipped = 0
    this.#standard.analyze(text, {
      token(term, start, end, increment, layer) {
        const word = term.replace(/['’]s$/, '')
        if (STOP_WORDS.has(word)) {
          skipped += increment
          return
        }
        sink.token(porterStem(word), start, end, increment + skipped, layer)
        skipped = 0
      },
    })
  }
}
registerAnalyzer('porter-reference', () => new PorterAnalyzer())

const ENGLISH = { analyzer: new PorterAnalyzer() }
const CHINESE = { analyzer: new BigramAnalyzer() }

/** @returns a ranking as those of rankings.mjs, and what closes it */
export async function luceneReference(records, language) {
  const { analyzer } = language === 'zh' ? CHINESE : ENGLISH
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const { id, title, text } of records) {
    await writer.addDocument(new Document().add(Field.keyword('id', id)).add(Field.text('text', `${title} ${text}`)))
  }
  await writer.close()
  const searcher = await IndexSearcher.open(directory, { similarity: new BM25Similarity({ k1: 1.2, b: 0.75 }) })
  const ids = new Map()
  const idOf = async (docId) => {
    if (!ids.has(docId)) ids.set(docId, (await searcher.reader.document(docId)).get('id'))
    return ids.get(docId)
  }
  return {
    async ranking(text) {
      const clauses = tokenize(analyzer, text).map(({ term }) => ({
        query: new TermQuery(new Term('text', term)),
        occur: 'should',
      }))
      if (clauses.length === 0) return []
      const hits = await searcher.search(new BooleanQuery(clauses), { limit: 1000 })
      const found = []
      for (let i = 0; i < hits.loaded; i++) found.push({ id: await idOf(hits.docId(i)), score: hits.score(i) })
      return found
    },
    close: () => searcher.close(),
  }
}
