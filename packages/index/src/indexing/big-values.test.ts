/** Values at the limits and past them: an error of ours, or exactly what was given; and the writer goes on. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import type { AnalyzerLayer, TokenSink } from '../analysis/analyzer.js'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer()

/** Each word is a distance from the one before: `5 100` stands at 4 and 104. */
class DistanceAnalyzer {
  readonly name = 'distance-test'
  readonly settings = {}
  readonly fingerprint = '1'
  readonly layers: readonly AnalyzerLayer[] = [{ name: '', options: 'positions', norms: true }]

  analyze(text: string, sink: TokenSink): void {
    for (const word of text.split(' ')) if (word !== '') sink.token(word, 0, 1, Number(word), 0)
  }
}

function page(id: string): Document {
  return new Document().add(Field.keyword('id', id))
}

function body(id: string, text: string): Document {
  return page(id).add(Field.text('body', text))
}

/** @returns whether it was taken; any error but ours fails */
async function isTaken(writer: IndexWriter, document: Document): Promise<boolean> {
  try {
    await writer.addDocument(document)
    return true
  } catch (error) {
    if (!isSpindleError(error, 'DOCUMENT_INVALID')) throw error
    return false
  }
}

const long = 'x'.repeat(32_766)
/** Documents, and whether they are taken. */
const CASES: readonly (readonly [name: string, document: Document, taken: boolean])[] = [
  ['the longest term', page('a').add(Field.keyword('k', long)), true],
  ['a byte more', page('b').add(Field.keyword('k', `${long}x`)), false],
  ['too long in bytes, not in characters', page('c').add(Field.keyword('k', '中'.repeat(10_923))), false],
  ['the longest word', body('d', `before ${long} after`), true],
  ['a longer word in a text', body('e', `before ${long}y after`), false],
  ['a long text that is only stored', page('f').add(Field.unIndexed('s', `${long}${long}`)), true],
  ['an empty text', body('g', ''), true],
  ['an empty keyword', page('h').add(Field.keyword('k', '')), true],
  ['nothing but its id', page('i'), true],
  ['NUL', body('j', 'a\0b \0 \0c').add(Field.keyword('k', '\0')), true],
  ['lone surrogates', body('k', 'a\ud800 \udc00b \udc00\ud800').add(Field.unIndexed('s', '\ud83d')), true],
  ['a pair, then half of one', body('l', '😀 \ud83d 😀\ude00'), true],
  ['composed and decomposed', body('m', 'é e\u0301 ﬁ fi Å Å Å').add(Field.unIndexed('s', 'e\u0301é')), true],
  ['marks without a letter', body('n', `${'\u0301'.repeat(1000)} \u200d \ufeff \u202e`), true],
  ['a name of a field with NUL', page('o').add(Field.text('\0', 'x')), true],
  [
    'a thousand values',
    Array.from({ length: 1000 }, (_, i) => `v${i}`).reduce((d, v) => d.add(Field.text('body', v)), page('p')),
    true,
  ],
]

t.test('each value is taken as it is, or refused with its document', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  const model: Document[] = []
  for (const [name, document, taken] of CASES) {
    t.equal(await isTaken(writer, document), taken, name)
    if (taken) model.push(document)
    const good = body(`good ${name.length} ${model.length}`, 'the writer goes on')
    await writer.addDocument(good)
    model.push(good)
  }
  await writer.commit()
  await writer.optimize()
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.equal(firstDifference(await indexContents(reader), expectedContents(model, analyzer)), undefined)
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
})

t.test('a document without any field', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  await writer.addDocument(new Document())
  await writer.addDocument(page('1'))
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.equal(reader.numDocs, 2)
  t.same([...(await reader.document(0)).fields], [])
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
})

t.test('positions up to the last one', async (t) => {
  const distances = new DistanceAnalyzer()
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: distances })
  const model: Document[] = []
  const last = 0x7fffff00
  const texts: readonly (readonly [text: string, taken: boolean])[] = [
    [`1 ${last}`, true],
    [`1 ${last} 1`, false],
    [`1 ${last + 1}`, false],
    [`${2 ** 31 - 1} ${2 ** 31 - 1}`, false],
    [`${2 ** 30} ${2 ** 30 - 300}`, true],
    [`1 ${2 ** 53}`, false],
    ['1 2 3', true],
  ]
  for (const [i, [text, taken]] of texts.entries()) {
    const document = body(String(i), text)
    t.equal(await isTaken(writer, document), taken, text)
    if (taken) model.push(document)
  }
  await writer.optimize()
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.equal(firstDifference(await indexContents(reader), expectedContents(model, distances)), undefined)
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
})

t.test('very many names of fields', async (t) => {
  const directory = new MemoryDirectory()
  const layered = new WhitespaceAnalyzer(true)
  const writer = await IndexWriter.open(directory, { analyzer: layered, maxFields: 3 })
  // The layers of a text are one field with it.
  await writer.addDocument(body('1', 'one two'))
  const more = body('2', 'three').add(Field.keyword('host', 'a')).add(Field.keyword('kind', 'b'))
  await t.rejects(writer.addDocument(more), {
    code: 'DOCUMENT_INVALID',
    message:
      'The field "host" and 1 more cannot be added: the index has 2 fields, and its writer allows 3 (maxFields); put what differs from document to document into values, not into names, or allow more.',
  })
  t.equal(writer.numDocs, 1, 'it leaves nothing')
  await writer.addDocument(body('3', 'four').add(Field.keyword('kind', 'b')))
  await t.rejects(writer.updateDocValues({ field: 'id', text: '3' }, 'rank', 1), { message: /"rank" cannot be added/ })
  const other = new MemoryDirectory()
  const filled = await IndexWriter.open(other, { analyzer: layered })
  await filled.addDocument(more)
  await filled.close()
  await t.rejects(writer.addIndexes(other), { message: /"host" cannot be added: the index has 3 fields/ })
  await writer.addDocument(body('4', 'the writer goes on').add(Field.keyword('kind', 'c')))
  await writer.close()
  const smaller = await IndexWriter.open(directory, { analyzer: layered, maxFields: 1 })
  await smaller.addDocument(body('5', 'what there is stays').add(Field.keyword('kind', 'c')))
  await smaller.close()
  const reader = await IndexReader.open(directory)
  t.equal(await reader.docFreq('kind', 'b'), 1)
  t.equal(reader.numDocs, 4)
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
})

t.test('what a field costs while its documents are in memory', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const kinds: readonly [string, (name: string) => Field][] = [
    ['keyword', (name) => Field.keyword(name, 'x')],
    ['text', (name) => Field.text(name, 'x')],
    ['integer', (name) => Field.integer(name, 7)],
  ]
  for (const [kind, make] of kinds) {
    const writer = await IndexWriter.open(new MemoryDirectory(), { analyzer })
    const count = 30_000
    const document = page('many')
    for (let i = 0; i < count; i++) document.add(make(`field ${i}`))
    const before = heap()
    await writer.addDocument(document)
    const bytes = (heap() - before) / count
    t.ok(bytes < 500, `${Math.round(bytes)} bytes a field of kind ${kind}`)
    await writer.rollback()
  }
})

t.test('a very large text, and very many fields', { timeout: 1_800_000 }, async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  const megabytes = byEffort(2, 16, 100)
  // Words of 8 bytes, a thousand of them.
  const some = Array.from({ length: 1000 }, (_, i) => `word${String(i).padStart(3, '0')} `).join('')
  const text = some.repeat(Math.ceil((megabytes * 1_000_000) / some.length))
  const wasTaken = await isTaken(writer, body('large', text))
  await writer.addDocument(body('small', 'word000'))
  const many = page('many')
  const count = byEffort(2000, 50_000, 1_000_000)
  for (let i = 0; i < count; i++) many.add(Field.keyword(`field ${i}`, 'x'))
  const manyTaken = await isTaken(writer, many)
  await writer.addDocument(body('last', 'word000'))
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.equal(reader.numDocs, 2 + Number(wasTaken) + Number(manyTaken))
  t.equal(await reader.docFreq('body', 'word000'), 2 + Number(wasTaken))
  t.equal(await reader.docFreq(`field ${count - 1}`, 'x'), Number(manyTaken))
  if (wasTaken) {
    t.ok((await reader.document(0)).get('body') === text, 'every character is as it was')
    const stats = reader.segments[0]!.termStats('body', 'word999')
    t.equal(stats?.totalTermFreq, text.length / some.length)
  }
  t.comment(`${text.length} characters ${wasTaken}, ${count} fields ${manyTaken}`)
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
})
