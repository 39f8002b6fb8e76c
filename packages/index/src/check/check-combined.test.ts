/** Combined fields and offsets that are wrong under right checksums: check-index tells what. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readCommitPoint, writeCommitPoint } from '../codec/commit-point.js'
import { readFieldInfos, writeFieldInfos } from '../codec/field-infos.js'
import { readSegmentInfo, writeSegmentInfo } from '../codec/segment-info.js'
import { TermEntry } from '../codec/term-entry.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import type { CombinedSource } from '../document/field-info.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexReader } from '../reading/index-reader.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import { FsDirectory } from '../store/fs-directory.js'
import { sealFile } from '../test-support/seal-file.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { checkIndex } from './check-index.js'

const DOCS = 200

/** One segment. */
async function build(dir: string): Promise<void> {
  const combinedFields = [{ name: 'all', fields: { title: 8, headings: 3, body: 1 } }]
  const writer = await IndexWriter.open(dir, { analyzer: new WhitespaceAnalyzer(true), combinedFields })
  for (let i = 0; i < DOCS; i++) {
    const document = new Document().add(Field.text('title', `t${i % 9} common`, { offsets: true }))
    if (i % 3 === 0) document.add(Field.text('headings', 'zebra common'))
    document.add(Field.text('body', `common text w${i % 20} `.repeat(5)))
    // Longer by words that no other document has.
    if (i === 7) document.add(Field.text('body', 'a b c d e f g h'))
    await writer.addDocument(document)
  }
  await writer.close()
}

/** Gives the combined fields other sources, in the segment and in the commit. */
async function changeSources(
  dir: string,
  change: (sources: readonly CombinedSource[]) => CombinedSource[],
): Promise<void> {
  const directory = new FsDirectory(dir)
  const commit = await readCommitPoint(directory, 1)
  const { name, id, maxDoc } = commit.segments[0]!
  const changed = <T extends { sources?: readonly CombinedSource[] | undefined }>(field: T): T =>
    field.sources === undefined ? field : { ...field, sources: change(field.sources) }
  const infos = await readFieldInfos(directory, name, id, maxDoc)
  const info = await readSegmentInfo(directory, name, id)
  for (const file of [`${name}.fields`, `${name}.info`, 'segments_1']) rmSync(join(dir, file))
  const length = await writeFieldInfos(directory, name, id, [...infos.values()].map(changed))
  await writeSegmentInfo(directory, { ...info, files: new Map(info.files).set('fields', length) })
  await writeCommitPoint(directory, 'segments_1', new Uint8Array(16), { ...commit, fields: commit.fields.map(changed) })
}

/** Changes bytes of a file of the segment and makes its checksums right again. */
async function changeFile(
  dir: string,
  component: string,
  change: (bytes: Buffer, segment: SegmentReader) => void | Promise<void>,
): Promise<void> {
  const reader = await IndexReader.open(dir)
  const file = join(dir, `${reader.segments[0]!.name}.${component}`)
  const bytes = readFileSync(file)
  await change(bytes, reader.segments[0]!)
  await reader.close()
  sealFile(bytes)
  writeFileSync(file, bytes)
}

async function says(t: Test, dir: string, part: 'postings' | 'norms', message: RegExp): Promise<void> {
  const { clean, segments } = await checkIndex(dir)
  t.equal(clean, false)
  t.match(segments[0]?.parts[part].error, message)
}

t.test('a clean index, then each kind of fault', async (t) => {
  const fresh = async (name: string): Promise<string> => {
    const dir = t.testdir({})
    await build(join(dir, name))
    return join(dir, name)
  }
  t.ok((await checkIndex(await fresh('clean'))).clean)

  await t.test('another weight', async (t) => {
    const dir = await fresh('weight')
    await changeSources(dir, (sources) => sources.map((one) => (one.name === 'title' ? { ...one, weight: 9 } : one)))
    await says(t, dir, 'postings', /expected the frequency 1\d of "common" in document 0.* combined field "all"/)
  })
  await t.test('a source that is missing', async (t) => {
    const dir = await fresh('missing')
    await changeSources(dir, (sources) => sources.filter(({ name }) => name !== 'title'))
    await says(t, dir, 'postings', /expected the frequency 8 of "common"/)
  })
  await t.test('a source too many', async (t) => {
    const dir = await fresh('more')
    await changeSources(dir, (sources) => [...sources, { name: 'id', weight: 1 }, { name: 'title#short', weight: 1 }])
    await says(t, dir, 'postings', /in the combined field "all"/)
  })
  await t.test('a length shorter than those of the sources', async (t) => {
    const dir = await fresh('norms')
    await changeFile(dir, 'norms', (bytes, { data }) => {
      bytes[data.norms.start('all') + 7] = 31
    })
    await says(
      t,
      dir,
      'postings',
      /expected a length of at least \d+, as of its sources, found 31 for document 7 of "all"/,
    )
  })
  await t.test('offsets that are no block', async (t) => {
    const dir = await fresh('offsets')
    await changeFile(dir, 'position', async (bytes, { data }) => {
      const entry = new TermEntry()
      t.ok(await data.load('title', 'common', entry))
      // Behind the table of one word is the header of the first block.
      bytes.writeUInt32LE(0xffff, entry.offsetsStart + 4)
    })
    await says(t, dir, 'postings', /the header word of a block/)
  })
})
