import fc from 'fast-check'
import t from 'tap'
import { BitSet } from './bit-set.js'
import { largeBuffer, largeInt32Array } from './large-buffer.js'
import { PriorityQueue } from './priority-queue.js'

t.test('a bit set agrees with a Set', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.tuple(fc.boolean(), fc.nat(299))), (length, steps) => {
      const bits = new BitSet(length)
      const model = new Set<number>()
      for (const [on, at] of steps) {
        if (at >= length) continue
        if (on) {
          bits.set(at)
          model.add(at)
        } else {
          bits.clear(at)
          model.delete(at)
        }
      }
      const walked: number[] = []
      for (let i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) walked.push(i)
      const even = BitSet.full(length)
      for (let i = 1; i < length; i += 2) even.clear(i)
      return (
        bits.count() === model.size &&
        bits.countWith(even) === [...model].filter((at) => at % 2 === 0).length &&
        walked.join() === [...model].sort((a, b) => a - b).join() &&
        walked.every((i) => bits.get(i))
      )
    }),
  )
  for (const length of [1, 31, 32, 33, 64, 100]) t.equal(BitSet.full(length).count(), length, `full of ${length}`)
  const copy = BitSet.full(40).clone()
  copy.clear(39)
  t.equal(copy.nextSetBit(39), -1)
  t.throws(() => new BitSet(33, new Uint32Array(1)), RangeError)
  t.end()
})

t.test('a priority queue gives its elements in order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (values) => {
      const queue = new PriorityQueue<number>((a, b) => a < b)
      for (const value of values) queue.push(value)
      const out: number[] = []
      while (queue.size > 0) out.push(queue.pop()!)
      return out.join() === [...values].sort((a, b) => a - b).join()
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.integer({ min: 1, max: 10 }), (values, k) => {
      const best = new PriorityQueue<number>((a, b) => a < b)
      for (const value of values) {
        if (best.size < k) best.push(value)
        else if (value > best.peek()!) best.replaceTop(value)
      }
      const kept: number[] = []
      while (best.size > 0) kept.push(best.pop()!)
      const sorted = [...values].sort((a, b) => b - a)
      return kept.reverse().join() === sorted.slice(0, k).join()
    }),
  )
  t.equal(new PriorityQueue<number>((a, b) => a < b).pop(), undefined)
  t.end()
})

t.test('a large buffer has at least what is asked for, and none of the sizes that the C library keeps', async (t) => {
  for (const bytes of [0, 1, 2 ** 20 - 1]) t.equal(largeBuffer(bytes).byteLength, bytes)
  for (const bytes of [2 ** 20, 5_000_000, 2 ** 25, 2 ** 26]) {
    const { byteLength } = largeBuffer(bytes)
    t.ok(byteLength >= bytes && byteLength > 2 ** 25, `${byteLength} for ${bytes}`)
  }
  for (const length of [0, 3, 300_000]) {
    const words = largeInt32Array(length)
    t.equal(words.length, length)
    t.ok(words.every((word) => word === 0))
  }
})
