/** Damaged indexes: every flipped byte, every truncation, foreign files. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { IndexReader } from '../reading/index-reader.js'
import type { MemoryDirectory } from '../store/memory-directory.js'
import { firstDifference, indexContents } from '../test-support/index-contents.js'
import { testSeed } from '../test-support/random.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { buildTinyIndex, checkDamaged, directoryOf, isKnown } from '../test-support/tiny-index.js'

const seed = testSeed()
t.comment(replay(seed))

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

t.test('every changed byte: an error that says where, or the same results; check-index always tells', async (t) => {
  const files = await buildTinyIndex()
  const expected = await contents(await directoryOf(files))
  const changes = [(byte: number, at: number) => byte ^ (1 << (at & 7)), () => 0, () => 0xff]
  const every = byEffort(11, 1, 1)
  const found: string[] = []
  let tried = 0
  let harmless = 0
  for (const [name, original] of files) {
    for (
      let at = seed % every;
      at < original.length && found.length < 5 && (hasTime(0.7) || tried < 250);
      at += every
    ) {
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
        const { clean, foreign } = await checkDamaged(directory)
        if (clean) found.push(`${where}: not seen by check-index`)
        if (foreign !== undefined) found.push(`${where}: ${foreign}`)
        if (performance.now() - began > 20_000) found.push(`${where}: took ${performance.now() - began} ms`)
      }
    }
  }
  t.same(found, [], replay(seed))
  t.comment(`${tried} changes in ${files.size} files, ${harmless} without consequence for a reader`)
  t.ok(tried > 200, `${tried} changes`)
})

t.test('truncated, extended and foreign files are known at opening', async (t) => {
  const files = await buildTinyIndex()
  const others = await buildTinyIndex()
  const older = await buildTinyIndex(2)
  const every = byEffort(3, 1, 1)
  const found: string[] = []
  let cases = 0
  const refused = async (name: string, bytes: Uint8Array, what: string) => {
    cases++
    const directory = await directoryOf(files, name, bytes)
    const reader = await IndexReader.open(directory).catch((error: unknown) => error)
    if (!isSpindleError(reader, 'INDEX_CORRUPT')) found.push(`${name}: ${what}: ${reader}`)
    if (cases % 16 === 0 && (await checkDamaged(directory)).clean)
      found.push(`${name}: ${what}: not seen by check-index`)
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
