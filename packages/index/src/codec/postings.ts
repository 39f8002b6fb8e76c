/**
 * The postings list of one term in one segment, decoded block by block into arrays of the caller: nothing is allocated
 * a block, and nothing is read twice. One class for every kind of list, because calls through several classes cost more
 * than the decoding (0.15 µs a block).
 */
import type { FieldInfo } from '../document/field-info.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { BLOCK_SIZE } from './bit-packing.js'
import { unpack } from './bit-unpacking.js'
import { NO_NORM, packImpacts, unpackImpacts } from './impacts.js'
import { PACKED_LENGTH, type TermEntry } from './term-entry.js'

/** Bytes of a file, or of a range of it, in memory; starts at a multiple of 4 of a buffer. */
export interface LoadedRange {
  /** File name for messages. */
  readonly file: string
  readonly bytes: Uint8Array
  /** The same memory as words. */
  readonly words: Int32Array
  /** Offset in the file of `bytes[0]`. */
  readonly start: number
}

/** What a list needs to know of its segment. */
export interface PostingsContext {
  readonly info: FieldInfo
  readonly maxDoc: number
  /** Norm bytes of the field, or null. */
  readonly norms: Uint8Array | null
}

const NO_WORDS = new Int32Array(0)
const NO_RANGE: LoadedRange = { file: '', bytes: new Uint8Array(0), words: NO_WORDS, start: 0 }
/** Documents and frequencies of a short list while its impacts are computed. */
const scratchDocs = new Int32Array(BLOCK_SIZE)
const scratchFreqs = new Int32Array(BLOCK_SIZE)
const scratchNorms = new Int32Array(BLOCK_SIZE)

/** Turns 128 deltas of at most 23 bits into documents, whose sum cannot leave 31 bits but by a wrong `doc`. @returns the last */
function addUp(docs: Int32Array, doc: number): number {
  // Four at a time: a third faster than one by one.
  for (let i = 0; i < BLOCK_SIZE; i += 4) {
    const a = (doc + docs[i] + 1) | 0
    const b = (a + docs[i + 1] + 1) | 0
    const c = (b + docs[i + 2] + 1) | 0
    doc = (c + docs[i + 3] + 1) | 0
    docs[i] = a
    docs[i + 1] = b
    docs[i + 2] = c
    docs[i + 3] = doc
  }
  return doc
}

/** The same for any deltas: a sum over 31 bits comes back as such. */
function addUpLarge(docs: Int32Array, doc: number): number {
  for (let i = 0; i < BLOCK_SIZE; i++) {
    doc += docs[i] + 1
    docs[i] = doc
  }
  return doc
}

/** Postings of one term. Documents are ids of the segment. Not shared between concurrent computations. */
export class Postings {
  readonly docFreq: number
  readonly totalTermFreq: number
  /** Blocks of 128 documents; the last one may be shorter. */
  readonly blockCount: number
  /** Last document of each block, ascending. */
  readonly lastDoc: Int32Array

  readonly #file: string
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  /** Offset in the file of `#bytes[0]`. */
  readonly #start: number
  readonly #maxDoc: number
  readonly #hasFreqs: boolean
  readonly #singleDoc: number
  /** Columns of the table. */
  readonly #offsets: Int32Array
  readonly #positionIndexes: Int32Array
  readonly #impacts: Int32Array
  /** Word where block offsets start, first word after the list, byte after the list. */
  readonly #blocksAt: number
  readonly #endWord: number
  readonly #endByte: number
  /** Byte where a list without table starts. */
  readonly #startByte: number
  /** Where the next varint is. */
  #cursor = 0

  readonly #info: FieldInfo
  readonly #norms: Uint8Array | null
  /** Impacts of a list without table; 0: not computed yet. */
  #ownImpacts = 0

  readonly #positions: LoadedRange | null
  readonly #positionsAt: number
  readonly #positionsEnd: number
  readonly #singlePosition: number
  /** Differences between positions; one more than a block, so that who goes through it may look one too far. */
  readonly #positionBlock: Int32Array
  #positionBlockNumber = -1

  /**
   * @param entry its ranges lie inside of the two files
   * @param postings holds the list's range; null for a single document
   * @param positions holds the positions' range; null where they are not wanted or there is none
   */
  constructor(
    context: PostingsContext,
    entry: TermEntry,
    postings: LoadedRange | null,
    positions: LoadedRange | null,
    wantsPositions: boolean,
  ) {
    const { info } = context
    const range = postings ?? NO_RANGE
    this.docFreq = entry.docFreq
    this.totalTermFreq = entry.totalTermFreq
    this.blockCount = Math.ceil(entry.docFreq / BLOCK_SIZE)
    this.#file = range.file
    this.#bytes = range.bytes
    this.#words = range.words
    this.#start = range.start
    this.#maxDoc = context.maxDoc
    this.#info = info
    this.#norms = context.norms
    this.#hasFreqs = info.options === 'freqs' || info.options === 'positions'
    this.#singleDoc = entry.singleDoc

    const at = entry.postingsStart - range.start
    this.#startByte = at
    this.#endByte = at + entry.postingsLength
    this.#endWord = this.#endByte >>> 2
    this.#blocksAt = 0
    this.#offsets = NO_WORDS
    this.#positionIndexes = NO_WORDS
    this.#impacts = NO_WORDS
    if (entry.docFreq >= PACKED_LENGTH) {
      const count = this.blockCount
      const hasImpacts = this.#hasFreqs || info.norms
      let word = at >>> 2
      const columns = 2 + (info.options === 'positions' ? 1 : 0) + (hasImpacts ? 1 : 0)
      if (word + columns * count > this.#endWord) {
        throw indexCorrupt(
          range.file,
          entry.postingsStart,
          `a table of ${count} blocks`,
          `${entry.postingsLength} bytes`,
        )
      }
      this.lastDoc = range.words.subarray(word, word + count)
      word += count
      this.#offsets = range.words.subarray(word, word + count)
      word += count
      if (info.options === 'positions') {
        this.#positionIndexes = range.words.subarray(word, word + count)
        word += count
      }
      if (hasImpacts) {
        this.#impacts = range.words.subarray(word, word + count)
        word += count
      }
      this.#blocksAt = word
    } else {
      this.#cursor = at
      this.lastDoc = new Int32Array(1)
      this.lastDoc[0] = entry.singleDoc >= 0 ? entry.singleDoc : this.#lastOfTail()
    }

    this.#positions = positions
    this.#singlePosition = wantsPositions ? entry.singlePosition : -1
    this.#positionsAt = positions === null ? 0 : entry.positionsStart - positions.start
    this.#positionsEnd = this.#positionsAt + entry.positionsLength
    this.#positionBlock = positions === null ? NO_WORDS : new Int32Array(BLOCK_SIZE + 1)
  }

  /**
   * Decodes the documents of block `b` into `docs` (room for 128).
   * @returns how many
   * @throws SpindleError INDEX_CORRUPT
   */
  decodeDocs(b: number, docs: Int32Array): number {
    if (this.#singleDoc >= 0) {
      docs[0] = this.#singleDoc
      return 1
    }
    const length = this.#blockLength(b)
    const before = b === 0 ? -1 : this.lastDoc[b - 1]
    let doc = before
    if (length === BLOCK_SIZE) {
      const at = this.#packedBlock(b)
      const bits = this.#words[at] & 0xff
      unpack(bits, this.#words, at + 1, docs)
      doc = bits <= 23 ? addUp(docs, doc) : addUpLarge(docs, doc)
    } else {
      this.#cursor = this.#tailAt(b)
      for (let i = 0; i < length; i++) {
        const code = this.#varint()
        if (!this.#hasFreqs) {
          doc += code + 1
        } else {
          doc += Math.floor(code / 2) + 1
          if ((code & 1) !== 0) this.#varint()
        }
        docs[i] = doc
      }
    }
    // Deltas are never negative: when the last document is right and inside the segment, so are all of them.
    const inside = before >= -1 && doc > before && doc < this.#maxDoc
    if (!inside || doc !== this.lastDoc[b]) this.#corrupt(b, `last document ${this.lastDoc[b]}`, doc)
    return length
  }

  /**
   * Decodes the frequencies of block `b` into `freqs` (room for 128); all ones where the field keeps none.
   * @returns how many
   * @throws SpindleError INDEX_CORRUPT
   */
  decodeFreqs(b: number, freqs: Int32Array): number {
    if (this.#singleDoc >= 0) {
      freqs[0] = this.totalTermFreq
      return 1
    }
    const length = this.#blockLength(b)
    if (!this.#hasFreqs) {
      freqs.fill(1, 0, length)
    } else if (length === BLOCK_SIZE) {
      const at = this.#packedBlock(b)
      const header = this.#words[at]
      unpack((header >>> 8) & 0xff, this.#words, at + 1 + 4 * (header & 0xff), freqs)
      let sum = BLOCK_SIZE
      for (let i = 0; i < BLOCK_SIZE; i += 4) {
        const first = freqs[i]
        const second = freqs[i + 1]
        const third = freqs[i + 2]
        const fourth = freqs[i + 3]
        sum += first + second + third + fourth
        freqs[i] = first + 1
        freqs[i + 1] = second + 1
        freqs[i + 2] = third + 1
        freqs[i + 3] = fourth + 1
      }
      if (sum > this.totalTermFreq) this.#corrupt(b, `at most ${this.totalTermFreq} occurrences`, sum)
    } else {
      this.#cursor = this.#tailAt(b)
      let sum = 0
      for (let i = 0; i < length; i++) {
        const freq = (this.#varint() & 1) === 0 ? 1 : this.#varint()
        freqs[i] = freq
        sum += freq === 0 ? Number.POSITIVE_INFINITY : freq
      }
      if (!(sum <= this.totalTermFreq)) this.#corrupt(b, `at most ${this.totalTermFreq} occurrences`, sum)
    }
    return length
  }

  /**
   * Writes pairs [freq, norm] such that every posting of block `b` has no higher frequency and no smaller norm than one
   * of them. Norm is 1 where the field keeps no norms; a frequency of 255 or more may come back as 2^31 − 1.
   * @param out room for 4
   * @returns number of pairs: 1 or 2
   */
  impacts(b: number, out: Int32Array): number {
    if (this.#impacts.length > 0) return unpackImpacts(this.#impacts[b], out)
    if (!this.#hasFreqs && this.#norms === null) {
      out[0] = 1
      out[1] = NO_NORM
      return 1
    }
    if (this.#ownImpacts === 0) this.#ownImpacts = this.#computeImpacts()
    return unpackImpacts(this.#ownImpacts, out)
  }

  /**
   * Absolute positions, ascending, of one document of block `b`, written from `out[outOffset]` on.
   * @param freqBefore sum of the frequencies of the documents before it in the block
   * @param freq its frequency: so many positions are written
   * @throws SpindleError INDEX_CORRUPT
   */
  positions(b: number, freqBefore: number, freq: number, out: Int32Array, outOffset: number): void {
    if (this.#positions === null) {
      if (this.#singlePosition < 0) throw new Error('this list was loaded without positions')
      out[outOffset] = this.#singlePosition
      return
    }
    let index = this.occurrence(b, freqBefore)
    if (index + freq > this.totalTermFreq)
      this.#corruptPositions(`at most ${this.totalTermFreq} positions`, index + freq)
    const block = this.#positionBlock
    let position = 0
    for (let n = 0; n < freq; n++, index++) {
      if (index >>> 7 !== this.#positionBlockNumber) this.#loadPositions(index >>> 7)
      position += block[index & 127]
      out[outOffset + n] = position
    }
    if (!(position <= 0x7fffffff)) this.#corruptPositions('a position below 2^31', position)
  }

  /** What {@link Postings.locatePositions} has found, until it or `positions` is asked again. A place more than it may tell of can be read. */
  get positionDifferences(): Int32Array {
    return this.#positionBlock
  }

  /**
   * Where the differences between the positions of a document start in `positionDifferences`, the first of which is its
   * first position; −1 where they are not all in one block: then only `positions` has them. Parameters as for it.
   * @throws SpindleError INDEX_CORRUPT
   */
  locatePositions(b: number, freqBefore: number, freq: number): number {
    const index = this.occurrence(b, freqBefore)
    const at = index & (BLOCK_SIZE - 1)
    if (this.#positions === null || at + freq > BLOCK_SIZE) return -1
    if (index + freq > this.totalTermFreq)
      this.#corruptPositions(`at most ${this.totalTermFreq} positions`, index + freq)
    if (index >>> 7 !== this.#positionBlockNumber) this.#loadPositions(index >>> 7)
    return at
  }

  /** Place of an occurrence among all of the term: the first one of a document of block `b`, parameter as for `positions`. */
  occurrence(b: number, freqBefore: number): number {
    return freqBefore + (this.#positionIndexes.length > 0 ? this.#positionIndexes[b] >>> 0 : 0)
  }

  #blockLength(b: number): number {
    return b < this.blockCount - 1 ? BLOCK_SIZE : this.docFreq - b * BLOCK_SIZE
  }

  /** Word of a packed block's header, after comparing that the block lies inside of the list. */
  #packedBlock(b: number): number {
    const at = this.#blocksAt + this.#offsets[b]
    if (!(at >= this.#blocksAt && at < this.#endWord)) this.#corrupt(b, 'a block inside of the list', this.#offsets[b])
    const header = this.#words[at]
    const deltaBits = header & 0xff
    const freqBits = (header >>> 8) & 0xff
    if (header >>> 16 !== 0 || deltaBits > 31 || freqBits > 30 || at + 1 + 4 * (deltaBits + freqBits) > this.#endWord) {
      this.#corrupt(b, 'the header word of a block', header)
    }
    return at
  }

  /** Byte where the varints of a short block start. */
  #tailAt(b: number): number {
    if (this.#offsets.length === 0) return this.#startByte
    const at = (this.#blocksAt + this.#offsets[b]) * 4
    if (!(this.#offsets[b] >= 0 && at < this.#endByte)) this.#corrupt(b, 'a block inside of the list', this.#offsets[b])
    return at
  }

  #lastOfTail(): number {
    let doc = -1
    for (let i = 0; i < this.docFreq; i++) {
      const code = this.#varint()
      if (!this.#hasFreqs) {
        doc += code + 1
      } else {
        doc += Math.floor(code / 2) + 1
        if ((code & 1) !== 0) this.#varint()
      }
    }
    if (doc >= this.#maxDoc) this.#corrupt(0, `a document below ${this.#maxDoc}`, doc)
    return doc
  }

  #varint(): number {
    const bytes = this.#bytes
    let at = this.#cursor
    let value = 0
    let scale = 1
    for (let i = 0; i < 5 && at < this.#endByte; i++) {
      const byte = bytes[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#cursor = at
        return value
      }
      scale *= 128
    }
    throw indexCorrupt(this.#file, this.#start + this.#cursor, 'a varint of 5 bytes at most', 'a longer one or the end')
  }

  #computeImpacts(): number {
    const length = this.decodeDocs(0, scratchDocs)
    this.decodeFreqs(0, scratchFreqs)
    for (let i = 0; i < length; i++) scratchNorms[i] = this.#norms === null ? NO_NORM : this.#norms[scratchDocs[i]]
    const { docCount, sumTotalTermFreq } = this.#info
    const average = docCount > 0 ? Math.max(1, sumTotalTermFreq / docCount) : 1
    return packImpacts(scratchFreqs, scratchNorms, length, average)
  }

  #loadPositions(number: number): void {
    const range = this.#positions!
    const full = Math.floor(this.totalTermFreq / BLOCK_SIZE)
    const table = this.#positionsAt >>> 2
    const blocksAt = table + full
    const block = this.#positionBlock
    this.#positionBlockNumber = -1
    if (full > 0 && blocksAt * 4 > this.#positionsEnd) this.#corruptPositions(`a table of ${full} blocks`, 'the end')
    if (number < full) {
      const start = number === 0 ? 0 : range.words[table + number - 1]
      const end = range.words[table + number]
      const bits = (end - start) / 4
      const inside = start >= 0 && end >= start && (blocksAt + end) * 4 <= this.#positionsEnd
      if (!inside || bits > 31 || bits !== Math.floor(bits)) this.#corruptPositions('a block of positions', bits)
      unpack(bits, range.words, blocksAt + start, block)
    } else {
      const start = full === 0 ? 0 : range.words[table + full - 1]
      let at = full === 0 ? this.#positionsAt : (blocksAt + start) * 4
      const length = this.totalTermFreq - full * BLOCK_SIZE
      const bytes = range.bytes
      for (let i = 0; i < length; i++) {
        let value = 0
        let scale = 1
        let byte = 0x80
        for (let k = 0; k < 5 && byte >= 0x80; k++) {
          if (!(at >= this.#positionsAt && at < this.#positionsEnd)) this.#corruptPositions('a position', 'the end')
          byte = bytes[at++]
          value += (byte & 0x7f) * scale
          scale *= 128
        }
        if (value > 0x7fffffff) this.#corruptPositions('a position below 2^31', value)
        block[i] = value
      }
    }
    this.#positionBlockNumber = number
  }

  #corrupt(b: number, expected: string, found: number): never {
    const at = this.#offsets.length > 0 ? (this.#blocksAt + this.#offsets[b]) * 4 : this.#cursor
    throw indexCorrupt(this.#file, this.#start + at, expected, found)
  }

  #corruptPositions(expected: string, found: number | string): never {
    const file = this.#positions?.file ?? this.#file
    throw indexCorrupt(file, (this.#positions?.start ?? 0) + this.#positionsAt, expected, found)
  }
}
