import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { standardDictionary } from '../analysis/chinese/standard-dictionary.js'
import { UserDictionary } from '../analysis/chinese/user-dictionary.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { ChangedWords } from './changed-words.js'
import { IndexWriter } from './index-writer.js'

const CHARACTERS = [...'南京市长江大桥中华人民和国发网線後面云计算区块链']

function analyzerWith(dictionary: UserDictionary): ChineseAnalyzer {
  return new ChineseAnalyzer({ dictionary: dictionary.over(standardDictionary()) })
}

function text(random: Random, length: number): string {
  let made = ''
  while (made.length < length) made += random.below(9) === 0 ? '，' : random.pick(CHARACTERS)
  return made
}

function word(random: Random): string {
  let made = ''
  for (let left = 1 + random.below(4); left > 0; left--) made += random.pick(CHARACTERS)
  return made
}

function randomDictionary(random: Random, words: number): UserDictionary {
  const weights = [undefined, 0, 3, 100_000]
  return UserDictionary.of(
    Array.from({ length: words }, () => {
      const weight = random.pick(weights)
      return { word: word(random), ...(weight === undefined ? {} : { weight }) }
    }),
  )
}

function page(random: Random, id: number): Document {
  const document = new Document()
    .add(Field.keyword(ID, String(id)))
    .add(Field.text('title', text(random, 6)))
    .add(Field.text('body', text(random, 30)))
    .add(Field.keyword('tag', random.pick(['红', '绿', '蓝']), { stored: false }))
    .add(Field.float('when', random.below(100) / 8, { stored: false, indexed: true }))
  if (random.below(3) === 0) document.add(Field.text('body', text(random, 10)))
  return document
}

/** Documents that have one of the words; words are folded. */
function withWords(documents: Iterable<Document>, words: readonly string[]): number {
  let count = 0
  for (const { fields } of documents) {
    const has = fields.some(
      ({ name, value }) =>
        ['title', 'body'].includes(name) &&
        words.some((one) => value.replaceAll('線', '线').replaceAll('後', '后').includes(one)),
    )
    if (has) count++
  }
  return count
}

/** Lines of the index, and the numbers that only doc values have. */
async function contents(directory: MemoryDirectory): Promise<string[]> {
  const reader = await IndexReader.open(directory)
  const lines = await indexContents(reader)
  for (const segment of reader.segments) {
    const ids = (await segment.docValues(ID))!
    for (const name of ['when', 'rank', 'tag']) {
      const column = await segment.docValues(name)
      for (let doc = 0; doc < segment.maxDoc; doc++) {
        if (segment.liveDocs?.get(doc) === false || !column?.has(doc)) continue
        const values = column.numbers(doc)
        const shown = name === 'tag' ? values.map((ordinal) => segment.data.terms.termAt(name, ordinal)) : values
        lines.push(`value ${name} ${segment.data.terms.termAt(ID, ids.first(doc))} ${shown.join()}`)
      }
    }
  }
  await reader.close()
  return lines.sort()
}

async function madeAnew(
  documents: ReadonlyMap<string, Document>,
  ranks: ReadonlyMap<string, number>,
  dictionary: UserDictionary,
): Promise<string[]> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: analyzerWith(dictionary) })
  for (const document of documents.values()) await writer.addDocument(document)
  for (const [id, rank] of ranks) await writer.updateDocValues(new Term(ID, id), 'rank', rank)
  await writer.close()
  return contents(directory)
}

const seed = testSeed()

t.test(`just the documents with a changed word are analyzed again, SEED=${seed}`, async (t) => {
  const random = new Random(seed)
  for (let round = 0; round < 8; round++) {
    const before = randomDictionary(random, 1 + random.below(6))
    const after = randomDictionary(random, random.below(6))
    const analyzer = analyzerWith(before)
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer })
    const documents = new Map<string, Document>()
    const ranks = new Map<string, number>()
    for (let id = 0; id < 120; id++) {
      documents.set(String(id), page(random, id))
      await writer.addDocument(documents.get(String(id))!)
      if (random.below(30) === 0) await writer.commit()
      if (random.below(4) === 0) {
        const changed = String(random.below(id + 1))
        ranks.set(changed, round + id / 4)
        await writer.updateDocValues(new Term(ID, changed), 'rank', ranks.get(changed)!)
      }
    }
    analyzer.dictionary = after.over(standardDictionary())
    const words = before.changedWords(after)
    const done = await writer.reanalyze(new ChangedWords(words))
    t.equal(done, withWords(documents.values(), words), words.join())
    await writer.commit()
    t.strictSame(await contents(directory), await madeAnew(documents, ranks, after))
    await writer.close()
  }
})

t.test(`stopped at any step it goes on with what is left, SEED=${seed}`, async (t) => {
  const random = new Random(seed)
  const before = UserDictionary.of([{ word: '京市' }])
  const after = UserDictionary.of([{ word: '长江大' }, { word: '京市', weight: 0 }])
  const words = before.changedWords(after)
  const directory = new MemoryDirectory()
  const documents = new Map<string, Document>()
  let writer = await IndexWriter.open(directory, { analyzer: analyzerWith(before) })
  for (let id = 0; id < 2400; id++) {
    const document = page(random, id).add(Field.text('body', id % 2 === 0 ? '京市' : '北京'))
    documents.set(String(id), document)
    await writer.addDocument(document)
    if (id % 700 === 0) await writer.commit()
  }
  await writer.close()
  const wanted = withWords(documents.values(), words)

  let segments: string[] | undefined
  let done = 0
  for (let lives = 1; ; lives++) {
    writer = await IndexWriter.open(directory, { analyzer: analyzerWith(after) })
    const reanalysis = await writer.beginReanalysis(
      new ChangedWords(words),
      segments === undefined ? {} : { only: segments },
    )
    segments ??= reanalysis.segments
    const isOver = !(await reanalysis.next())
    await writer.commit()
    done += reanalysis.done
    if (isOver) {
      t.ok(lives >= 3, `${lives} writers`)
      break
    }
    // What this one begins is lost with it.
    await reanalysis.next()
    await writer.rollback()
  }
  await writer.close()
  t.equal(done, wanted, 'nothing twice, nothing left out')
  t.strictSame(await contents(directory), await madeAnew(documents, new Map(), after))
})

t.test(`updates, deletes and merges in between count, SEED=${seed}`, async (t) => {
  const random = new Random(seed)
  const before = UserDictionary.EMPTY
  const after = UserDictionary.of([{ word: '云计算' }, { word: '民和国' }])
  const analyzer = analyzerWith(before)
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer, mergeFactor: 2 })
  const documents = new Map<string, Document>()
  for (let id = 0; id < 1800; id++) {
    documents.set(String(id), page(random, id).add(Field.text('body', '云计算')))
    await writer.addDocument(documents.get(String(id))!)
    if (id % 400 === 0) await writer.commit()
  }
  analyzer.dictionary = after.over(standardDictionary())
  const reanalysis = await writer.beginReanalysis(new ChangedWords(before.changedWords(after)))
  while (await reanalysis.next()) {
    for (let i = 0; i < 40; i++) {
      const id = String(random.below(1800))
      if (random.below(3) === 0) {
        documents.delete(id)
        await writer.deleteDocuments(new Term(ID, id))
      } else {
        documents.set(id, page(random, Number(id)))
        await writer.updateDocument(new Term(ID, id), documents.get(id)!)
      }
    }
    await writer.forceMerge(2)
    await writer.commit()
  }
  t.ok(reanalysis.done > 1000 && reanalysis.done < 1800, `${reanalysis.done} of 1,800`)
  await writer.forceMerge(1)
  await writer.close()
  t.strictSame(await contents(directory), await madeAnew(documents, new Map(), after))
})

t.test('of very many words the documents are found by their texts', async (t) => {
  const random = new Random(seed)
  const documents = Array.from({ length: 300 }, (_, id) => page(random, id))
  const many = new Set<string>(['长江大桥'])
  for (let code = 0x4e00; many.size < 3000; code++) many.add(`龘${String.fromCodePoint(code)}`)
  const analyzer = analyzerWith(UserDictionary.EMPTY)
  const writer = await IndexWriter.open(new MemoryDirectory(), { analyzer })
  await writer.addDocuments(documents)
  await writer.addDocument(page(random, 300).add(Field.text('body', `${'中'.repeat(5000)}長江大橋`)))
  const found = await writer.reanalyze(new ChangedWords([...many]))
  t.equal(found, withWords(documents, ['长江大桥']) + 1, 'also behind the end of a chunk, in the other script')
  await writer.close()
})

t.test('what is not stored cannot be analyzed again, and the writer goes on', async (t) => {
  const writer = await IndexWriter.open(new MemoryDirectory(), { analyzer: analyzerWith(UserDictionary.EMPTY) })
  await writer.addDocument(new Document().add(Field.text('title', '云计算')).add(Field.unStored('body', '云计算')))
  await t.rejects(writer.reanalyze(new MatchAllQuery()), { code: 'REANALYSIS_IMPOSSIBLE', message: /The field body / })
  await writer.addDocument(new Document().add(Field.text('title', '云计算')))
  await writer.commit()
  t.equal(writer.numDocs, 2)
  await t.rejects(writer.reanalyze(new MatchAllQuery()), { code: 'REANALYSIS_IMPOSSIBLE' })
  await writer.close()
})

t.test('what is not stored is made again of what is, where the caller can', async (t) => {
  const directory = new MemoryDirectory()
  const analyzer = analyzerWith(UserDictionary.EMPTY)
  const writer = await IndexWriter.open(directory, { analyzer })
  const derivedOf = (title: string) => Field.unStored('copy', `，${title}`)
  for (const title of ['链面云', '云']) {
    await writer.addDocument(new Document().add(Field.text('title', title)).add(derivedOf(title)))
  }
  analyzer.dictionary = UserDictionary.of([{ word: '链面云' }]).over(standardDictionary())
  const derived = { names: ['copy'], of: (document: Document) => [derivedOf(document.get('title')!)] }
  t.equal(await writer.reanalyze(new ChangedWords(['链面云']), { derived }), 1)
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.equal(await searcher.count(new TermQuery(new Term('copy#word', '链面云'))), 1)
  t.equal(await searcher.count(new TermQuery(new Term('copy', '云'))), 1)
  await searcher.close()
})

t.test('a combined field follows its sources', async (t) => {
  const directory = new MemoryDirectory()
  const analyzer = analyzerWith(UserDictionary.EMPTY)
  const writer = await IndexWriter.open(directory, {
    analyzer,
    combinedFields: [{ name: 'all', fields: { title: 3, body: 1 } }],
  })
  await writer.addDocument(new Document().add(Field.text('title', '链面云')).add(Field.text('body', '用链面云')))
  await writer.commit()
  const count = async () => {
    const searcher = await IndexSearcher.open(directory)
    const found = await searcher.count(new TermQuery(new Term('all#word', '链面云')))
    await searcher.close()
    return found
  }
  t.equal(await count(), 0)
  analyzer.dictionary = UserDictionary.of([{ word: '鏈面雲' }]).over(standardDictionary())
  t.equal(await writer.reanalyze(new ChangedWords(['鏈面雲'])), 1)
  await writer.commit()
  t.equal(await count(), 1)
  await writer.close()
})
