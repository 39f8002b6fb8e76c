/** Files of another format: called too old or too new whatever component they are, the commit first, and never read. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { publishIndex } from '../reading/publish-index.js'
import { FORMAT, type Format, formatText, OLDEST_FORMAT } from '../store/format-version.js'
import { HttpDirectory } from '../store/http-directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { FETCH_ADDRESS, fetchOf } from '../test-support/fetch-directory.js'
import { sealFile } from '../test-support/seal-file.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer()

/** An index with a file of every component. */
async function build(): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory('formats')
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const id of ['a', 'b', 'c']) {
    const document = new Document().add(Field.keyword('id', id)).add(Field.text('body', 'one two'))
    await writer.addDocument(document.add(Field.integer('year', 2000)))
  }
  await writer.commit()
  await writer.deleteDocuments({ field: 'id', text: 'a' })
  await writer.updateDocValues({ field: 'id', text: 'b' }, 'rank', 1)
  await writer.close()
  await publishIndex(directory)
  return directory
}

/** A copy in which the files that `isChosen` picks say that they have another format. */
async function withFormat(
  directory: MemoryDirectory,
  { version, revision }: Format,
  isChosen: (name: string) => boolean,
  sealed = true,
): Promise<MemoryDirectory> {
  const copy = new MemoryDirectory('formats')
  for (const name of await directory.list()) {
    const input = await directory.open(name)
    const bytes = Buffer.alloc(input.length)
    await input.read(bytes, 0)
    if (isChosen(name)) {
      bytes.writeUInt16LE(version, 12)
      bytes.writeUInt16LE(revision, 14)
      if (sealed) sealFile(bytes)
    }
    const output = await copy.createOutput(name)
    output.write(bytes)
    await output.close()
  }
  return copy
}

const others: [string, Format][] = [
  ['INDEX_FORMAT_TOO_NEW', { version: FORMAT.version, revision: FORMAT.revision + 1 }],
  ['INDEX_FORMAT_TOO_NEW', { version: FORMAT.version + 1, revision: 0 }],
  ['INDEX_FORMAT_TOO_NEW', { version: 0xffff, revision: 0xffff }],
  ['INDEX_FORMAT_TOO_OLD', { version: OLDEST_FORMAT.version, revision: OLDEST_FORMAT.revision - 1 }],
]

t.test('every file of another format, alone and all together', async (t) => {
  const directory = await build()
  const names = await directory.list()
  t.equal(names.length, 12, 'commit, pointer, 8 files of a segment, live documents, later doc values')
  const openHttp = (from: MemoryDirectory) =>
    IndexReader.open(new HttpDirectory(FETCH_ADDRESS, { fetch: fetchOf(from) }))
  await (await openHttp(directory)).close()
  for (const [code, format] of others) {
    const told = (name: string) => {
      const range = `formats ${formatText(OLDEST_FORMAT)} to ${formatText(FORMAT)}`.replaceAll('.', '\\.')
      const found = formatText(format).replace('.', '\\.')
      const end = code === 'INDEX_FORMAT_TOO_OLD' ? 'remove the index and build it again' : 'use a newer version'
      return { code, message: new RegExp(`/${name} has format ${found} and this program reads ${range}; ${end}`) }
    }
    for (const name of names) {
      const changed = await withFormat(directory, format, (one) => one === name)
      await t.rejects(openHttp(changed), told(name), `${name} over HTTP`)
      // Who can list the folder never reads the pointer.
      if (name === 'segments.gen') continue
      await t.rejects(IndexReader.open(changed), told(name), name)
      await t.rejects(IndexReader.open(changed, { memoryBudget: 0 }), told(name), `${name} by ranges`)
      await t.rejects(checkIndex(changed), told(name), `check of ${name}`)
      await t.rejects(checkIndex(changed, { fast: true }), told(name), `fast check of ${name}`)
      const writing = async () => {
        const writer = await IndexWriter.open(changed, { analyzer })
        await writer.deleteDocuments({ field: 'id', text: 'c' })
        await writer.optimize()
        await writer.close()
      }
      await t.rejects(writing(), told(name), `writing with ${name}`)
    }
    const all = await withFormat(directory, format, () => true)
    await t.rejects(IndexReader.open(all), told('segments_2'), 'the commit is read first')
    await t.rejects(checkIndex(all), told('segments_2'))
    await t.rejects(IndexWriter.open(all, { analyzer }), told('segments_2'))
    await t.rejects(IndexReader.listCommits(all), told('segments_2'))
    await t.rejects(openHttp(all), told('segments\\.gen'))
  }
})

t.test('a damaged version is damage for who reads the whole file', async (t) => {
  const directory = await build()
  const changed = await withFormat(directory, others[0][1], (name) => name === '_0.postings', false)
  const report = await checkIndex(changed)
  t.same(report.badSegments, ['_0'])
  const error = await IndexReader.open(changed).catch((reason) => reason)
  t.ok(isSpindleError(error, 'INDEX_FORMAT_TOO_NEW'), 'who opens it cannot know')
})
