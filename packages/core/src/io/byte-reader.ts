/**
 * Reads what {@link ByteWriter} writes. Every read is checked against the end, so that a damaged length gives a
 * RangeError at once and never an endless loop or a huge allocation; who opens a file turns it into its own error.
 */
export class ByteReader {
  readonly #bytes: Buffer
  #position: number
  readonly #end: number

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#position = position
    this.#end = Math.min(end, bytes.length)
  }

  get position(): number {
    return this.#position
  }

  set position(value: number) {
    if (!(value >= 0 && value <= this.#end)) throw new RangeError(`position ${value} is outside 0–${this.#end}`)
    this.#position = value
  }

  get remaining(): number {
    return this.#end - this.#position
  }

  #take(count: number): number {
    const at = this.#position
    if (!(count >= 0 && count <= this.#end - at))
      throw new RangeError(`${count} bytes wanted at ${at}, ${this.#end - at} are left`)
    this.#position = at + count
    return at
  }

  readByte(): number {
    return this.#bytes[this.#take(1)]!
  }

  /** A signed 32-bit word. */
  readInt32(): number {
    return this.#bytes.readInt32LE(this.#take(4))
  }

  /** An unsigned 32-bit word. */
  readUint32(): number {
    return this.#bytes.readUInt32LE(this.#take(4))
  }

  readFloat64(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  /** @throws RangeError past the end, or where the value is over 2^53 − 1 */
  readVarint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 8; i++) {
      const byte = this.readByte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      scale *= 128
    }
    throw new RangeError(`the varint before ${this.#position} is too long`)
  }

  /** A view of the next bytes, not a copy. */
  readBytes(count: number): Buffer {
    const at = this.#take(count)
    return this.#bytes.subarray(at, at + count)
  }

  readString(): string {
    const length = this.readVarint()
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }
}
