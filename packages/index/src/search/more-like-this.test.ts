/** Documents like others: which words are asked for, against the definition of Lucene's MoreLikeThis. */
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { registerAnalyzer } from '../analysis/registry.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { BoostQuery } from './query/boost-query.js'
import { type MoreLikeThisOptions, MoreLikeThisQuery } from './query/more-like-this-query.js'
import { TermQuery } from './query/term-query.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const analyzer = new WhitespaceAnalyzer()
const DOCS = 800
registerAnalyzer(analyzer.name, () => analyzer)

const words = (most: number): string =>
  Array.from({ length: 1 + random.below(most) }, () => `w${Math.floor(300 * random.next() ** 3)}`).join(' ')
const texts = Array.from({ length: DOCS }, () => ({ title: words(8), body: words(120) }))
const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer })
for (const [i, { title, body }] of texts.entries()) {
  await writer.addDocument(
    new Document()
      .add(Field.text('title', title))
      .add(Field.text('body', body))
      .add(Field.keyword('tag', `Tag ${i % 7}`)),
  )
  if (i === 250 || i === 600) await writer.commit()
}
await writer.close()

const FIELDS = ['title', 'body'] as const
const docFreqs = new Map<string, number>()
for (const text of texts) {
  for (const field of FIELDS) {
    for (const word of new Set(text[field].split(' '))) {
      docFreqs.set(`${field} ${word}`, (docFreqs.get(`${field} ${word}`) ?? 0) + 1)
    }
  }
}

/** The words by the definition: those of the text with their frequency times `1 + ln((N + 1) / (df + 1))`, the best first. */
function tellingWords(
  text: Record<'title' | 'body', string>,
  options: MoreLikeThisOptions,
): { term: Term; score: number }[] {
  const { minTermFreq = 2, minDocFreq = 5, maxDocFreq = Infinity, maxQueryTerms = 25, minWordLength = 0 } = options
  const { maxTokens = 5000, stopWords } = options
  const found: { term: Term; score: number }[] = []
  for (const field of FIELDS) {
    const list = text[field].split(' ').slice(0, maxTokens)
    for (const word of new Set(list)) {
      const freq = list.filter((other) => other === word).length
      const df = docFreqs.get(`${field} ${word}`) ?? 0
      if (freq < minTermFreq || df === 0 || df < minDocFreq || df > maxDocFreq) continue
      if (word.length < minWordLength || stopWords?.has(word)) continue
      found.push({ term: new Term(field, word), score: freq * (1 + Math.log((DOCS + 1) / (df + 1))) })
    }
  }
  return found.sort((a, b) => b.score - a.score).slice(0, maxQueryTerms)
}

const options: readonly MoreLikeThisOptions[] = [
  {},
  { minTermFreq: 1, minDocFreq: 2, maxQueryTerms: 8 },
  { boost: true },
  { minTermFreq: 1, maxDocFreq: 60, minWordLength: 4, maxTokens: 50 },
  { minTermFreq: 1, stopWords: new Set(['w0', 'w1', 'w2']), minimumShare: 0.3, boost: true },
  { maxQueryTerms: 0 },
]

// In memory, and with terms that are read when they are asked for.
for (const memoryBudget of [undefined, 1000]) {
  t.test(memoryBudget === undefined ? 'the words asked for' : 'the same, terms read by ranges', async (t) => {
    const searcher = await IndexSearcher.open(directory, memoryBudget === undefined ? {} : { memoryBudget })
    for (const like of options) {
      for (let n = 0; n < 6; n++) {
        const text = { title: words(8), body: words(150) }
        const asked = tellingWords(text, like)
        const share = Math.floor((like.minimumShare ?? 0) * asked.length)
        const expected = new BooleanQuery(
          asked.map(({ term, score }) => {
            const query = new TermQuery(term)
            return {
              query: like.boost ? new BoostQuery(query, score / asked[0]!.score) : query,
              occur: 'should' as const,
            }
          }),
          share,
        )
        const [found, wanted] = [
          await searcher.search(new MoreLikeThisQuery(text, analyzer, like)),
          await searcher.search(expected),
        ]
        const listed = (hits: typeof found) =>
          Array.from({ length: hits.loaded }, (_, i) => [hits.docId(i), hits.score(i)])
        t.same([found.length, listed(found)], [wanted.length, listed(wanted)], JSON.stringify(like))
        t.equal(await searcher.count(new MoreLikeThisQuery(text, analyzer, like)), wanted.length)
      }
    }
    await searcher.close()
  })
}

t.test('like a document: the document itself is left out', async (t) => {
  const searcher = await IndexSearcher.open(directory)
  for (const docId of [0, 250, 251, 700, DOCS - 1]) {
    const query = new MoreLikeThisQuery(texts[docId]!, analyzer)
    const all = await searcher.search(query, { limit: DOCS })
    const others = await searcher.moreLikeThis(docId, {}, { limit: DOCS })
    const ids = Array.from({ length: all.loaded }, (_, i) => all.docId(i))
    t.equal(ids.includes(docId), tellingWords(texts[docId]!, {}).length > 0, 'a short text may have no telling word')
    t.same(
      Array.from({ length: others.loaded }, (_, i) => others.docId(i)),
      ids.filter((id) => id !== docId),
    )
    const { title } = texts[docId]!
    const othersByTitle = await searcher.moreLikeThis(docId, { fields: ['title'], minTermFreq: 1 })
    const byTitle = await searcher.count(new MoreLikeThisQuery({ title }, analyzer, { minTermFreq: 1 }))
    const itself = tellingWords({ title, body: '' }, { minTermFreq: 1 }).length > 0 ? 1 : 0
    t.equal(othersByTitle.length, byTitle - itself, 'by the title alone')
  }
  const alike = await searcher.moreLikeThis(3, { fields: ['tag'], minTermFreq: 1 }, { limit: DOCS })
  t.same(
    new Set(Array.from({ length: alike.loaded }, (_, i) => alike.docId(i) % 7)),
    new Set([3]),
    'a keyword is compared as it is',
  )
  await t.rejects(searcher.moreLikeThis(DOCS), RangeError)
  await t.rejects(searcher.moreLikeThis(-1), RangeError)
  await searcher.close()
})

t.test('Chinese is compared by words, in either script', async (t) => {
  const chinese = new ChineseAnalyzer()
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: chinese })
  const pages = [
    '南京市长江大桥建成通车，长江大桥是公路铁路两用桥',
    '长江大桥的历史：大桥在长江上，铁路与公路',
    '武漢長江大橋是長江上的第一座大橋',
    '今天天气很好，我们去公园散步',
  ]
  for (const page of pages) await writer.addDocument(new Document().add(Field.text('body', page)))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const others = await searcher.moreLikeThis(0, { minTermFreq: 2, minDocFreq: 2 })
  t.same(new Set(Array.from({ length: others.length }, (_, i) => others.docId(i))), new Set([1, 2]))
  const words: string[] = []
  new MoreLikeThisQuery({ body: pages[0]! }, chinese).visit({
    term: ({ field, text }) => words.push(`${field}:${text}`),
    phrase: () => t.fail('no phrase is asked for'),
    matching: () => t.fail('no pattern is asked for'),
  })
  t.ok(words.includes('body#word:长江'), words.join(' '))
  t.ok(words.every((word) => word.startsWith('body#word:')))
  await searcher.close()
})

t.test('what it is called, and what it refuses', async (t) => {
  t.equal(new MoreLikeThisQuery({ title: 'a', body: 'b' }, analyzer).toString(), 'like:(title body)')
  for (const wrong of [{ minTermFreq: -1 }, { maxQueryTerms: 1.5 }, { minimumShare: 2 }, { maxTokens: Number.NaN }]) {
    t.throws(() => new MoreLikeThisQuery({ body: 'b' }, analyzer, wrong), RangeError)
  }
})
