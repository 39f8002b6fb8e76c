/**
 * Sorts terms by field and UTF-8 bytes: a merge sort over 48-bit keys (the first 6 bytes), which looks at the bytes only
 * where the keys are equal. About 10 ns a comparison, no callback.
 */
import { largeBuffer } from '@spindle/core'
import type { TermTable } from './term-table.js'

const KEY_BYTES = 6

/** Ids of all terms: by field number, within a field ascending by bytes. Memory: 24 bytes a term. */
export function sortTerms(table: TermTable, fieldCount: number): Int32Array {
  const { size, fields } = table
  const starts = new Int32Array(fieldCount + 1)
  for (let id = 0; id < size; id++) starts[fields[id] + 1]++
  for (let field = 0; field < fieldCount; field++) starts[field + 1] += starts[field]
  const room = largeBuffer(size * 24)
  const keys = new Float64Array(room, 0, size)
  const otherKeys = new Float64Array(room, size * 8, size)
  const ids = new Int32Array(room, size * 16, size)
  const otherIds = new Int32Array(room, size * 20, size)
  const places = starts.slice()
  for (let id = 0; id < size; id++) ids[places[fields[id]]++] = id
  for (let i = 0; i < size; i++) keys[i] = keyOf(table, ids[i])
  for (let field = 0; field < fieldCount; field++) {
    sortRange(table, ids, keys, otherIds, otherKeys, starts[field], starts[field + 1])
  }
  return ids
}

function keyOf(table: TermTable, id: number): number {
  const start = table.starts[id]
  const end = table.starts[id + 1]
  let key = 0
  for (let i = start; i < start + KEY_BYTES; i++) key = key * 256 + (i < end ? table.bytes[i] : 0)
  return key
}

/** Bottom-up merge sort of one range; the result is in `ids`. */
function sortRange(
  table: TermTable,
  ids: Int32Array,
  keys: Float64Array,
  otherIds: Int32Array,
  otherKeys: Float64Array,
  from: number,
  to: number,
): void {
  let sourceIds = ids
  let sourceKeys = keys
  let targetIds = otherIds
  let targetKeys = otherKeys
  for (let width = 1; width < to - from; width *= 2) {
    for (let left = from; left < to; left += 2 * width) {
      const middle = Math.min(left + width, to)
      const right = Math.min(left + 2 * width, to)
      let a = left
      let b = middle
      for (let i = left; i < right; i++) {
        if (a < middle && (b >= right || !isLess(table, sourceIds, sourceKeys, b, a))) {
          targetIds[i] = sourceIds[a]
          targetKeys[i] = sourceKeys[a++]
        } else {
          targetIds[i] = sourceIds[b]
          targetKeys[i] = sourceKeys[b++]
        }
      }
    }
    const swapIds = sourceIds
    const swapKeys = sourceKeys
    sourceIds = targetIds
    sourceKeys = targetKeys
    targetIds = swapIds
    targetKeys = swapKeys
  }
  if (sourceIds !== ids) ids.set(sourceIds.subarray(from, to), from)
}

function isLess(table: TermTable, ids: Int32Array, keys: Float64Array, a: number, b: number): boolean {
  if (keys[a] !== keys[b]) return keys[a] < keys[b]
  const { bytes, starts } = table
  const startA = starts[ids[a]]
  const startB = starts[ids[b]]
  const lengthA = starts[ids[a] + 1] - startA
  const lengthB = starts[ids[b] + 1] - startB
  const limit = Math.min(lengthA, lengthB)
  for (let i = 0; i < limit; i++) {
    if (bytes[startA + i] !== bytes[startB + i]) return bytes[startA + i] < bytes[startB + i]
  }
  return lengthA < lengthB
}
