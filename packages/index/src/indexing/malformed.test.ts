/**
 * Wrong bytes under right checksums, as an attacker or a faulty program would write them: an error of ours or a run to
 * the end, no allocation out of proportion, no loop without end. In this process every checksum is 0, of files, pages,
 * tables and chunks alike, for the writer as well as for the reader: so whatever is changed, all of them are right.
 */
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { crc32, isSpindleError } from '@spindle/core'
import t from 'tap'
import { IndexReader } from '../reading/index-reader.js'
import type { MemoryDirectory } from '../store/memory-directory.js'
import { takeLargest, watchAllocations } from '../test-support/allocation-meter.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { buildTinyIndex, checkDamaged, directoryOf } from '../test-support/tiny-index.js'
import { Watchdog } from '../test-support/watchdog.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const MUTATIONS = byEffort(200, 8000, 1_000_000)
/** MUTATION=17 does that one alone. */
const only = process.env.MUTATION
const seed = testSeed()
t.comment(replay(seed))

zlib.crc32 = () => 0
syncBuiltinESMExports()
watchAllocations()

const HEADER = 32
const FOOTER = 16
/** Of the process, for one mutation with all that is tried on it. Usually some 10 ms. */
const CPU_LIMIT_MS = 2000

/** Everything a search could touch, without looking at the results. */
async function readAll(directory: MemoryDirectory): Promise<void> {
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
}

/** Deletes and merges. */
async function writeSome(directory: MemoryDirectory): Promise<void> {
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(true) })
  try {
    await writer.deleteDocuments({ field: 'id', text: '7' })
    await writer.optimize()
    await writer.close()
  } catch (error) {
    await writer.rollback()
    throw error
  }
}

/** A number of seven bits a byte. */
function varint(value: number): number[] {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left]
    bytes.push((left % 128) | 0x80)
  }
}

/** Numbers that are too large, or just at a limit. */
const LARGE = [127, 128, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 2 ** 40, 2 ** 53 - 1]
/** More bytes than any number has. */
const OVERLONG = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]

/** Changes one place of the content in one of many ways. */
function mutate(bytes: Buffer, random: Random): void {
  const end = bytes.length - FOOTER
  const at = HEADER + random.below(end - HEADER)
  const put = (values: readonly number[]) => bytes.set(values.slice(0, end - at), at)
  const kind = random.next()
  if (kind < 0.3) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
  else if (kind < 0.4) bytes[at] += random.pick([1, -1])
  else if (kind < 0.5) bytes[at] ^= 1 << random.below(8)
  else if (kind < 0.6) bytes.fill(random.pick([0, 0x80, 0xff, 0x7f]), at, Math.min(end, at + 1 + random.below(8)))
  else if (kind < 0.75) put(varint(random.pick(LARGE)))
  else if (kind < 0.8) put(OVERLONG)
  else {
    // Bytes from elsewhere: terms out of order, offsets that lead in circles, the list of another term.
    const length = 1 + random.below(kind < 0.9 ? 8 : 64)
    const from = HEADER + random.below(end - HEADER)
    bytes.copyWithin(at, from, Math.min(from + length, from + end - at, end))
  }
}

t.test('each byte as zero, and as other small numbers: for a reader', { timeout: 36_000_000 }, async (t) => {
  const files = await buildTinyIndex()
  const found: string[] = []
  let tried = 0
  // The dictionary has the numbers that all others are read by.
  for (const name of byEffort(0, 1, 1) === 0 ? ['_0.terms'] : files.keys()) {
    const original = files.get(name)!
    for (let at = HEADER; at < original.length - FOOTER && found.length < 5 && (hasTime(0.5) || tried < 600); at++) {
      for (const value of byEffort(0, 1, 1) === 0 ? [0] : [0, 1, 0x7f]) {
        if (original[at] === value) continue
        const bytes = original.slice()
        bytes[at] = value
        tried++
        const error = await readAll(await directoryOf(files, name, bytes)).catch((thrown: unknown) => thrown)
        const isOurs = error === undefined || isSpindleError(error, 'INDEX_CORRUPT')
        if (!isOurs && !isSpindleError(error, 'ANALYZER_MISMATCH'))
          found.push(`byte ${at} of ${name} as ${value}: ${error}`)
      }
    }
  }
  t.same(found, [])
  t.ok(tried > 500, `${tried} bytes`)
})

t.test('wrong bytes under a right checksum: our error or a run to the end', { timeout: 36_000_000 }, async (t) => {
  t.equal(crc32(Buffer.from('any')), 0, 'no checksum stands in the way')
  const files = await buildTinyIndex()
  const names = [...files.keys()]
  let total = 0
  for (const bytes of files.values()) total += bytes.length
  // What is asked for however large the index is, above all the buffers of a writer.
  const sound = await directoryOf(files)
  takeLargest()
  await checkDamaged(sound)
  await readAll(sound)
  const readLimit = Math.max(takeLargest(), 4 * total)
  await writeSome(sound)
  const writeLimit = Math.max(takeLargest(), 4 * total)

  const dog = new Watchdog(`${replay(seed)} with MUTATION=`)
  const found: string[] = []
  const results = { refused: 0, ran: 0, seen: 0, largestBytes: 0, slowestMs: 0 }
  let i = Number(only ?? 0)
  const until = only === undefined ? MUTATIONS : i + 1
  for (; i < until && found.length < 5 && (hasTime() || i < 200); i++) {
    dog.begin(i)
    // Each by its own number, so that it can be done again alone.
    const random = new Random(seed + i * 7919)
    const name = random.pick(names)
    const bytes = Buffer.from(files.get(name)!)
    for (let n = 1 + random.below(3); n > 0; n--) mutate(bytes, random)
    const where = `MUTATION=${i} of ${name}`
    takeLargest()
    const began = process.cpuUsage()
    const directory = await directoryOf(files, name, bytes)
    const { clean, foreign } = await checkDamaged(directory)
    if (!clean) results.seen++
    if (foreign !== undefined) found.push(`${where}, check-index: ${foreign}`)
    const allocated = (limit: number) => {
      const largest = takeLargest()
      results.largestBytes = Math.max(results.largestBytes, largest)
      if (largest > limit) found.push(`${where} asked for ${largest} bytes, ${total} are in the index`)
    }
    try {
      await readAll(directory)
      allocated(readLimit)
      // Half of the cost, and mostly the same reading once more.
      if (i % 4 === 0 || only !== undefined) await writeSome(directory)
      results.ran++
    } catch (error) {
      results.refused++
      // The commit may name another analyzer, which may well exist elsewhere.
      const isOurs = isSpindleError(error, 'INDEX_CORRUPT') || isSpindleError(error, 'ANALYZER_MISMATCH')
      if (!isOurs) found.push(`${where}: ${error instanceof Error ? error.stack : error}`)
      if (clean && isSpindleError(error, 'INDEX_CORRUPT')) found.push(`${where}: clean for check-index, but ${error}`)
    }
    const { user, system } = process.cpuUsage(began)
    const elapsed = (user + system) / 1000
    allocated(writeLimit)
    results.slowestMs = Math.max(results.slowestMs, Math.round(elapsed))
    if (elapsed > CPU_LIMIT_MS) found.push(`${where} took ${elapsed} ms`)
  }
  await dog.end()
  t.same(found, [], replay(seed))
  t.comment(`${i} mutations of ${total} bytes: ${JSON.stringify(results)}`)
  if (only === undefined) t.ok(results.refused > i / 10 && results.ran > i / 20, `${i} mutations`)
})
