/**
 * A sequence of whole numbers (0 to 2^53 − 1) in blocks of 4,096, each with its least and greatest number and as many
 * bits a number as their difference needs. It stays packed in memory: one number is read in about 3 ns, a group of 128
 * at once for less than 1 ns a number, and a block whose bounds miss what is looked for is not touched.
 *
 *   [float64]*B least   [float64]*B greatest   [byte]*B bits   align 8   [words]   align 8
 *
 * A block is 32 groups of 128 (see bit-unpacking.ts). Over 31 bits a group is two: the low 26 bits, then the others.
 */
import { pack } from './bit-packing.js'
import { unpack } from './bit-unpacking.js'

/** Values in a block: the unit of skipping. */
export const VALUES_PER_BLOCK = 4096
/** Values in a group: the unit of decoding. */
export const VALUES_PER_GROUP = 128
const GROUPS_PER_BLOCK = VALUES_PER_BLOCK / VALUES_PER_GROUP
/** Bits of the lower of two planes. */
const LOW_BITS = 26
const LOW_RANGE = 2 ** LOW_BITS

const low = new Int32Array(VALUES_PER_GROUP)
const high = new Int32Array(VALUES_PER_GROUP)

/** Parts of an encoded sequence. */
export interface EncodedSequence {
  readonly mins: Float64Array
  readonly maxs: Float64Array
  readonly bits: Uint8Array
  readonly words: Int32Array
}

/** Bits that a whole number ≥ 0 takes: 0–53. */
export function bitsOf(value: number): number {
  return value < 0x80000000 ? 32 - Math.clz32(value) : LOW_BITS + 32 - Math.clz32(Math.floor(value / LOW_RANGE))
}

/** Numbers that are gone through as often as needed, some at a time; what came before need not stay. */
export type NumberRuns = () => Iterable<Float64Array | Int32Array>

/**
 * Packs `length` numbers, which are gone through twice, so that none of them has to stay in memory.
 * @returns the parts of the file in their order; the words block by block, each valid until the next
 */
export function* encodeSequence(numbers: NumberRuns, length: number): Generator<Uint8Array> {
  const blocks = Math.ceil(length / VALUES_PER_BLOCK)
  const mins = new Float64Array(blocks)
  const maxs = new Float64Array(blocks)
  const bits = new Uint8Array(blocks)
  let b = 0
  let most = 0
  for (const block of blocksOf(numbers, length)) {
    let min = block[0]
    let max = min
    for (let i = 1; i < block.length; i++) {
      if (block[i] < min) min = block[i]
      else if (block[i] > max) max = block[i]
    }
    mins[b] = min
    maxs[b] = max
    bits[b] = bitsOf(max - min)
    most = Math.max(most, bits[b++])
  }
  yield bytesOf(mins)
  yield bytesOf(maxs)
  yield bits
  const groups = Math.ceil(Math.min(length, VALUES_PER_BLOCK) / VALUES_PER_GROUP)
  const words = new Int32Array(4 * groups * most)
  b = 0
  for (const block of blocksOf(numbers, length)) {
    const count = packBlock(block, mins[b], bits[b++], words)
    yield bytesOf(words.subarray(0, count))
  }
}

/** The numbers, `length` of them, in blocks of {@link VALUES_PER_BLOCK}, the last one shorter; each valid until the next. */
export function* blocksOf(numbers: NumberRuns, length: number): Generator<Float64Array> {
  const block = new Float64Array(Math.min(length, VALUES_PER_BLOCK))
  let filled = 0
  for (const run of numbers()) {
    for (let at = 0; at < run.length; ) {
      const part = run.subarray(at, at + VALUES_PER_BLOCK - filled)
      block.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < VALUES_PER_BLOCK) continue
      yield block
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}

/** @returns how many words it takes */
function packBlock(block: Float64Array, min: number, width: number, words: Int32Array): number {
  if (width === 0) return 0
  let length = 0
  for (let at = 0; at < block.length; at += VALUES_PER_GROUP) {
    const count = Math.min(VALUES_PER_GROUP, block.length - at)
    low.fill(0)
    high.fill(0)
    for (let i = 0; i < count; i++) {
      const delta = block[at + i] - min
      if (width < 32) low[i] = delta
      else {
        low[i] = delta % LOW_RANGE
        high[i] = Math.floor(delta / LOW_RANGE)
      }
    }
    pack(width < 32 ? width : LOW_BITS, low, words, length)
    if (width > 31) pack(width - LOW_BITS, high, words, length + 4 * LOW_BITS)
    length += 4 * width
  }
  return length
}

/** The bytes of an array, as they are in the file. */
export function bytesOf(array: Float64Array | Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Bytes that {@link encodeSequence} would make of numbers below `range`, at most, about. */
export function sequenceBytes(length: number, range: number): number {
  return (length * bitsOf(range)) / 8 + Math.ceil(length / VALUES_PER_BLOCK) * 17
}

/** A packed sequence in memory. */
export class PackedSequence {
  readonly length: number
  readonly mins: Float64Array
  readonly maxs: Float64Array
  readonly #bits: Uint8Array
  /** Start of each block in `words`. */
  readonly #offsets: Int32Array
  readonly #words: Int32Array

  /**
   * @param wordCount words that follow the table of blocks, at least
   * @throws RangeError where the parts do not fit together
   */
  constructor(length: number, { mins, maxs, bits, words }: EncodedSequence) {
    const blocks = Math.ceil(length / VALUES_PER_BLOCK)
    this.length = length
    this.mins = mins
    this.maxs = maxs
    this.#bits = bits
    this.#words = words
    this.#offsets = new Int32Array(blocks)
    let at = 0
    for (let b = 0; b < blocks; b++) {
      this.#offsets[b] = at
      if (!(mins[b] >= 0 && maxs[b] >= mins[b] && maxs[b] <= Number.MAX_SAFE_INTEGER)) throw new RangeError('bounds')
      if (!(Number.isInteger(mins[b]) && bits[b] === bitsOf(maxs[b] - mins[b]))) throw new RangeError('bits')
      const groups = Math.ceil(Math.min(VALUES_PER_BLOCK, length - b * VALUES_PER_BLOCK) / VALUES_PER_GROUP)
      at += 4 * bits[b] * groups
    }
    if (at !== words.length) throw new RangeError(`${at} words`)
  }

  /** Words that a sequence with these bits has. */
  static wordCount(length: number, bits: Uint8Array): number {
    let words = 0
    for (let b = 0; b < bits.length; b++) {
      words += 4 * bits[b] * Math.ceil(Math.min(VALUES_PER_BLOCK, length - b * VALUES_PER_BLOCK) / VALUES_PER_GROUP)
    }
    return words
  }

  /** The greatest number. */
  get max(): number {
    let max = 0
    for (let b = 0; b < this.maxs.length; b++) if (this.maxs[b] > max) max = this.maxs[b]
    return max
  }

  /** Number `i`. */
  get(i: number): number {
    const b = i >>> 12
    const bits = this.#bits[b]
    const min = this.mins[b]
    if (bits === 0) return min
    const at = this.#offsets[b] + ((i & 4095) >>> 7) * 4 * bits
    if (bits < 32) return min + this.#extract(at, bits, i & 127)
    return (
      min +
      this.#extract(at + 4 * LOW_BITS, bits - LOW_BITS, i & 127) * LOW_RANGE +
      this.#extract(at, LOW_BITS, i & 127)
    )
  }

  #extract(at: number, bits: number, i: number): number {
    const bit = (i >>> 2) * bits
    const word = at + (bit >>> 5) * 4 + (i & 3)
    const shift = bit & 31
    let value = this.#words[word] >>> shift
    if (shift + bits > 32) value |= this.#words[word + 4] << (32 - shift)
    return value & (0x7fffffff >>> (31 - bits))
  }

  /** Decodes group `g` into `out`. @returns how many of its numbers count */
  decode(g: number, out: Float64Array): number {
    const b = Math.floor(g / GROUPS_PER_BLOCK)
    const count = Math.min(VALUES_PER_GROUP, this.length - g * VALUES_PER_GROUP)
    const bits = this.#bits[b]
    const min = this.mins[b]
    if (bits === 0) {
      out.fill(min, 0, count)
      return count
    }
    const at = this.#offsets[b] + (g % GROUPS_PER_BLOCK) * 4 * bits
    if (bits < 32) {
      unpack(bits, this.#words, at, low)
      for (let i = 0; i < count; i++) out[i] = min + low[i]
      return count
    }
    unpack(LOW_BITS, this.#words, at, low)
    unpack(bits - LOW_BITS, this.#words, at + 4 * LOW_BITS, high)
    for (let i = 0; i < count; i++) out[i] = min + high[i] * LOW_RANGE + low[i]
    return count
  }

  /**
   * Which numbers of group `g` lie in `[from, to]`, as 128 bits into `out[at … at + 4)`; those past the end are off.
   * @returns whether any does
   */
  match(g: number, from: number, to: number, out: Uint32Array, at: number): boolean {
    const b = Math.floor(g / GROUPS_PER_BLOCK)
    const count = Math.min(VALUES_PER_GROUP, this.length - g * VALUES_PER_GROUP)
    const min = this.mins[b]
    out[at] = out[at + 1] = out[at + 2] = out[at + 3] = 0
    if (from > this.maxs[b] || to < min) return false
    const bits = this.#bits[b]
    if (from <= min && to >= this.maxs[b]) {
      fillBits(count, out, at)
      return true
    }
    const start = this.#offsets[b] + (g % GROUPS_PER_BLOCK) * 4 * bits
    if (bits > 31) return matchWide(this, g, count, from, to, out, at)
    unpack(bits, this.#words, start, low)
    const least = (from > min ? from - min : 0) | 0
    const span = (Math.min(to, this.maxs[b]) - min - least) | 0
    let any = 0
    for (let w = 0; w * 32 < count; w++) {
      const end = Math.min(32, count - w * 32)
      let word = 0
      for (let i = 0; i < end; i++) {
        // Inside where neither distance is negative; without a branch, which random numbers would mispredict.
        const above = (low[w * 32 + i] - least) | 0
        word |= (~(above | ((span - above) | 0)) >>> 31) << i
      }
      out[at + w] = word
      any |= word
    }
    return any !== 0
  }
}

const wide = new Float64Array(VALUES_PER_GROUP)

function matchWide(
  sequence: PackedSequence,
  g: number,
  count: number,
  from: number,
  to: number,
  out: Uint32Array,
  at: number,
): boolean {
  sequence.decode(g, wide)
  return matchFloats(wide, 0, count, from, to, out, at)
}

/** As `PackedSequence.match` for `count` plain numbers from `values[start]` on. */
export function matchFloats(
  values: Float64Array,
  start: number,
  count: number,
  from: number,
  to: number,
  out: Uint32Array,
  at: number,
): boolean {
  let any = 0
  for (let w = 0; w < 4; w++) {
    const end = Math.min(32, count - w * 32)
    let word = 0
    for (let i = 0; i < end; i++) {
      const value = values[start + w * 32 + i]
      if (value >= from && value <= to) word |= 1 << i
    }
    out[at + w] = word
    any |= word
  }
  return any !== 0
}

/** Turns the first `count` of 128 bits on. */
export function fillBits(count: number, out: Uint32Array, at: number): void {
  for (let w = 0; w < 4; w++) {
    const left = count - w * 32
    out[at + w] = left >= 32 ? 0xffffffff : left > 0 ? (1 << left) - 1 : 0
  }
}
