/** A growing byte buffer with the encodings of every file of ours: little-endian words, varints, length-prefixed UTF-8. */
export class ByteWriter {
  #bytes: Buffer
  #length = 0

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(Math.max(16, capacity))
  }

  get length(): number {
    return this.#length
  }

  /** Forgets what was written and keeps the memory. */
  reset(): void {
    this.#length = 0
  }

  /** What has been written: a view, valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }

  writeByte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** A 32-bit word, little-endian; signed and unsigned alike. */
  writeInt32(value: number): void {
    this.#reserve(4)
    this.#bytes[this.#length] = value
    this.#bytes[this.#length + 1] = value >>> 8
    this.#bytes[this.#length + 2] = value >>> 16
    this.#bytes[this.#length + 3] = value >>> 24
    this.#length += 4
  }

  writeFloat64(value: number): void {
    this.#reserve(8)
    this.#bytes.writeDoubleLE(value, this.#length)
    this.#length += 8
  }

  /** An integer from 0 to 2^53 − 1, seven bits a byte, low bits first, the high bit set on all but the last. */
  writeVarint(value: number): void {
    this.#reserve(8)
    while (value > 0x7f) {
      this.#bytes[this.#length++] = (value % 128) | 0x80
      value = value < 0x80000000 ? value >>> 7 : Math.floor(value / 128)
    }
    this.#bytes[this.#length++] = value
  }

  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Byte length as varint, then UTF-8. Lone surrogates become U+FFFD. */
  writeString(text: string): void {
    const length = Buffer.byteLength(text)
    this.writeVarint(length)
    this.#reserve(length)
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }
}
