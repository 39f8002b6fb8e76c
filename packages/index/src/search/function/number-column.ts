/**
 * The numbers of a field by document, unpacked, and the least and greatest of each 1,024 documents: what a function reads
 * once a document, and what bounds it. 4 bytes a document where the numbers have no more than 24 bits or need not be
 * exact, 8 otherwise; kept as long as the column is open.
 */
import type { DocValues } from '../../codec/doc-values.js'

const BLOCK_BITS = 10
/** The greatest number of 32 bits that is finite. */
const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127

/** The greatest number of each document; NaN: none. */
export class NumberColumn {
  readonly numbers: Float32Array | Float64Array
  /** By block of documents; Infinity and −Infinity where none has a number. */
  readonly mins: Float64Array
  readonly maxs: Float64Array
  /** By block: 1 where a document has no number. */
  readonly gaps: Uint8Array

  constructor(numbers: Float32Array | Float64Array) {
    this.numbers = numbers
    const blocks = NumberColumn.blockOf(numbers.length - 1) + 1
    this.mins = new Float64Array(blocks).fill(Infinity)
    this.maxs = new Float64Array(blocks).fill(-Infinity)
    this.gaps = new Uint8Array(blocks)
    for (let doc = 0; doc < numbers.length; doc++) {
      const b = NumberColumn.blockOf(doc)
      const x = numbers[doc]!
      if (Number.isNaN(x)) this.gaps[b] = 1
      else {
        if (x < this.mins[b]!) this.mins[b] = x
        if (x > this.maxs[b]!) this.maxs[b] = x
      }
    }
  }

  static blockOf(doc: number): number {
    return doc >> BLOCK_BITS
  }

  /** @param flat whether rounded numbers will do */
  static of(values: DocValues, flat: boolean): NumberColumn {
    let known = columns.get(values)
    if (known === undefined) {
      known = {}
      columns.set(values, known)
    }
    const found = flat ? known.rounded : known.exact
    if (found !== undefined) return found
    const rounded = new Float32Array(values.maxDoc).fill(Number.NaN)
    const exact = flat ? null : new Float64Array(values.maxDoc).fill(Number.NaN)
    let lossless = true
    for (let doc = 0; doc < rounded.length; doc++) {
      if (!values.has(doc)) continue
      const x = values.value(values.last(doc))
      rounded[doc] = Math.max(-MAX_FLOAT32, Math.min(x, MAX_FLOAT32))
      if (exact === null) continue
      exact[doc] = x
      if (rounded[doc] !== x) lossless = false
    }
    if (exact === null) known.rounded = new NumberColumn(rounded)
    else if (!lossless) known.exact = new NumberColumn(exact)
    else {
      known.rounded ??= new NumberColumn(rounded)
      known.exact = known.rounded
    }
    return (flat ? known.rounded : known.exact)!
  }
}

/** Columns that functions have asked for. */
const columns = new WeakMap<DocValues, { rounded?: NumberColumn; exact?: NumberColumn }>()
