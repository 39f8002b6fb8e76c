/** Words in several fields where the terms are not in memory: in little memory, over a network, or just opened. */
import { join } from 'node:path'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { CombinedFieldQuery } from './query/combined-field-query.js'
import { DisjunctionMaxQuery } from './query/disjunction-max-query.js'

/** A word of one document, sharing little with its neighbours in the dictionary. */
const rare = (i: number, j: number) => `${((i * 90 + j) * 7919) % 100_003}-word`

t.test('one word in several fields, with the terms read by ranges', async (t) => {
  const dir = join(t.testdir({}), 'index')
  const writer = await IndexWriter.open(dir, { analyzer: new WhitespaceAnalyzer(true) })
  for (let i = 0; i < 300; i++) {
    // Enough terms for a dictionary that is not loaded whole in any case.
    const words = Array.from({ length: 90 }, (_, j) => `${i % 3 === 0 ? 'heron ' : ''}${rare(i, j)}`).join(' ')
    await writer.addDocument(
      new Document().add(Field.text('title', i % 7 === 0 ? 'heron' : 'other')).add(Field.text('body', words)),
    )
    if (i === 200) await writer.commit()
  }
  await writer.commit()
  await writer.close()
  const fields = ['title', 'body'].map((name) => ({ name, weight: 2, bonus: 0.5 }))
  const word = (text: string) => new CombinedFieldQuery(fields, text)
  const queries = [
    word('heron'),
    word(rare(7, 7)),
    word('nowhere'),
    new BooleanQuery([{ query: word(rare(250, 3)), occur: 'must' }]),
    new DisjunctionMaxQuery([word(rare(9, 3)), word('nowhere')]),
  ]
  const whole = await IndexSearcher.open(dir)
  const ranges = await IndexSearcher.open(dir, { memoryBudget: 0 })
  t.ok(ranges.reader.segments.some(({ hasResidentTerms }) => !hasResidentTerms))
  const totals = []
  for (const query of queries) {
    const found = await ranges.search(query)
    const expected = await whole.search(query)
    totals.push(found.length)
    t.equal(await ranges.count(query), found.length)
    for (let i = 0; i < Math.min(found.length, 10); i++) {
      t.equal(await found.docId(i), await expected.docId(i))
      t.equal(found.score(i), expected.score(i))
    }
  }
  t.same(totals, [128, 1, 0, 1, 1])
  await whole.close()
  await ranges.close()
})

t.test('a word that one of the fields lacks, where no search has brought the lengths of that field', async (t) => {
  const dir = join(t.testdir({}), 'index')
  const writer = await IndexWriter.open(dir, { analyzer: new WhitespaceAnalyzer() })
  await writer.addDocument(new Document().add(Field.text('title', 'bird')).add(Field.text('body', 'a heron')))
  await writer.close()
  const heron = new CombinedFieldQuery(
    ['title', 'body'].map((name) => ({ name, weight: 1, bonus: 0 })),
    'heron',
  )
  const open = () => IndexSearcher.open(dir, { memoryBudget: 0 })
  const whole = await IndexSearcher.open(dir)
  const score = (await whole.search(heron)).score(0)
  const counting = await open()
  t.equal(await counting.count(heron), 1)
  const searching = await open()
  t.equal((await searching.search(heron)).score(0), score)
  const explaining = await open()
  t.equal((await explaining.explain(heron, 0)).value, score)
  const absent = new CombinedFieldQuery(heron.fields, 'bird')
  const filter = new BooleanQuery([{ query: absent, occur: 'filter' }])
  const filtering = await open()
  t.equal((await filtering.explain(filter, 0)).match, true)
  for (const searcher of [whole, counting, searching, explaining, filtering]) await searcher.close()
})
