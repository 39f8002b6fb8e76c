/** The offsets of a term at the borders of blocks, and with changed bytes. */
import t from 'tap'
import type { FieldInfo } from '../document/field-info.js'
import { fieldType } from '../document/field-type.js'
import { FileRanges } from '../reading/file-ranges.js'
import { CheckedOutput } from '../store/checked-output.js'
import { ID_LENGTH } from '../store/file-header.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { Offsets } from './offsets.js'
import type { LoadedRange } from './postings.js'
import { PostingsWriter } from './postings-writer.js'
import { TermEntry } from './term-entry.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const id = new Uint8Array(ID_LENGTH).fill(7)

const INFO: FieldInfo = {
  number: 0,
  name: 'f',
  options: 'positions',
  norms: false,
  type: fieldType('unStored', { offsets: true }),
  docCount: 9,
  sumTotalTermFreq: 90,
  sumDocFreq: 50,
}

type Occurrence = readonly [start: number, end: number]

/** `total` occurrences in documents of random frequencies. */
function randomList(total: number, large: boolean): Occurrence[][] {
  const documents: Occurrence[][] = []
  for (let left = total; left > 0; ) {
    const freq = Math.min(left, 1 + random.below(random.pick([1, 3, 200])))
    left -= freq
    let start = 0
    documents.push(
      Array.from({ length: freq }, () => {
        start += random.below(large && random.next() < 0.01 ? 5_000_000 : 60)
        return [start, start + random.below(12)] as const
      }),
    )
  }
  return documents
}

/** Writes lists; gives the entries and the positions file. */
async function write(lists: readonly Occurrence[][][]): Promise<{ entries: TermEntry[]; file: LoadedRange }> {
  const directory = new MemoryDirectory()
  const postings = await CheckedOutput.create(directory, 'p', 'postings', id)
  const positions = await CheckedOutput.create(directory, 'q', 'position', id)
  const writer = new PostingsWriter(postings, positions)
  writer.startField(INFO)
  const entries: TermEntry[] = []
  for (const list of lists) {
    writer.startTerm()
    for (const [doc, occurrences] of list.entries()) {
      writer.addDoc(doc, occurrences.length, 1)
      for (const [n, [start, end]] of occurrences.entries()) {
        writer.addPosition(n)
        writer.addOffsets(start, end)
      }
    }
    entries.push(Object.assign(new TermEntry(), writer.finishTerm()))
  }
  await postings.finish()
  await positions.finish()
  const file = await FileRanges.open(directory, 'q', 'position', id, true)
  return { entries, file: file.loaded! }
}

const TOTALS = [1, 2, 127, 128, 129, 255, 256, 257, 5000]

t.test('every occurrence at the borders of blocks', async (t) => {
  const lists = TOTALS.flatMap((total) => [randomList(total, false), randomList(total, true)])
  lists.push([[[0x7ffffff0, 0x7fffffff]]], [[[0, 0]], [[0x7ffffff0, 0x7fffffff]]])
  const { entries, file } = await write(lists)
  for (const [l, list] of lists.entries()) {
    const offsets = new Offsets(entries[l]!, entries[l]!.offsetsLength === 0 ? null : file)
    const first = list.map((_, doc) => list.slice(0, doc).reduce((sum, one) => sum + one.length, 0))
    // Back to front and at random: nothing may depend on the order.
    const order = [...list.keys()].reverse()
    for (let n = 0; n < 20; n++) order.push(random.below(list.length))
    for (const doc of order) {
      const freq = list[doc]!.length
      const starts = new Int32Array(freq)
      const ends = new Int32Array(freq)
      offsets.read(first[doc]!, freq, starts, ends)
      const found = Array.from(starts, (start, i) => [start, ends[i]])
      if (JSON.stringify(found) !== JSON.stringify(list[doc])) t.same(found, list[doc], `list ${l}, document ${doc}`)
    }
    t.throws(() => offsets.read(first.at(-1)!, list.at(-1)!.length + 1, new Int32Array(300), new Int32Array(300)), {
      code: 'INDEX_CORRUPT',
    })
  }
})

t.test('changed bytes: our error or a run to the end, within the limits', async (t) => {
  const list = randomList(1000, true)
  const { entries, file } = await write([list])
  const entry = entries[0]!
  let refused = 0
  for (let round = 0; round < 3000; round++) {
    const bytes = new Uint8Array(file.words.length * 4)
    bytes.set(file.bytes)
    const at = entry.offsetsStart + random.below(entry.offsetsLength)
    bytes[at] = random.below(256)
    const changed = { ...file, bytes, words: new Int32Array(bytes.buffer) }
    const offsets = new Offsets(entry, changed)
    const starts = new Int32Array(1000)
    const ends = new Int32Array(1000)
    try {
      let first = 0
      for (const { length } of list) {
        offsets.read(first, length, starts, ends)
        first += length
        for (let i = 0; i < length; i++) {
          if (!(ends[i]! >= starts[i]! && starts[i]! >= 0)) t.fail(`${starts[i]} to ${ends[i]} with byte ${at} changed`)
        }
      }
    } catch (error) {
      refused++
      if ((error as { code?: string }).code !== 'INDEX_CORRUPT') throw error
    }
  }
  t.ok(refused > 100, `${refused} known at once`)
})
