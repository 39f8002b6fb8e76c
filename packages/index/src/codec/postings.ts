/** The postings list of one term in one segment (signatures; the decoder follows). */
export declare class Postings {
  readonly docFreq: number
  readonly totalTermFreq: number
  /** Blocks of 128 documents; the last one may be shorter. */
  readonly blockCount: number
  /** Last document of each block, ascending. */
  readonly lastDoc: Int32Array
  /** Decodes the documents of block `b` into `docs` (room for 128). @returns how many */
  decodeDocs(b: number, docs: Int32Array): number
  /** Decodes the frequencies of block `b`; all ones where the field keeps none. @returns how many */
  decodeFreqs(b: number, freqs: Int32Array): number
  /**
   * Pairs (frequency, norm byte), at most 2, such that every document of block `b` has no higher frequency and no
   * smaller norm than one of them: [freq0, norm0, freq1, norm1]. Norm is 1 where the field keeps no norms.
   * A frequency of 255 or more comes back as 2^31 − 1.
   * @returns the number of pairs
   */
  impacts(b: number, out: Int32Array): number
  /**
   * Absolute positions, ascending, of one document of block `b`, written from `out[outOffset]` on.
   * @param freqBefore sum of the frequencies of the documents before it in the block
   * @param freq its frequency: so many positions are written
   */
  positions(b: number, freqBefore: number, freq: number, out: Int32Array, outOffset: number): void
}
