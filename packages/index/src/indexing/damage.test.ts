/** Damaged indexes: every flipped byte, every truncation, foreign files, and bytes that lie under a right checksum. */
import { crc32, isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const MUTATIONS = byEffort(300, 20_000, 1_000_000)
const seed = testSeed()
t.comment(`SEED=${seed}`)

type Files = Map<string, Uint8Array>

/** A tiny index with files of every kind: two segments, packed blocks, deletes, layers. */
async function build(commits = 3): Promise<Files> {
  const directory = new MemoryDirectory('tiny')
  const analyzer = new WhitespaceAnalyzer(true)
  const writer = await IndexWriter.open(directory, { analyzer })
  for (let i = 0; i < 150; i++) {
    const body = i < 140 ? `a a ${i % 9 === 0 ? 'rare' : ''}` : 'other words only'
    const document = new Document().add(Field.keyword('id', String(i))).add(Field.text('body', body))
    if (i % 3 === 0) document.add(Field.integer('year', 1990 + (i % 7))).add(Field.integer('year', 2000))
    if (i % 5 === 0) document.add(Field.float('price', i / 3)).add(Field.facet('color', i % 2 === 0 ? 'red' : 'blue'))
    await writer.addDocument(document)
  }
  await writer.commit({ userData: { key: 'value' } })
  await writer.addDocument(new Document().add(Field.keyword('id', 'last')).add(Field.text('body', 'a second segment')))
  await writer.deleteDocuments({ field: 'id', text: '3' })
  await writer.commit()
  await writer.deleteDocuments({ field: 'id', text: '5' })
  await writer.updateDocValues({ field: 'id', text: '8' }, 'rank', 0.25)
  if (commits < 3) await writer.rollback()
  else await writer.close()
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
    const lines = await indexContents(reader)
    for (const segment of reader.segments) {
      for (const { name } of segment.data.fieldInfos.values()) {
        const column = await segment.docValues(name)
        for (let doc = 0; column !== null && doc < segment.maxDoc; doc++) {
          lines.push(`values ${segment.name} ${name} ${doc} ${column.numbers(doc)}`)
        }
      }
    }
    return lines
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
    for (const segment of reader.segments) {
      for (const info of segment.data.fieldInfos.values()) (await segment.docValues(info.name))?.pairs()
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

/** A message of ours, that says where; an error of any other kind is a fault of the program. */
function isKnown(error: unknown): boolean {
  return (
    isSpindleError(error, 'INDEX_FORMAT_TOO_NEW') ||
    (isSpindleError(error, 'INDEX_CORRUPT') &&
      /tiny\/\S+ is damaged at byte \d+: expected .*, found /.test(error.message))
  )
}

/** What a check says, with the errors of all parts; fails where one of them is none of ours. */
async function check(directory: MemoryDirectory): Promise<{ clean: boolean; foreign: string | undefined }> {
  try {
    const report = await checkIndex(directory, { idField: 'id' })
    const parts = report.segments.flatMap((segment) => [...Object.values(segment.parts), ...segment.files])
    const errors = [report, report.uniqueIds, ...parts].map((one) => one?.error ?? '')
    return { clean: report.clean, foreign: errors.find((error) => /^[A-Za-z]*Error: /.test(error)) }
  } catch (error) {
    return { clean: false, foreign: isKnown(error) ? undefined : String(error) }
  }
}

t.test('every changed byte: an error that says where, or the same results; check-index always tells', async (t) => {
  const files = await build()
  const expected = await contents(await directoryOf(files))
  const changes = [(byte: number, at: number) => byte ^ (1 << (at & 7)), () => 0, () => 0xff]
  const every = byEffort(11, 1, 1)
  const found: string[] = []
  let tried = 0
  let harmless = 0
  for (const [name, original] of files) {
    for (let at = seed % every; at < original.length && found.length < 5 && hasTime(0.5); at += every) {
      for (let kind = every === 1 ? 0 : at % 3; kind < changes.length; kind += every === 1 ? 1 : 3) {
        const value = changes[kind](original[at], at)
        if (value === original[at]) continue
        const where = `byte ${at} of ${name} = ${value}`
        const bytes = original.slice()
        bytes[at] = value
        tried++
        const directory = await directoryOf(files, name, bytes)
        const began = performance.now()
        try {
          const difference = firstDifference(await contents(directory), expected)
          if (difference !== undefined) found.push(`${where}: ${difference}`)
          harmless++
        } catch (error) {
          if (!isKnown(error)) found.push(`${where}: ${error}`)
        }
        const { clean, foreign } = await check(directory)
        if (clean) found.push(`${where}: not seen by check-index`)
        if (foreign !== undefined) found.push(`${where}: ${foreign}`)
        if (performance.now() - began > 20_000) found.push(`${where}: took ${performance.now() - began} ms`)
      }
    }
  }
  t.same(found, [], `SEED=${seed}`)
  t.comment(`${tried} changes in ${files.size} files, ${harmless} without consequence for a reader`)
  t.ok(tried > byEffort(200, 9000, 200), `${tried} changes`)
})

t.test('truncated, extended and foreign files are known at opening', async (t) => {
  const files = await build()
  const others = await build()
  const older = await build(2)
  const every = byEffort(3, 1, 1)
  const found: string[] = []
  let cases = 0
  const refused = async (name: string, bytes: Uint8Array, what: string) => {
    cases++
    const directory = await directoryOf(files, name, bytes)
    const reader = await IndexReader.open(directory).catch((error: unknown) => error)
    if (!isSpindleError(reader, 'INDEX_CORRUPT')) found.push(`${name}: ${what}: ${reader}`)
    if (cases % 16 === 0 && (await check(directory)).clean) found.push(`${name}: ${what}: not seen by check-index`)
  }
  for (const [name, original] of files) {
    for (let length = seed % every; length < original.length; length += every)
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
    // The same file as an earlier commit of the same index had it.
    const same = /^(segments|_\d+)_\d+/.exec(name)?.[1]
    for (const [other, bytes] of older) {
      if (same !== undefined && other !== name && other.startsWith(`${same}_`))
        await refused(name, bytes, `is ${other}`)
    }
  }
  t.same(found, [])
  t.ok(cases > 3300 / every, `${cases} cases`)
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
  const found: string[] = []
  const results = { refused: 0, ran: 0, seen: 0 }
  let i = 0
  for (; i < MUTATIONS && found.length < 5 && hasTime(); i++) {
    const name = random.pick(names)
    const bytes = Buffer.from(files.get(name)!)
    for (let n = 1 + random.below(3); n > 0; n--) {
      const at = 32 + random.below(bytes.length - 48)
      if (random.next() < 0.7) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
      else bytes.fill(random.pick([0, 0x80, 0xff, 0x7f]), at, Math.min(bytes.length - 16, at + 1 + random.below(8)))
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
    const began = performance.now()
    const directory = await directoryOf(files, name, bytes)
    const { clean, foreign } = await check(directory)
    if (!clean) results.seen++
    if (foreign !== undefined) found.push(`mutation ${i} of ${name}, check-index: ${foreign}`)
    try {
      await exercise(directory)
      results.ran++
    } catch (error) {
      if (isSpindleError(error, 'INDEX_CORRUPT')) results.refused++
      else if (isSpindleError(error, 'ANALYZER_MISMATCH')) {
        // The commit names another analyzer, which may well exist elsewhere.
        results.refused++
        continue
      } else found.push(`mutation ${i} of ${name}: ${error}`)
      if (clean) found.push(`mutation ${i} of ${name}: refused, but clean for check-index: ${error}`)
    }
    const elapsed = performance.now() - began
    if (elapsed > 20_000) found.push(`mutation ${i} of ${name} took ${elapsed} ms`)
  }
  t.same(found, [], `SEED=${seed}`)
  t.comment(JSON.stringify(results))
  t.ok(results.refused > i / 4 && results.ran > 0, `${i} mutations`)
})
