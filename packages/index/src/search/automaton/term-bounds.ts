/** A range of terms as bytes. */
import { compareBytes } from '../../codec/terms-index.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../../codec/utf8.js'

/** Bounds of a range of terms; null: open. */
export interface TermRange {
  readonly lower: string | null
  readonly upper: string | null
  readonly includeLower: boolean
  readonly includeUpper: boolean
}

/** The bytes from `from` to before `end`, in the order of the dictionary; null: open. */
export class TermBounds {
  readonly from: Uint8Array | null
  readonly end: Uint8Array | null

  constructor({ lower, upper, includeLower, includeUpper }: TermRange) {
    this.from = lower === null ? null : encode(lower, !includeLower)
    this.end = upper === null ? null : encode(upper, includeUpper)
  }

  /** Whether a term is in the range. */
  has(term: string): boolean {
    const bytes = encode(term, false)
    return (
      (this.from === null || compareBytes(bytes, bytes.length, this.from, this.from.length) >= 0) &&
      this.isBeforeEnd(bytes, bytes.length)
    )
  }

  /** Whether the term in `bytes[0 … length)` lies before the end. */
  isBeforeEnd(bytes: Uint8Array, length: number): boolean {
    return this.end === null || compareBytes(bytes, length, this.end, this.end.length) < 0
  }
}

/** UTF-8 of a text; with `next`, of the first one behind it. */
function encode(text: string, next: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * MAX_UTF8_BYTES_PER_UNIT + 1)
  return bytes.slice(0, encodeUtf8(text, bytes) + (next ? 1 : 0))
}
