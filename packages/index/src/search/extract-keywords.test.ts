import t, { type Test } from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { extractKeywords } from './extract-keywords.js'

const PAGES = [
  { title: '宣纸', body: '宣纸产于泾县。宣纸用青檀皮制成，纸张洁白。造纸的人说，纸张要晾干。' },
  { title: 'Silk', body: "The moth's silk: Moths spin, a moth spins, moths eat. 12 12 12 12 12. Leaves of 2026." },
  { title: 'Paper', body: '纸张和 leaves，造纸的人。The silk road.' },
  { title: 'Road', body: 'The road of the silk road, the road.' },
]

async function openReader(t: Test): Promise<IndexReader> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new ChineseAnalyzer() })
  for (const { title, body } of PAGES) {
    await writer.addDocument(
      new Document().add(Field.text('title', title)).add(Field.text('body', body)).add(Field.keyword('id', title)),
    )
    // several segments: frequencies are those of all of them
    await writer.commit()
  }
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.teardown(() => reader.close())
  return reader
}

t.test('words that are frequent in a document and rare in the index', async (t) => {
  const reader = await openReader(t)
  const paper = await extractKeywords(reader, 0)
  t.equal(paper[0]!.word, '宣纸')
  t.match(paper[0], { term: '宣纸', frequency: 3, docFreq: 1 })
  t.ok(
    paper.every(({ word }) => word.length > 1),
    'single characters are no keywords',
  )
  t.ok(paper.every(({ score }, i) => i === 0 || score <= paper[i - 1]!.score))

  const silk = await extractKeywords(reader, 1, { stopWords: new Set(['the', 'of']) })
  t.match(silk[0], { word: 'moths', term: 'moth', frequency: 4, docFreq: 1 }, 'one stem, told as it stands most often')
  t.notOk(
    silk.some(({ word }) => /\d/.test(word)),
    'nor are numbers',
  )
  t.notOk(silk.some(({ word }) => word === 'the'))
  t.equal(silk.find(({ term }) => term === 'silk')!.docFreq, 3)
  // tf · idf as it is written: idf = 1 + ln((N + 1) / (df + 1))
  const leaf = silk.find(({ word }) => word === 'leaves')!
  t.match(leaf, { frequency: 1, docFreq: 2 })
  t.ok(Math.abs(leaf.score - (1 + Math.log(5 / 3))) < 1e-9, String(leaf.score))
})

t.test('fields, limits and words that hardly anything else holds', async (t) => {
  const reader = await openReader(t)
  t.same(
    (await extractKeywords(reader, 3, { fields: { title: 5 } })).map(({ word, frequency }) => [word, frequency]),
    [['road', 5]],
  )
  t.equal((await extractKeywords(reader, 0, { limit: 2 })).length, 2)
  const shared = await extractKeywords(reader, 1, { minDocFreq: 2 })
  t.notOk(shared.some(({ word }) => word === 'moths'))
  t.ok(shared.some(({ word }) => word === 'leaves'))
  t.equal((await extractKeywords(reader, 1, { fields: { body: 1 }, maxTokens: 2 })).length <= 2, true)
  t.same(await extractKeywords(reader, 0, { fields: { nothing: 1 } }), [])
  for (const options of [{ limit: 0 }, { minDocFreq: 0.5 }, { maxTokens: -1 }, { fields: { body: 0 } }]) {
    await t.rejects(extractKeywords(reader, 0, options), RangeError)
  }
})
