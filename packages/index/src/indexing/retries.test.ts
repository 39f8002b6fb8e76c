/** What failed once is done again with the same writer, wherever it failed, as long as the writer says that it is open. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { FaultDirectory } from '../test-support/fault-directory.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer()

/** Two segments of four documents each, committed. */
async function prepare(): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer, mergeFactor: 10 })
  for (const half of [0, 4]) {
    for (let i = half; i < half + 4; i++) {
      await writer.addDocument(new Document().add(Field.keyword('id', String(i))).add(Field.text('body', `word w${i}`)))
    }
    await writer.commit()
  }
  await writer.close()
  return directory
}

/** Deletes, new ranks and a document are made visible to a reader of the writer, merged, and committed. */
const steps: readonly ((writer: IndexWriter) => Promise<unknown>)[] = [
  (writer) => IndexReader.open(writer).then((reader) => reader.close()),
  (writer) => writer.forceMerge(1),
  (writer) => writer.commit(),
]

/** Lets the k-th operation on such files fail, once. @returns null where there are fewer */
async function retry(k: number, suffix: string): Promise<{ wrong: string | undefined; retried: number } | null> {
  const inner = await prepare()
  const faulty = new FaultDirectory(inner, {})
  const writer = await IndexWriter.open(faulty, { analyzer, mergeFactor: 10, onMergeError: () => {} })
  await writer.deleteDocuments({ field: 'id', text: '1' })
  await writer.updateDocValues({ field: 'id', text: '2' }, 'rank', 2)
  await writer.updateDocValues({ field: 'id', text: '6' }, 'rank', 6)
  await writer.addDocument(new Document().add(Field.keyword('id', '8')).add(Field.text('body', 'word w8')))
  faulty.failOnce(k, suffix)
  let retried = 0
  for (const step of steps) {
    try {
      await step(writer)
    } catch (error) {
      try {
        await step(writer)
        retried++
      } catch (again) {
        await writer.rollback()
        // A writer that has closed itself says so; anything else is a step that cannot be done any more.
        const wrong = isSpindleError(again, 'INDEX_CLOSED') ? undefined : `${error}; again: ${again}`
        return { wrong, retried }
      }
    }
  }
  await writer.close()
  if (faulty.failures === 0) return null
  const report = await checkIndex(inner, { idField: 'id' })
  return { wrong: report.clean && report.docs === 8 ? undefined : JSON.stringify(report), retried }
}

t.test('a step that failed is done again', async (t) => {
  // The files whose name has a generation in it, with every test; all files in the full run.
  const suffix = byEffort(0, 1, 1) === 0 ? '.values' : ''
  const wrong: string[] = []
  let failed = 0
  let retried = 0
  for (let k = 1; ; k++) {
    const result = await retry(k, suffix)
    if (result === null) break
    failed++
    retried += result.retried
    if (result.wrong !== undefined) wrong.push(`operation ${k} on *${suffix}: ${result.wrong}`)
  }
  t.same(wrong, [])
  t.ok(failed > 20 && retried > 10, `${failed} failed on *${suffix}, ${retried} done again`)
})

t.test("files that a dead writer left and that cannot be removed stand in nobody's way", async (t) => {
  const directory = await prepare()
  const left = ['_2.postings', '_3.stored', '_0_1.live', '_1_7.live', '_0_2_1.values', '_1_2_3.values']
  for (const name of left) await (await directory.createOutput(name)).close()
  const remove = directory.delete.bind(directory)
  directory.delete = async (name) => {
    if (left.includes(name)) throw Object.assign(new Error('EIO'), { code: 'EIO' })
    await remove(name)
  }
  for (const rank of [1, 2]) {
    const writer = await IndexWriter.open(directory, { analyzer, mergeFactor: 10 })
    await writer.updateDocument({ field: 'id', text: '1' }, new Document().add(Field.keyword('id', '1')))
    await writer.deleteDocuments({ field: 'id', text: String(4 + rank) })
    for (const id of ['2', '7']) await writer.updateDocValues({ field: 'id', text: id }, 'rank', rank)
    await writer.close()
  }
  directory.delete = remove
  await IndexWriter.open(directory, { analyzer }).then((writer) => writer.close())
  const report = await checkIndex(directory, { idField: 'id' })
  t.same([report.clean, report.docs, report.unreferencedFiles], [true, 6, []])
})
