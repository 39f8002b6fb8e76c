/** Where a term stands in one document: its positions, and its places in the text where the field keeps offsets. */
import { SpindleError } from '@spindle/core'
import { BLOCK_SIZE } from '../codec/bit-packing.js'
import { Offsets } from '../codec/offsets.js'
import type { Postings } from '../codec/postings.js'
import { TermEntry } from '../codec/term-entry.js'
import { hasOffsets } from '../document/field-info.js'
import type { SegmentReader } from './segment-reader.js'

/** One occurrence of a term in a document. */
export interface TermOccurrence {
  readonly position: number
  /**
   * UTF-16 range of the word in the text of the field; null where the field keeps no offsets. Where the document has
   * several values, they count as one text, with one unit between two of them (as joined by a line feed).
   */
  readonly range: { readonly start: number; readonly end: number } | null
}

/**
 * The occurrences of a term in a document, in the order of the text; none where the document lacks it.
 * @param localDocId id within the segment
 * @throws SpindleError FIELD_WITHOUT_POSITIONS, INDEX_CORRUPT
 */
export async function termOccurrences(
  segment: SegmentReader,
  localDocId: number,
  field: string,
  term: string,
): Promise<TermOccurrence[]> {
  const { data } = segment
  const info = segment.fieldInfo(field)
  if (info === undefined) return []
  if (info.options !== 'positions') {
    throw new SpindleError(
      'FIELD_WITHOUT_POSITIONS',
      `The places of a word in the field '${field}' are not known, for it keeps no positions: ask a text field.`,
    )
  }
  const entry = new TermEntry()
  if (!(await data.load(field, term, entry))) return []
  const [postings, offsets] = await Promise.all([
    data.loadPostings(field, term, 'positions'),
    hasOffsets(info) ? loadOffsets(segment, entry) : null,
  ])
  const found = postings === null ? null : findDocument(postings, localDocId)
  if (postings === null || found === null) return []
  const { block, before, freq } = found
  const positions = new Int32Array(freq)
  const starts = new Int32Array(freq)
  const ends = new Int32Array(freq)
  postings.positions(block, before, freq, positions, 0)
  offsets?.read(postings.occurrence(block, before), freq, starts, ends)
  return Array.from(positions, (position, n) => ({
    position,
    range: offsets === null ? null : { start: starts[n]!, end: ends[n]! },
  }))
}

async function loadOffsets({ data }: SegmentReader, entry: TermEntry): Promise<Offsets> {
  const { offsetsStart, offsetsLength } = entry
  return new Offsets(entry, offsetsLength === 0 ? null : await data.positions.load(offsetsStart, offsetsLength))
}

/** The place of a document in a list: its block, the frequencies before it there, and its own; null where it is not in it. */
function findDocument(postings: Postings, doc: number): { block: number; before: number; freq: number } | null {
  let block = 0
  let high = postings.blockCount
  while (block < high) {
    const middle = (block + high) >>> 1
    if (postings.lastDoc[middle]! < doc) block = middle + 1
    else high = middle
  }
  if (block === postings.blockCount) return null
  const docs = new Int32Array(BLOCK_SIZE)
  const freqs = new Int32Array(BLOCK_SIZE)
  const length = postings.decodeDocs(block, docs)
  postings.decodeFreqs(block, freqs)
  let before = 0
  for (let i = 0; i < length && docs[i]! <= doc; i++) {
    if (docs[i] === doc) return { block, before, freq: freqs[i]! }
    before += freqs[i]!
  }
  return null
}
