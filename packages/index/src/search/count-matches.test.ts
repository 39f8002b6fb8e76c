/** Numbers of matches in a segment of several wide windows, held against sets of documents. */
import t, { type Test } from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery, type Occur } from './query/boolean-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { WIDE_WINDOW_SIZE } from './scorer/window.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

const DOCUMENTS = 2 * WIDE_WINDOW_SIZE + 5_000
/** How many documents in a thousand have each word. */
const RATES = [700, 500, 300, 120, 60, 30, 12, 5, 1]
const WORDS = RATES.map((_, i) => `w${i}`)

const texts: string[][] = []
const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(), memoryBudget: 2 ** 30 })
for (let doc = 0; doc < DOCUMENTS; doc++) {
  const text = WORDS.filter((_, i) => random.below(1000) < RATES[i]!)
  // Some twice, in any order.
  for (let more = random.below(3); more > 0 && text.length > 0; more--)
    text.splice(random.below(text.length), 0, random.pick(text))
  texts.push(text)
  const document = new Document().add(Field.text('body', text.join(' ')))
  await writer.addDocument(document.add(Field.keyword('tenth', String(doc % 10))))
}
await writer.commit()

const term = (word: string): Query => new TermQuery(new Term('body', word))

interface Question {
  readonly query: Query
  readonly matches: (text: readonly string[]) => boolean
}

function randomQuestion(): Question {
  const kind = random.below(4)
  if (kind === 3) {
    const words = Array.from({ length: 2 + random.below(2) }, () => random.pick(WORDS))
    return {
      query: new PhraseQuery('body', words),
      matches: (text) => text.some((_, at) => words.every((word, i) => text[at + i] === word)),
    }
  }
  const must: string[] = []
  const should: string[] = []
  const mustNot: string[] = []
  for (let left = 1 + random.below(5); left > 0; left--) {
    const list = kind === 0 ? should : kind === 1 ? must : random.pick([must, should, mustNot])
    list.push(random.pick(WORDS))
  }
  if (must.length + should.length === 0) must.push(random.pick(WORDS))
  const clauses = (words: readonly string[], occur: Occur) => words.map((word) => ({ query: term(word), occur }))
  return {
    query: new BooleanQuery([...clauses(must, 'must'), ...clauses(should, 'should'), ...clauses(mustNot, 'mustNot')]),
    matches: (text) =>
      must.every((word) => text.includes(word)) &&
      (must.length > 0 || should.some((word) => text.includes(word))) &&
      !mustNot.some((word) => text.includes(word)),
  }
}

async function compare(t: Test, rounds: number, isLive: (doc: number) => boolean): Promise<void> {
  const searcher = await IndexSearcher.open(directory)
  t.equal(searcher.reader.segments.length, 1)
  for (let round = 0; round < rounds; round++) {
    const { query, matches } = randomQuestion()
    let expected = 0
    for (let doc = 0; doc < DOCUMENTS; doc++) if (isLive(doc) && matches(texts[doc]!)) expected++
    const counted = await searcher.count(query)
    if (counted !== expected) t.fail(`${query}: ${counted} counted, ${expected} match`)
  }
  await searcher.close()
}

t.test('all documents', async (t) => compare(t, 80, () => true))

t.test('with deletes', async (t) => {
  await writer.deleteDocuments(new Term('tenth', '3'))
  await writer.commit()
  await compare(t, 80, (doc) => doc % 10 !== 3)
})

t.teardown(() => writer.close())
