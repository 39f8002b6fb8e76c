/** Damaged indexes: every flipped byte, every truncation, foreign files, and bytes that lie under a right checksum. */
import { crc32, isSpindleError } from '@spindle/core'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const MUTATIONS = Number(process.env.MUTATIONS ?? 300)
const seed = testSeed()
t.comment(`SEED=${seed}`)

type Files = Map<string, Uint8Array>

/** A tiny index with files of every kind: two segments, packed blocks, deletes, layers. */
async function build(): Promise<Files> {
  const directory = new MemoryDirectory('tiny')
  const analyzer = new WhitespaceAnalyzer(true)
  const writer = await IndexWriter.open(directory, { analyzer })
  for (let i = 0; i < 150; i++) {
    const body = i < 140 ? `a a ${i % 9 === 0 ? 'rare' : ''}` : 'other words only'
    await writer.addDocument(new Document().add(Field.keyword('id', String(i))).add(Field.text('body', body)))
  }
  await writer.commit({ userData: { key: 'value' } })
  await writer.addDocument(new Document().add(Field.keyword('id', 'last')).add(Field.text('body', 'a second segment')))
  await writer.deleteDocuments({ field: 'id', text: '3' })
  await writer.close()
  return filesOf(directory)
}

async function filesOf(directory: MemoryDirectory): Promise<Files> {
  const files: Files = new Map()
  for (const name of await directory.list()) {
    const input = await directory.open(name)
    const bytes = new Uint8Array(input.length)
    await input.read(bytes, 0)
    files.set(name, bytes)
  }
  return files
}

async function directoryOf(files: Files, name = '', bytes: Uint8Array = new Uint8Array(0)): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory('tiny')
  for (const [file, original] of files) {
    const output = await directory.createOutput(file)
    output.write(file === name ? bytes : original)
    await output.close()
  }
  return directory
}

async function contents(directory: MemoryDirectory): Promise<string[]> {
  const reader = await IndexReader.open(directory)
  try {
    return await indexContents(reader)
  } finally {
    await reader.close()
  }
}

/** Everything a search or a merge could touch, without looking at the results. */
async function exercise(directory: MemoryDirectory): Promise<void> {
  const reader = await IndexReader.open(directory)
  const docs = new Int32Array(128)
  const freqs = new Int32Array(128)
  const impacts = new Int32Array(4)
  try {
    for (const segment of reader.segments) {
      for (const info of segment.data.fieldInfos.values()) {
        const cursor = segment.data.terms.terms(info.name)
        while (cursor?.next() === true) {
          const term = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
          segment.termStats(info.name, term)
          const postings = await segment.loadPostings(info.name, term, 'positions')
          for (let b = 0; postings !== null && b < postings.blockCount; b++) {
            const length = postings.decodeDocs(b, docs)
            postings.decodeFreqs(b, freqs)
            postings.impacts(b, impacts)
            let before = 0
            for (let i = 0; i < length; i++) {
              const inOrder = docs[i]! > (i === 0 ? -1 : docs[i - 1]!) && docs[i]! < segment.maxDoc
              if (!inOrder) throw new Error(`document ${docs[i]} of a list`)
              if (info.options === 'positions') postings.positions(b, before, freqs[i], new Int32Array(freqs[i]), 0)
              before += freqs[i]
            }
          }
        }
      }
    }
    for (let doc = 0; doc < reader.maxDoc; doc++) await reader.document(doc)
  } finally {
    await reader.close()
  }
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(true) })
  await writer.deleteDocuments({ field: 'id', text: '7' })
  await writer.optimize()
  await writer.close()
}

t.test('every flipped byte: an error that says where, or the same results', async (t) => {
  const files = await build()
  const expected = await contents(await directoryOf(files))
  let flips = 0
  let harmless = 0
  for (const [name, original] of files) {
    for (let at = 0; at < original.length; at++) {
      const bytes = original.slice()
      bytes[at] ^= 1 << (at & 7)
      flips++
      const directory = await directoryOf(files, name, bytes)
      try {
        const difference = firstDifference(await contents(directory), expected)
        if (difference !== undefined) t.fail(`byte ${at} of ${name}: ${difference}`)
        harmless++
      } catch (error) {
        const isKnown =
          isSpindleError(error, 'INDEX_FORMAT_TOO_NEW') ||
          (isSpindleError(error, 'INDEX_CORRUPT') &&
            /tiny\/\S+ is damaged at byte \d+: expected .*, found /.test(error.message))
        if (!isKnown) t.fail(`byte ${at} of ${name}`, { error })
      }
      // Opening does not read all of a file of stored fields; comparing checksums does.
      const reader = await IndexReader.open(directory).catch(() => null)
      if (reader !== null) {
        await t.rejects(
          reader.verifyChecksums(),
          { code: 'INDEX_CORRUPT' },
          `byte ${at} of ${name} is known to the checksum`,
        )
        await reader.close()
      }
    }
  }
  t.comment(`${flips} flips in ${files.size} files, ${harmless} without consequence`)
  t.ok(flips > 3000)
})

t.test('truncated, extended and foreign files are known at opening', async (t) => {
  const files = await build()
  const others = await build()
  let cases = 0
  const refused = async (name: string, bytes: Uint8Array, what: string) => {
    cases++
    const directory = await directoryOf(files, name, bytes)
    const reader = await IndexReader.open(directory).catch((error: unknown) => error)
    if (!isSpindleError(reader, 'INDEX_CORRUPT')) t.fail(`${name}: ${what}`, { reader })
  }
  for (const [name, original] of files) {
    for (let length = 0; length < original.length; length++)
      await refused(name, original.subarray(0, length), `cut at ${length}`)
    for (const more of [1, 4096]) {
      const longer = new Uint8Array(original.length + more)
      longer.set(original)
      await refused(name, longer, `${more} bytes more`)
    }
    // The commit point of another index names other segments: then those are missing or foreign.
    await refused(name, others.get(name)!, 'from another index')
    const component = name.replace(/^.*\./, '')
    for (const [other, bytes] of files) {
      if (other !== name && component !== name && other.endsWith(`.${component}`))
        await refused(name, bytes, `is ${other}`)
    }
  }
  t.ok(cases > 3000, `${cases} cases`)
  for (const name of files.keys()) {
    const less = new Map(files)
    less.delete(name)
    const code = name.startsWith('segments_') ? 'INDEX_NOT_FOUND' : 'INDEX_CORRUPT'
    await t.rejects(IndexReader.open(await directoryOf(less)), { code }, `${name} is missing`)
  }
})

t.test('wrong bytes under a right checksum: our error or a run to the end', async (t) => {
  const random = new Random(seed)
  const files = await build()
  const names = [...files.keys()]
  const results = { refused: 0, ran: 0 }
  for (let i = 0; i < MUTATIONS; i++) {
    const name = random.pick(names)
    const bytes = Buffer.from(files.get(name)!)
    for (let n = 1 + random.below(3); n > 0; n--) {
      const at = 32 + random.below(bytes.length - 48)
      if (random.next() < 0.7) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
      else bytes.fill(random.pick([0, 0x80, 0xff, 0x7f]), at, Math.min(bytes.length - 16, at + 1 + random.below(8)))
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
    const began = performance.now()
    try {
      await exercise(await directoryOf(files, name, bytes))
      results.ran++
    } catch (error) {
      if (isSpindleError(error, 'INDEX_CORRUPT')) results.refused++
      else t.fail(`mutation ${i} of ${name}`, { error, seed })
    }
    const elapsed = performance.now() - began
    if (elapsed > 2000) t.fail(`mutation ${i} of ${name} took ${elapsed} ms`)
  }
  t.comment(JSON.stringify(results))
  t.ok(results.refused > MUTATIONS / 4 && results.ran > 0)
})
