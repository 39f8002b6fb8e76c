/**
 * The column of one field in memory: which documents have values, and their values as **codes**, whole numbers that sort
 * like the values (ordinals of keywords; packed or tabled numbers; raw numbers are their own codes). Comparing codes
 * spares the arithmetic; `value` turns one into the number. Stays packed; only the starts of documents with several
 * values, and the ranks of a column with gaps, are made at loading.
 */
import { ByteReader } from '@spindle/core'
import { type NumberEncoding, SCALES } from './doc-values-numbers.js'
import { fillBits, matchFloats, PackedSequence, VALUES_PER_BLOCK, VALUES_PER_GROUP } from './doc-values-sequence.js'
import { COLUMN_KINDS, ENCODINGS, type NumberPairs } from './doc-values-writer.js'

/** Doc values of a field in a segment. Where a document has several, they ascend. */
export class DocValues {
  readonly kind: 'number' | 'ordinal'
  readonly maxDoc: number
  /** Documents with a value, deleted ones included. */
  readonly docCount: number
  readonly valueCount: number
  /** Of ordinals: terms that the field has in the segment. */
  readonly termCount: number
  /** Bytes in memory. */
  readonly ramBytes: number
  /** Which documents have values; null: all. */
  readonly presence: Uint32Array | null
  /** For each word of `presence`, documents with values before it. */
  readonly #ranks: Int32Array
  /** Of the n-th document with values, its first value; null: one each. */
  readonly starts: Int32Array | null
  readonly #codes: PackedSequence | null
  readonly #raw: Float64Array | null
  readonly #rawMins: Float64Array
  readonly #rawMaxs: Float64Array
  readonly #encoding: NumberEncoding | null

  /**
   * @param bytes the column, at a multiple of 8 of its buffer
   * @throws RangeError where it is no column of `maxDoc` documents
   */
  constructor(bytes: Uint8Array, maxDoc: number) {
    this.maxDoc = maxDoc
    const reader = new ByteReader(bytes)
    const kind = COLUMN_KINDS[reader.readByte()]
    if (kind === undefined) throw new RangeError('a column of another kind')
    this.kind = kind
    this.docCount = reader.readVarint()
    this.valueCount = reader.readVarint()
    const { docCount, valueCount } = this
    if (!(docCount > 0 && docCount <= maxDoc && valueCount >= docCount && valueCount <= 0x7fffffff)) {
      throw new RangeError(`${valueCount} values of ${docCount} documents`)
    }
    this.termCount = kind === 'ordinal' ? reader.readVarint() : 0
    this.#encoding = kind === 'ordinal' ? null : readEncoding(reader)
    const parts = new Parts(bytes, reader.position)
    this.presence = docCount === maxDoc ? null : parts.take(Uint32Array, (maxDoc + 31) >>> 5)
    this.#ranks = this.presence === null ? new Int32Array(0) : ranksOf(this.presence, maxDoc, docCount)
    this.starts = valueCount === docCount ? null : startsOf(takeSequence(parts, docCount), valueCount)
    if (this.#encoding?.kind === 'raw') {
      const blocks = Math.ceil(valueCount / VALUES_PER_BLOCK)
      this.#rawMins = parts.take(Float64Array, blocks)
      this.#rawMaxs = parts.take(Float64Array, blocks)
      this.#raw = parts.take(Float64Array, valueCount)
      this.#codes = null
    } else {
      this.#codes = takeSequence(parts, valueCount)
      this.#raw = null
      this.#rawMins = this.#codes.mins
      this.#rawMaxs = this.#codes.maxs
      const limit =
        this.#encoding === null
          ? this.termCount
          : this.#encoding.kind === 'table'
            ? this.#encoding.table.length
            : Infinity
      if (this.#codes.max >= limit) throw new RangeError(`the code ${this.#codes.max} of ${limit}`)
    }
    parts.end()
    this.ramBytes = bytes.length + this.#ranks.byteLength + (this.starts?.byteLength ?? 0)
  }

  has(doc: number): boolean {
    return this.presence === null || (this.presence[doc >>> 5] & (1 << (doc & 31))) !== 0
  }

  /** How many documents before `doc` have values: `doc` may be `maxDoc`. */
  rank(doc: number): number {
    const { presence } = this
    if (presence === null) return doc
    const w = doc >>> 5
    if (w >= presence.length) return this.docCount
    return this.#ranks[w] + popCount(presence[w] & ((1 << (doc & 31)) - 1))
  }

  /** The document with values of that rank. */
  select(rank: number): number {
    const { presence } = this
    if (presence === null) return rank
    let low = 0
    let high = presence.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#ranks[middle] <= rank) low = middle
      else high = middle - 1
    }
    let word = presence[low]
    for (let left = rank - this.#ranks[low]; left > 0; left--) word &= word - 1
    return (low << 5) + 31 - Math.clz32(word & -word)
  }

  /** Index of the first value of the document with that rank; of `docCount`, the number of values. */
  start(rank: number): number {
    return this.starts === null ? rank : this.starts[rank]
  }

  /** The document that value `i` belongs to. */
  docOf(i: number): number {
    const { starts } = this
    if (starts === null) return this.select(i)
    let low = 0
    let high = this.docCount - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (starts[middle] <= i) low = middle
      else high = middle - 1
    }
    return this.select(low)
  }

  /** Code of the smallest value of a document, NaN where it has none. */
  first(doc: number): number {
    return this.has(doc) ? this.code(this.start(this.rank(doc))) : Number.NaN
  }

  /** Code of the greatest value of a document, NaN where it has none. */
  last(doc: number): number {
    return this.has(doc) ? this.code(this.start(this.rank(doc) + 1) - 1) : Number.NaN
  }

  /** Code of value `i`. */
  code(i: number): number {
    return this.#codes === null ? this.#raw![i] : this.#codes.get(i)
  }

  /** The number that a code stands for; of an ordinal itself. */
  value(code: number): number {
    const encoding = this.#encoding
    if (encoding === null || encoding.kind === 'raw') return code
    if (encoding.kind === 'table') return encoding.table[code]
    return (encoding.base + encoding.step * code) / SCALES[encoding.decimals]
  }

  /** Decodes the codes of the values `128 g …` into `out`. @returns how many */
  decode(g: number, out: Float64Array): number {
    if (this.#codes !== null) return this.#codes.decode(g, out)
    const from = g * VALUES_PER_GROUP
    const count = Math.min(VALUES_PER_GROUP, this.valueCount - from)
    for (let i = 0; i < count; i++) out[i] = this.#raw![from + i]
    return count
  }

  /** All values of a document as numbers, ascending. */
  numbers(doc: number): number[] {
    if (!this.has(doc)) return []
    const rank = this.rank(doc)
    const values: number[] = []
    for (let i = this.start(rank); i < this.start(rank + 1); i++) values.push(this.value(this.code(i)))
    return values
  }

  /** The least code whose value is ≥ `value`; one past the greatest code where there is none. */
  codeAtLeast(value: number): number {
    if (this.#codes === null || this.#encoding === null) return value
    let low = 0
    let high = this.#codes.max + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.value(middle) < value) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The greatest code whose value is ≤ `value`; −1 where there is none (raw: the number itself). */
  codeAtMost(value: number): number {
    if (this.#codes === null || this.#encoding === null) return value
    let low = -1
    let high = this.#codes.max
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.value(middle) > value) high = middle - 1
      else low = middle
    }
    return low
  }

  /** Whether no code of block `b` lies in `[from, to]`. */
  misses(b: number, from: number, to: number): boolean {
    return from > this.#rawMaxs[b] || to < this.#rawMins[b]
  }

  /** Blocks of 4,096 values. */
  get blockCount(): number {
    return this.#rawMins.length
  }

  /** Which codes of group `g` lie in `[from, to]`, as 128 bits into `out[at …]`. @returns whether any does */
  match(g: number, from: number, to: number, out: Uint32Array, at: number): boolean {
    if (this.#codes !== null) return this.#codes.match(g, from, to, out, at)
    const start = g * VALUES_PER_GROUP
    const count = Math.min(VALUES_PER_GROUP, this.valueCount - start)
    const b = start >>> 12
    if (from <= this.#rawMins[b] && to >= this.#rawMaxs[b]) {
      fillBits(count, out, at)
      return true
    }
    if (this.misses(b, from, to)) {
      fillBits(0, out, at)
      return false
    }
    return matchFloats(this.#raw!, start, count, from, to, out, at)
  }

  /** All values with their documents, 128 at a time, for merging; the arrays are filled anew for the next ones. */
  *runs(): Generator<NumberPairs> {
    const { valueCount } = this
    const docs = new Int32Array(VALUES_PER_GROUP)
    const values = new Float64Array(VALUES_PER_GROUP)
    let doc = -1
    let rank = -1
    /** Index behind the last value of `doc`. */
    let end = 0
    for (let g = 0; g * VALUES_PER_GROUP < valueCount; g++) {
      const length = this.decode(g, values)
      for (let i = 0; i < length; i++) {
        if (g * VALUES_PER_GROUP + i === end) {
          do doc++
          while (!this.has(doc))
          end = this.start(++rank + 1)
        }
        docs[i] = doc
        values[i] = this.value(values[i])
      }
      yield { docs, values, length }
    }
  }

  /** All of them at once, for writing again what is changed. */
  pairs(): NumberPairs {
    const docs = new Int32Array(this.valueCount)
    const values = new Float64Array(this.valueCount)
    let length = 0
    for (const run of this.runs()) {
      docs.set(run.docs.subarray(0, run.length), length)
      values.set(run.values.subarray(0, run.length), length)
      length += run.length
    }
    return { docs, values, length }
  }
}

/** Bits of a word of 32 that are on. */
export function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function ranksOf(presence: Uint32Array, maxDoc: number, docCount: number): Int32Array {
  const ranks = new Int32Array(presence.length)
  let sum = 0
  for (let w = 0; w < presence.length; w++) {
    ranks[w] = sum
    sum += popCount(presence[w])
  }
  const unused = maxDoc & 31
  if (unused !== 0 && presence[presence.length - 1] >>> unused !== 0)
    throw new RangeError('bits past the last document')
  if (sum !== docCount) throw new RangeError(`${sum} documents of ${docCount}`)
  return ranks
}

function startsOf(more: PackedSequence, valueCount: number): Int32Array {
  const starts = new Int32Array(more.length + 1)
  const group = new Float64Array(VALUES_PER_GROUP)
  let sum = 0
  for (let g = 0; g * VALUES_PER_GROUP < more.length; g++) {
    const count = more.decode(g, group)
    for (let i = 0; i < count; i++) {
      sum += 1 + group[i]
      starts[g * VALUES_PER_GROUP + i + 1] = sum
    }
  }
  if (sum !== valueCount) throw new RangeError(`${sum} values of ${valueCount}`)
  return starts
}

function readEncoding(reader: ByteReader): NumberEncoding {
  const kind = ENCODINGS[reader.readByte()]
  if (kind === 'raw') return { kind }
  if (kind === 'table') {
    const count = reader.readVarint()
    if (count * 8 > reader.remaining) throw new RangeError(`a table of ${count}`)
    const table = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      table[i] = reader.readFloat64()
      if (!Number.isFinite(table[i]) || (i > 0 && table[i] <= table[i - 1]))
        throw new RangeError('a table out of order')
    }
    return { kind, table }
  }
  if (kind !== 'packed') throw new RangeError('another encoding')
  const base = reader.readFloat64()
  const step = reader.readFloat64()
  const decimals = reader.readByte()
  if (!(Number.isSafeInteger(base) && Number.isSafeInteger(step) && step > 0 && decimals < SCALES.length)) {
    throw new RangeError('a base, a step and decimals')
  }
  return { kind, base, step, decimals }
}

function takeSequence(parts: Parts, length: number): PackedSequence {
  const blocks = Math.ceil(length / VALUES_PER_BLOCK)
  const mins = parts.take(Float64Array, blocks)
  const maxs = parts.take(Float64Array, blocks)
  const bits = parts.take(Uint8Array, blocks)
  for (let b = 0; b < blocks; b++) if (bits[b] > 53) throw new RangeError(`${bits[b]} bits`)
  return new PackedSequence(length, {
    mins,
    maxs,
    bits,
    words: parts.take(Int32Array, PackedSequence.wordCount(length, bits)),
  })
}

type View<T> = { new (buffer: ArrayBufferLike, offset: number, length: number): T; readonly BYTES_PER_ELEMENT: number }

/** Takes typed arrays off a column, each at a multiple of 8. */
class Parts {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = align8(at)
  }

  take<T>(view: View<T>, length: number): T {
    const at = this.#at
    const end = at + length * view.BYTES_PER_ELEMENT
    if (!(end <= this.#bytes.length)) throw new RangeError(`the end at ${this.#bytes.length}`)
    this.#at = align8(end)
    return new view(this.#bytes.buffer, this.#bytes.byteOffset + at, length)
  }

  /** @throws RangeError where anything is left */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError(`${this.#bytes.length - this.#at} bytes too many`)
  }
}

function align8(offset: number): number {
  return Math.ceil(offset / 8) * 8
}
