/**
 * Writes where the occurrences of a term stand in the texts, beside their positions: for each the distance of its start
 * to that of the one before in the document (the first: to 0) and its length; see INDEX-FORMAT.md.
 */
import type { CheckedOutput } from '../store/checked-output.js'
import { BLOCK_SIZE, bitsNeeded, pack } from './bit-packing.js'
import { IntBuffer } from './int-buffer.js'
import { PACKED_LENGTH, type TermEntry } from './term-entry.js'

/** Gathers the offsets of one term. */
export class OffsetsWriter {
  readonly #starts = new Int32Array(BLOCK_SIZE)
  readonly #lengths = new Int32Array(BLOCK_SIZE)
  #pending = 0
  #firstStart = 0
  #firstLength = 0
  #doc = -1
  #lastStart = 0
  readonly #blocks = new IntBuffer()
  readonly #ends = new IntBuffer()

  /** Begins a term. */
  startTerm(): void {
    this.#pending = 0
    this.#doc = -1
    this.#blocks.length = 0
    this.#ends.length = 0
  }

  /**
   * Adds an occurrence.
   * @param start first UTF-16 unit, not smaller than that of the occurrence before in the document
   * @param end one past the last unit
   */
  add(doc: number, start: number, end: number): void {
    if (this.#doc < 0) {
      this.#firstStart = start
      this.#firstLength = end - start
    }
    if (this.#doc !== doc) this.#lastStart = 0
    this.#doc = doc
    this.#starts[this.#pending] = start - this.#lastStart
    this.#lengths[this.#pending++] = end - start
    this.#lastStart = start
    if (this.#pending === BLOCK_SIZE) this.#packBlock()
  }

  /** Writes the list behind the positions of the term, and where it is into the entry. */
  write(output: CheckedOutput, entry: TermEntry): void {
    if (entry.totalTermFreq === 1) {
      entry.singleOffset = this.#firstStart
      entry.singleOffsetLength = this.#firstLength
      return
    }
    if (entry.totalTermFreq >= PACKED_LENGTH) output.align()
    entry.offsetsStart = output.position
    output.writeWords(this.#ends.words, this.#ends.length)
    output.writeWords(this.#blocks.words, this.#blocks.length)
    for (let i = 0; i < this.#pending; i++) {
      output.writeVarint(this.#starts[i])
      output.writeVarint(this.#lengths[i])
    }
    entry.offsetsLength = output.position - entry.offsetsStart
  }

  #packBlock(): void {
    const blocks = this.#blocks
    const startBits = bitsNeeded(this.#starts, BLOCK_SIZE)
    const lengthBits = bitsNeeded(this.#lengths, BLOCK_SIZE)
    blocks.reserve(1 + 4 * (startBits + lengthBits))
    blocks.words[blocks.length] = startBits | (lengthBits << 8)
    pack(startBits, this.#starts, blocks.words, blocks.length + 1)
    pack(lengthBits, this.#lengths, blocks.words, blocks.length + 1 + 4 * startBits)
    blocks.length += 1 + 4 * (startBits + lengthBits)
    this.#ends.push(blocks.length)
    this.#pending = 0
  }
}
