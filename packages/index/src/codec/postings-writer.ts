/**
 * Writes the postings and positions of term after term. A list of fewer than 128 documents is a run of varints; a
 * longer one has a table with a 16-byte entry a block (in columns), packed blocks and a varint tail: see INDEX-FORMAT.md.
 * Memory: the encoded list of one term.
 */
import { ByteWriter } from '@spindle/core'
import { type FieldInfo, hasOffsets } from '../document/field-info.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { BLOCK_SIZE, bitsNeeded, pack } from './bit-packing.js'
import { packImpacts } from './impacts.js'
import { IntBuffer } from './int-buffer.js'
import { OffsetsWriter } from './offsets-writer.js'
import { PACKED_LENGTH, TermEntry } from './term-entry.js'

/** Highest frequency in a document that a block can hold. */
export const MAX_FREQ = 1 << 30

/** Turns documents, frequencies and positions into the two files of a segment. */
export class PostingsWriter {
  readonly #postings: CheckedOutput
  readonly #positions: CheckedOutput
  #hasFreqs = false
  #hasPositions = false
  #hasOffsets = false
  #hasImpacts = false
  #averageLength = 1

  readonly #entry = new TermEntry()
  #docFreq = 0
  #totalTermFreq = 0
  #firstDoc = 0
  #lastDoc = -1
  #firstPosition = 0
  #lastPosition = 0

  // The block being filled, and the blocks and table columns of the term so far.
  readonly #deltas = new Int32Array(BLOCK_SIZE)
  readonly #freqs = new Int32Array(BLOCK_SIZE)
  readonly #norms = new Int32Array(BLOCK_SIZE)
  #pending = 0
  readonly #blocks = new IntBuffer(4096)
  readonly #lastDocs = new IntBuffer()
  readonly #offsets = new IntBuffer()
  readonly #positionIndexes = new IntBuffer()
  readonly #impacts = new IntBuffer()
  readonly #tail = new ByteWriter(1024)

  readonly #positionDeltas = new Int32Array(BLOCK_SIZE)
  #pendingPositions = 0
  readonly #positionBlocks = new IntBuffer(4096)
  readonly #positionEnds = new IntBuffer()
  readonly #textOffsets = new OffsetsWriter()

  constructor(postings: CheckedOutput, positions: CheckedOutput) {
    this.#postings = postings
    this.#positions = positions
  }

  /** @param info sums that are known so far: they only weigh the choice of impacts */
  startField(info: FieldInfo): void {
    this.#hasPositions = info.options === 'positions'
    this.#hasOffsets = hasOffsets(info)
    this.#hasFreqs = info.options === 'freqs' || this.#hasPositions
    this.#hasImpacts = this.#hasFreqs || info.norms
    this.#averageLength = info.docCount > 0 ? Math.max(1, info.sumTotalTermFreq / info.docCount) : 1
  }

  /** Documents added to the current term. */
  get docFreq(): number {
    return this.#docFreq
  }

  /** Begins a term; one that was begun and not finished leaves nothing. */
  startTerm(): void {
    this.#docFreq = 0
    this.#totalTermFreq = 0
    this.#lastDoc = -1
    this.#pending = 0
    this.#blocks.length = 0
    this.#lastDocs.length = 0
    this.#offsets.length = 0
    this.#positionIndexes.length = 0
    this.#impacts.length = 0
    this.#pendingPositions = 0
    this.#positionBlocks.length = 0
    this.#positionEnds.length = 0
    if (this.#hasOffsets) this.#textOffsets.startTerm()
  }

  /** @param doc greater than the one before. @param freq 1 where the field keeps none. @param norm norm byte */
  addDoc(doc: number, freq: number, norm: number): void {
    if (this.#pending === 0) {
      this.#offsets.push(this.#blocks.length)
      this.#positionIndexes.push(this.#totalTermFreq)
    }
    if (this.#docFreq === 0) this.#firstDoc = doc
    const i = this.#pending++
    this.#deltas[i] = doc - this.#lastDoc - 1
    this.#freqs[i] = freq
    this.#norms[i] = norm
    this.#lastDoc = doc
    this.#lastPosition = 0
    this.#docFreq++
    this.#totalTermFreq += freq
    if (this.#pending === BLOCK_SIZE) this.#packBlock()
  }

  /** Absolute position of an occurrence in the document added last, not smaller than the one before. */
  addPosition(position: number): void {
    if (this.#pendingPositions === 0 && this.#positionEnds.length === 0) this.#firstPosition = position
    this.#positionDeltas[this.#pendingPositions++] = position - this.#lastPosition
    this.#lastPosition = position
    if (this.#pendingPositions === BLOCK_SIZE) this.#packPositions()
  }

  /** UTF-16 range in the text of the occurrence whose position was added last. */
  addOffsets(start: number, end: number): void {
    this.#textOffsets.add(this.#lastDoc, start, end)
  }

  /** Writes the list. @returns the dictionary entry, valid until the next call */
  finishTerm(): TermEntry {
    const entry = this.#entry
    entry.docFreq = this.#docFreq
    entry.totalTermFreq = this.#hasFreqs ? this.#totalTermFreq : this.#docFreq
    entry.singleDoc = -1
    entry.singlePosition = -1
    entry.postingsLength = 0
    entry.positionsLength = 0
    entry.offsetsLength = 0
    if (this.#docFreq >= PACKED_LENGTH) this.#postings.align()
    entry.postingsStart = this.#postings.position
    if (this.#docFreq === 1) {
      entry.singleDoc = this.#firstDoc
    } else {
      if (this.#pending > 0) this.#endTail()
      if (this.#docFreq >= PACKED_LENGTH) this.#writeTable()
      this.#postings.writeWords(this.#blocks.words, this.#blocks.length)
      if (this.#pending > 0) this.#postings.writeBytes(this.#tail.view())
      entry.postingsLength = this.#postings.position - entry.postingsStart
    }
    if (this.#hasPositions) this.#writePositions(entry)
    if (this.#hasOffsets) this.#textOffsets.write(this.#positions, entry)
    return entry
  }

  #packBlock(): void {
    const blocks = this.#blocks
    const freqs = this.#freqs
    if (this.#hasImpacts) this.#impacts.push(packImpacts(freqs, this.#norms, BLOCK_SIZE, this.#averageLength))
    const deltaBits = bitsNeeded(this.#deltas, BLOCK_SIZE)
    let freqBits = 0
    if (this.#hasFreqs) {
      for (let i = 0; i < BLOCK_SIZE; i++) freqs[i]--
      freqBits = bitsNeeded(freqs, BLOCK_SIZE)
    }
    blocks.reserve(1 + 4 * (deltaBits + freqBits))
    blocks.words[blocks.length] = deltaBits | (freqBits << 8)
    pack(deltaBits, this.#deltas, blocks.words, blocks.length + 1)
    pack(freqBits, freqs, blocks.words, blocks.length + 1 + 4 * deltaBits)
    blocks.length += 1 + 4 * (deltaBits + freqBits)
    this.#lastDocs.push(this.#lastDoc)
    this.#pending = 0
  }

  #endTail(): void {
    const tail = this.#tail
    tail.reset()
    for (let i = 0; i < this.#pending; i++) {
      const freq = this.#freqs[i]
      if (!this.#hasFreqs) {
        tail.writeVarint(this.#deltas[i])
      } else if (freq === 1) {
        tail.writeVarint(this.#deltas[i] * 2)
      } else {
        tail.writeVarint(this.#deltas[i] * 2 + 1)
        tail.writeVarint(freq)
      }
    }
    if (this.#hasImpacts) this.#impacts.push(packImpacts(this.#freqs, this.#norms, this.#pending, this.#averageLength))
    this.#lastDocs.push(this.#lastDoc)
  }

  #writeTable(): void {
    const count = this.#lastDocs.length
    this.#postings.writeWords(this.#lastDocs.words, count)
    this.#postings.writeWords(this.#offsets.words, count)
    if (this.#hasPositions) this.#postings.writeWords(this.#positionIndexes.words, count)
    if (this.#hasImpacts) this.#postings.writeWords(this.#impacts.words, count)
  }

  #packPositions(): void {
    const blocks = this.#positionBlocks
    const bits = bitsNeeded(this.#positionDeltas, BLOCK_SIZE)
    blocks.reserve(4 * bits)
    pack(bits, this.#positionDeltas, blocks.words, blocks.length)
    blocks.length += 4 * bits
    this.#positionEnds.push(blocks.length)
    this.#pendingPositions = 0
  }

  #writePositions(entry: TermEntry): void {
    const output = this.#positions
    if (entry.totalTermFreq >= PACKED_LENGTH) output.align()
    entry.positionsStart = output.position
    if (entry.totalTermFreq === 1) {
      entry.singlePosition = this.#firstPosition
      return
    }
    output.writeWords(this.#positionEnds.words, this.#positionEnds.length)
    output.writeWords(this.#positionBlocks.words, this.#positionBlocks.length)
    for (let i = 0; i < this.#pendingPositions; i++) output.writeVarint(this.#positionDeltas[i])
    entry.positionsLength = output.position - entry.positionsStart
  }
}
