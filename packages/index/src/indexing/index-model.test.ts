/** Random adds, updates, deletes, flushes, merges, commits and reopenings, compared with a plain model after each commit. */

import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { expectedContents, firstDifference, ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const WORDS = [
  'a',
  'the',
  'index',
  '搜索',
  '引擎',
  'constructor',
  '__proto__',
  'toString',
  'naïve',
  '𝄞clef',
  'zebra',
  'aa',
  'aaa',
]
const seed = testSeed()
t.comment(`SEED=${seed}`)

function randomText(random: Random, length: number): string {
  const words: string[] = []
  for (let i = 0; i < length; i++) {
    // Mostly frequent words, some that hardly come back.
    words.push(random.next() < 0.8 ? random.pick(WORDS) : `w${random.below(500)}`)
  }
  return words.join(' ')
}

function randomDocument(random: Random, id: string): Document {
  const document = new Document().add(Field.keyword(ID, id))
  if (random.next() < 0.9)
    document.add(Field.text('body', randomText(random, random.below(random.next() < 0.05 ? 400 : 12))))
  if (random.next() < 0.3) document.add(Field.text('body', randomText(random, random.below(5))))
  if (random.next() < 0.5) document.add(Field.unStored('__proto__', randomText(random, 3)))
  if (random.next() < 0.5) document.add(Field.keyword('constructor', random.pick(WORDS)))
  if (random.next() < 0.5) document.add(Field.unIndexed('note', randomText(random, random.below(60))))
  return document
}

for (let round = 0; round < 6; round++) {
  t.test(`round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const directory = round % 2 === 0 ? new MemoryDirectory() : t.testdir({})
    const analyzer = new WhitespaceAnalyzer(true)
    const options = {
      analyzer,
      memoryBudget: random.pick([1, 60_000, 1_000_000]),
      mergeFactor: random.pick([2, 3, 10]),
    }
    let model = new Map<string, Document>()
    let committed = new Map(model)
    let writer = await IndexWriter.open(directory, options)
    let reader = null as IndexReader | null
    let commits = 0
    const size = options.memoryBudget === 1 ? 50 : 350
    for (let step = 0; step < size || commits < 3; step++) {
      const choice = random.next()
      const id = String(random.below(size / 2))
      if (choice < 0.5) {
        const document = randomDocument(random, id)
        model.delete(id)
        model.set(id, document)
        await writer.updateDocument({ field: ID, text: id }, document)
      } else if (choice < 0.8) {
        const fresh = `n${step}`
        const document = randomDocument(random, fresh)
        model.set(fresh, document)
        await writer.addDocument(document)
      } else if (choice < 0.9) {
        model.delete(id)
        await writer.deleteDocuments({ field: ID, text: id })
      } else if (choice < 0.91) {
        const word = random.pick(WORDS)
        for (const [key, document] of model) if (document.getAll('constructor').includes(word)) model.delete(key)
        await writer.deleteDocuments(
          random.next() < 0.5 ? { field: 'constructor', text: word } : new TermQuery(new Term('constructor', word)),
        )
      } else if (choice < 0.915) {
        await writer.forceMerge(1 + random.below(3))
      } else if (choice < 0.925) {
        if (random.next() < 0.5) {
          await writer.rollback()
          model = new Map(committed)
        } else {
          await writer.close()
          committed = new Map(model)
        }
        writer = await IndexWriter.open(directory, options)
      } else if (choice < 0.95) {
        const generation = await writer.commit({ userData: { step: String(step) } })
        committed = new Map(model)
        commits++
        const previous = reader
        reader = previous === null ? await IndexReader.open(directory) : await previous.refresh()
        if (previous !== null && previous !== reader) await previous.close()
        t.equal(reader.generation, generation)
        t.equal(reader.numDocs, model.size)
        t.equal(writer.numDocs, model.size)
        const difference = firstDifference(await indexContents(reader), expectedContents(model.values(), analyzer))
        t.equal(difference, undefined, `contents after step ${step}`)
      }
    }
    await writer.optimize()
    await writer.close()
    await reader?.close()
    reader = await IndexReader.open(directory)
    t.equal(reader.segments.length, Math.min(1, model.size))
    t.equal(reader.maxDoc, model.size, 'no deleted document is left')
    t.equal(firstDifference(await indexContents(reader), expectedContents(model.values(), analyzer)), undefined)
    await reader.verifyChecksums()
    await reader.close()
  })
}
