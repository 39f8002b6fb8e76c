/** Columns of doc values against plain arrays: every encoding, gaps, several values, ranges of codes, damage. */

import t, { type Test } from 'tap'
import type { FieldInfo } from '../document/field-info.js'
import { fieldType } from '../document/field-type.js'
import { DocValuesFile } from '../reading/doc-values-file.js'
import { CheckedOutput } from '../store/checked-output.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { DocValues } from './doc-values.js'
import { encodeNumbers } from './doc-values-numbers.js'
import { DocValuesWriter, type NumberPairs } from './doc-values-writer.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const id = new Uint8Array(16).fill(3)

function info(number: number, kind: 'float' | 'keyword'): FieldInfo {
  const sums = { docCount: 0, sumTotalTermFreq: 0, sumDocFreq: 0 }
  return { number, name: `f${number}`, options: 'none', norms: false, type: fieldType(kind), ...sums }
}

function pairsOf(values: readonly (readonly number[])[]): NumberPairs {
  const docs: number[] = []
  const flat: number[] = []
  values.forEach((list, doc) => {
    for (const value of list) {
      docs.push(doc)
      flat.push(value)
    }
  })
  return { docs: Int32Array.from(docs), values: Float64Array.from(flat), length: flat.length }
}

/** Ways to draw numbers, with the encoding that they should get. */
const DRAWS: readonly [string, string, () => number][] = [
  ['small', 'packed', () => random.below(1000)],
  ['constant', 'packed', () => 42],
  ['days', 'packed', () => 86_400_000 * (15_000 + random.below(6000))],
  ['milliseconds', 'packed', () => 1.7e12 + random.below(2 ** 30) * 511],
  ['negative', 'packed', () => random.below(2 ** 31) - 2 ** 30],
  ['prices', 'packed', () => random.below(100_000) / 100],
  ['few', 'table', () => random.pick([0.1, -1e300, 3e-9, 2 ** 53])],
  ['any', 'raw', () => (random.next() - 0.5) * 10 ** (random.below(600) - 300)],
  [
    'extremes',
    'raw',
    () => random.pick([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 5e-324, 1.5]) * (random.below(400) + 1),
  ],
  ['minus zero', 'raw', () => random.pick([0, -0, random.next()])],
]

t.test('numbers', async (t) => {
  for (const [name, kind, draw] of DRAWS) {
    for (const maxDoc of [1, 31, 128, 4096, 4097, 9000]) {
      for (const shape of ['all', 'gaps', 'several'] as const) {
        const values = Array.from({ length: maxDoc }, (_, doc) => {
          if (shape === 'all') return [draw()]
          if (doc > 0 && random.next() < 0.7) return []
          const list = Array.from({ length: shape === 'gaps' ? 1 : 1 + random.below(4) }, draw)
          return [...Float64Array.from(list).sort()]
        })
        const pairs = pairsOf(values)
        if (maxDoc > 4000) t.equal(encodeNumbers(() => [pairs.values], pairs.length).encoding.kind, kind, name)
        const directory = new MemoryDirectory()
        const writer = new DocValuesWriter(await CheckedOutput.create(directory, 'v', 'values', id))
        writer.addNumbers(4, maxDoc, () => [pairs])
        writer.addNumbers(5, maxDoc, () => [pairsOf([])])
        const ordinals = pairsOf(values.map((_, doc) => (doc % 3 === 0 ? [doc % 7, 8] : [])))
        writer.addOrdinals(9, maxDoc, 10, () => [ordinals])
        await writer.finish()
        const infos = new Map([4, 5, 9].map((number) => [number, info(number, number === 9 ? 'keyword' : 'float')]))
        const file = await DocValuesFile.open(directory, 'v', id, maxDoc, infos)
        const column = (await file.load(4))!
        t.equal(await file.load(5), null)
        checkColumn(t, column, values, `${name} ${maxDoc} ${shape}`)
        const terms = (await file.load(9))!
        t.equal(terms.termCount, 10)
        t.strictSame(terms.pairs(), ordinals)
        await file.release()
      }
    }
  }
})

function checkColumn(t: Test, column: DocValues, values: readonly (readonly number[])[], name: string): unknown {
  let rank = 0
  for (let doc = 0; doc < values.length; doc++) {
    const list = values[doc]
    const found = column.numbers(doc)
    if (found.length !== list.length || !found.every((value, i) => Object.is(value, list[i]))) {
      return t.fail(`${name}: document ${doc} has ${found}, not ${list}`)
    }
    if (column.has(doc) !== list.length > 0 || column.rank(doc) !== rank) return t.fail(`${name}: rank ${doc}`)
    if (list.length === 0) continue
    if (column.select(rank) !== doc || column.docOf(column.start(rank)) !== doc) return t.fail(`${name}: select`)
    if (column.value(column.first(doc)) !== list[0] || column.value(column.last(doc)) !== list.at(-1)) {
      return t.fail(`${name}: first and last of ${doc}`)
    }
    rank++
  }
  t.equal(column.rank(values.length), column.docCount)
  const flat = values.flat()
  const out = new Uint32Array(4)
  for (let round = 0; round < 8; round++) {
    const a = random.pick(flat) + (random.next() < 0.3 ? random.next() - 0.5 : 0)
    const b = round === 0 ? a : random.pick(flat)
    const from = column.codeAtLeast(Math.min(a, b))
    const to = column.codeAtMost(Math.max(a, b))
    for (let g = 0; g * 128 < flat.length; g++) {
      const any = column.match(g, from, to, out, 0)
      let anyExpected = false
      for (let i = 0; i < 128; i++) {
        const value = flat[g * 128 + i]
        const expected = value !== undefined && value >= Math.min(a, b) && value <= Math.max(a, b)
        anyExpected ||= expected
        if (((out[i >>> 5] >>> (i & 31)) & 1) !== (expected ? 1 : 0)) return t.fail(`${name}: ${value} in ${a}–${b}`)
      }
      // Without bits in hand a block may be let through, never the other way round.
      if (any !== anyExpected) return t.fail(`${name}: any in group ${g}`)
      if (anyExpected && column.misses(g >>> 5, from, to)) return t.fail(`${name}: block ${g >>> 5} is missed`)
    }
  }
  return t.pass(name)
}

t.test('damaged columns give a typed error or numbers, and no great memory', async (t) => {
  const values = Array.from({ length: 700 }, () => (random.next() < 0.5 ? [] : [random.below(1000), 2000]))
  const directory = new MemoryDirectory()
  const writer = new DocValuesWriter(await CheckedOutput.create(directory, 'v', 'values', id))
  writer.addNumbers(4, 700, () => [pairsOf(values)])
  await writer.finish()
  const bytes = (await directory.open('v')) as { length: number; read(target: Uint8Array, at: number): Promise<void> }
  const whole = new Uint8Array(bytes.length)
  await bytes.read(whole, 0)
  const table = new DataView(whole.buffer).getUint32(whole.length - 20, true)
  const column = whole.slice(32, whole.length - 16 - 8 - table)
  checkColumn(t, new DocValues(column, 700), values, 'undamaged')
  for (let round = 0; round < 20_000; round++) {
    const damaged = new Uint8Array(new SharedArrayBuffer(column.length))
    damaged.set(column)
    for (let n = 0; n <= random.below(3); n++) {
      const at = random.next() < 0.5 ? random.below(60) : random.below(damaged.length)
      damaged[at] = random.pick([0, 1, 127, 128, 255, random.below(256)])
    }
    const cut = random.next() < 0.1 ? random.below(damaged.length / 8) * 8 : damaged.length
    try {
      const read = new DocValues(damaged.subarray(0, cut), 700)
      for (let doc = 0; doc < 700; doc += 13) read.numbers(doc)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
})
