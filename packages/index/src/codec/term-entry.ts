/** Where the dictionary says that a term's postings are. One object is filled again and again. */

/** Dictionary entry of a term. */
export class TermEntry {
  docFreq = 0
  totalTermFreq = 0
  /** The document of a term that only one document has: such a list is in the dictionary. */
  singleDoc = -1
  /** The position of a term that occurs once. */
  singlePosition = -1
  /** Byte range in the postings file; length 0 for a single document. */
  postingsStart = 0
  postingsLength = 0
  /** Byte range in the positions file; length 0 for a single occurrence and for fields without positions. */
  positionsStart = 0
  positionsLength = 0
  /** Start and length in the text of a term that occurs once, where the field keeps offsets. */
  singleOffset = -1
  singleOffsetLength = 0
  /** Byte range of its offsets in the positions file; length 0 as for positions. */
  offsetsStart = 0
  offsetsLength = 0
  /** End of its positions and offsets in the positions file. */
  positionsEnd = 0
}

/** Lists with so many documents, or so many positions, have packed blocks and a table before them, and start at a multiple of 4. */
export const PACKED_LENGTH = 128

/** The next multiple of 4. */
export function align4(offset: number): number {
  return Math.ceil(offset / 4) * 4
}
