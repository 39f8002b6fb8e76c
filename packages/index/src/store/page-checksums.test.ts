/** Files with checksums of their pages: every range comes back, and no damaged byte does. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { FileRanges } from '../reading/file-ranges.js'
import { Random, testSeed } from '../test-support/random.js'
import { sealFile } from '../test-support/seal-file.js'
import { BlockCache } from './block-cache.js'
import { CheckedInput } from './checked-input.js'
import { CheckedOutput } from './checked-output.js'
import { MemoryDirectory } from './memory-directory.js'
import { PAGE_LENGTH } from './page-checksums.js'

const SEED = testSeed()
t.comment(`SEED=${SEED}`)
const random = new Random(SEED)
const id = new Uint8Array(16).fill(7)
const HEADER = 32
/** 2,048 pages have their checksums in one group. */
const GROUP = 2048 * PAGE_LENGTH

/** A file of `length` bytes of content and header. */
async function write(length: number): Promise<Buffer> {
  const directory = new MemoryDirectory('d')
  const output = await CheckedOutput.create(directory, 'f', 'postings', id)
  const content = new Uint8Array(length - HEADER)
  for (let i = 0; i < content.length; i += 1 + (i >> 12)) content[i] = random.below(256)
  for (let at = 0; at < content.length; ) {
    const piece = content.subarray(at, at + 1 + random.below(random.pick([10, 10_000, 300_000])))
    output.writeBytes(piece)
    at += piece.length
  }
  await output.finish()
  const input = await directory.open('f')
  const bytes = Buffer.alloc(input.length)
  await input.read(bytes, 0)
  return bytes
}

async function directoryOf(bytes: Uint8Array): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory('d')
  const output = await directory.createOutput('f')
  output.write(bytes)
  await output.close()
  return directory
}

t.test('ranges on both sides of pages and groups', async (t) => {
  for (const length of [HEADER, HEADER + 1, PAGE_LENGTH - 1, PAGE_LENGTH, PAGE_LENGTH + 1, GROUP, GROUP + 5000]) {
    const bytes = await write(length)
    const pages = Math.ceil(length / PAGE_LENGTH)
    t.equal(bytes.length, length + 4 * pages + 4 * Math.ceil(pages / 2048) + 8 + 16)
    const sealed = Buffer.from(bytes)
    sealFile(sealed)
    t.ok(sealed.equals(bytes), 'the test computes the same checksums by itself')
    const directory = await directoryOf(bytes)
    for (const access of [true, false, new BlockCache({ capacity: () => 100_000, blockSize: PAGE_LENGTH })]) {
      const file = await FileRanges.open(directory, 'f', 'postings', id, access)
      t.equal(file.end, length)
      for (let i = 0; i < 60; i++) {
        const border = random.pick([0, HEADER, PAGE_LENGTH, GROUP, length]) + random.below(7) - 3
        const from = Math.max(0, Math.min(length, random.pick([border, random.below(length)])))
        const count = random.below(Math.min(length - from, random.pick([9, 100_000])) + 1)
        const range = await file.load(from, count)
        const found = range.bytes.subarray(from - range.start, from - range.start + count)
        if (Buffer.compare(found, bytes.subarray(from, from + count)) !== 0) t.fail(`${from}, ${count} of ${length}`)
      }
      await file.close()
    }
  }
  const input = await CheckedInput.open(await directoryOf(await write(3 * PAGE_LENGTH)), 'f', 'postings', id)
  for (const [from, count] of [
    [1, PAGE_LENGTH],
    [0, 10],
    [PAGE_LENGTH, PAGE_LENGTH + 4],
  ])
    await t.rejects(input.read(new Uint8Array(count), from), RangeError, 'nothing is read without its checksum')
  await t.rejects(input.read(new Uint8Array(PAGE_LENGTH), 3 * PAGE_LENGTH), { code: 'INDEX_CORRUPT' })
})

t.test('every damaged byte is told with its page, and no other page is', async (t) => {
  const length = 2 * PAGE_LENGTH + 100
  const original = await write(length)
  let refusedAtOpen = 0
  for (let n = 0; n < 400; n++) {
    // Half of them in what comes behind the content.
    const at = n % 2 === 0 ? random.below(length) : length + random.below(original.length - length)
    const bytes = Buffer.from(original)
    bytes[at] ^= 1 << random.below(8)
    const directory = await directoryOf(bytes)
    const whole = await FileRanges.open(directory, 'f', 'postings', id, true).catch((reason) => reason)
    const isTold = isSpindleError(whole, 'INDEX_CORRUPT') || isSpindleError(whole, 'INDEX_FORMAT_TOO_NEW')
    if (!isTold) t.fail(`byte ${at}, read whole: ${whole}`)
    let file: FileRanges
    try {
      file = await FileRanges.open(directory, 'f', 'postings', id, false)
    } catch {
      refusedAtOpen++
      continue
    }
    for (let page = 0; page < 3; page++) {
      const from = page * PAGE_LENGTH
      const reading = file.load(from, Math.min(PAGE_LENGTH, length - from))
      const isDamaged = Math.floor(at / PAGE_LENGTH) === page && at < length
      // A damaged table of checksums lets nothing be read.
      if (isDamaged || (at >= length && at < length + 12)) {
        const place = isDamaged ? from : length
        await t.rejects(reading, { message: new RegExp(`d/f is damaged at byte ${place}: expected `) }, `byte ${at}`)
      } else {
        const { bytes: found } = await reading
        t.equal(Buffer.compare(found, original.subarray(from, from + found.length)), 0, `page ${page}, byte ${at}`)
      }
    }
    await file.close()
  }
  t.ok(refusedAtOpen > 50 && refusedAtOpen < 350, `${refusedAtOpen} refused at opening`)
})

t.test('the lower level is read where it is needed', async (t) => {
  const directory = await directoryOf(await write(GROUP + 3 * PAGE_LENGTH))
  const reads: string[] = []
  const counting = Object.assign(Object.create(directory), {
    open: async (name: string) => {
      const input = await directory.open(name)
      return {
        ...input,
        read: (target: Uint8Array, offset: number) => {
          reads.push(`${offset}+${target.length}`)
          return input.read(target, offset)
        },
      }
    },
  })
  const file = await FileRanges.open(counting, 'f', 'postings', id, false)
  const bytesAtOpen = reads.reduce((sum, read) => sum + Number(read.split('+')[1]), 0)
  t.equal(bytesAtOpen, 32 + 16 + 8 + 8, 'header, footer, and the upper level of 4 bytes for 16 MiB')
  reads.length = 0
  await file.load(GROUP + 10, 10)
  const table = GROUP + 3 * PAGE_LENGTH
  t.same(reads.sort(), [`${GROUP}+${PAGE_LENGTH}`, `${table + PAGE_LENGTH}+12`].sort())
  reads.length = 0
  await file.load(GROUP - 10, 20)
  t.same(reads.sort(), [`${GROUP - PAGE_LENGTH}+${2 * PAGE_LENGTH}`, `${table}+${PAGE_LENGTH}`].sort(), 'each once')
})
