/**
 * Terms and postings of one field of a segment, every one decoded and held against what else the segment says: order,
 * ranges, sums, positions, impacts, norms.
 */
import { BitSet } from '@spindle/core'
import { Offsets } from '../codec/offsets.js'
import { Postings, type PostingsContext } from '../codec/postings.js'
import { MAX_FREQ } from '../codec/postings-writer.js'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { TERMS_PER_BLOCK } from '../codec/term-dictionary-writer.js'
import { TermEntry } from '../codec/term-entry.js'
import { type FieldInfo, hasOffsets } from '../document/field-info.js'
import type { SegmentData } from '../reading/segment-data.js'
import { indexCorrupt } from '../store/index-corrupt.js'

/** Also where a frequency ends at its limit: then the length is not known. */
const MAX_LENGTH = 0x7fffffff

const docs = new Int32Array(128)
const freqs = new Int32Array(128)
const impacts = new Int32Array(4)

/** Terms in strictly ascending order, each found by a look-up at both ends of its block. @returns how many */
export function checkTerms(data: SegmentData, info: FieldInfo): number {
  const { terms } = data
  const wrong = (expected: string, found: string | number): never => {
    throw indexCorrupt(terms.file, 0, `${expected} in the field ${JSON.stringify(info.name)}`, found)
  }
  const cursor = terms.terms(info.name)
  if (cursor === undefined) {
    if (info.sumDocFreq > 0) wrong(`terms with ${info.sumDocFreq} postings`, 'none')
    return 0
  }
  const found = new TermEntry()
  let before = new Uint8Array(256)
  let beforeLength = -1
  let count = 0
  while (cursor.next()) {
    const { bytes, length, entry } = cursor
    if (!isGreater(bytes, length, before, beforeLength))
      wrong(`a term after the ${count} before it`, `one that is not greater`)
    if (count % TERMS_PER_BLOCK === 0 || count % TERMS_PER_BLOCK === TERMS_PER_BLOCK - 1) {
      const isFound = terms.find(info.name, bytes, length, found)
      const isSame =
        isFound &&
        found.docFreq === entry.docFreq &&
        found.postingsStart === entry.postingsStart &&
        found.singleDoc === entry.singleDoc
      if (!isSame) wrong(`term ${count} by a look-up`, isFound ? 'another one' : 'nothing')
    }
    if (length > before.length) before = new Uint8Array(length * 2)
    for (let i = 0; i < length; i++) before[i] = bytes[i]
    beforeLength = length
    count++
  }
  return count
}

/** Whether a comes after b; everything comes after a length of −1. */
function isGreater(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): boolean {
  const limit = Math.min(aLength, bLength)
  for (let i = 0; i < limit; i++) if (a[i] !== b[i]) return a[i] > b[i]
  return aLength > bLength
}

/** What the postings of a field say of its documents. */
export interface FieldDocuments {
  /** Documents that have the field. */
  readonly withField: BitSet
  /** Sum of the frequencies of each document, where the field keeps norms and frequencies. */
  readonly lengths: Int32Array | null
}

/** Decodes every list of a field. @returns number of postings, and what they say of the documents */
export function checkPostings(data: SegmentData, info: FieldInfo): { postings: number; documents: FieldDocuments } {
  const { maxDoc } = data.info
  const norms = data.norms.get(info.name) ?? null
  const context: PostingsContext = { info, maxDoc, norms }
  const withField = new BitSet(maxDoc)
  const hasFreqs = info.options === 'freqs' || info.options === 'positions'
  const hasPositions = info.options === 'positions'
  const lengths = norms !== null && hasFreqs ? new Int32Array(maxDoc) : null
  let positions = new Int32Array(1024)
  let ends = new Int32Array(0)
  const keepsOffsets = hasOffsets(info)
  let sumDocFreq = 0
  let sumTotalTermFreq = 0
  const cursor = data.terms.terms(info.name)
  const wrong = (expected: string, found: string | number): never => {
    const term = cursor === undefined ? '' : Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
    const where = `${JSON.stringify(info.name)}:${JSON.stringify(term.slice(0, 100))}`
    throw indexCorrupt(data.postings.file, cursor?.entry.postingsStart ?? 0, `${expected} for ${where}`, found)
  }
  while (cursor?.next() === true) {
    const { entry } = cursor
    sumDocFreq += entry.docFreq
    sumTotalTermFreq += entry.totalTermFreq
    if (entry.singleDoc >= 0 && entry.totalTermFreq === 1) {
      // Half of all terms, and all of them in the dictionary, which has compared the document: no list to decode.
      withField.set(entry.singleDoc)
      if (lengths !== null) lengths[entry.singleDoc]++
      continue
    }
    const list = new Postings(
      context,
      entry,
      entry.postingsLength === 0 ? null : data.postings.loaded,
      entry.positionsLength === 0 ? null : data.positions.loaded,
      hasPositions,
    )
    const offsets = keepsOffsets ? new Offsets(entry, entry.offsetsLength === 0 ? null : data.positions.loaded) : null
    let last = -1
    let total = 0
    for (let b = 0; b < list.blockCount; b++) {
      const length = list.decodeDocs(b, docs)
      list.decodeFreqs(b, freqs)
      const pairs = list.impacts(b, impacts)
      let before = 0
      for (let i = 0; i < length; i++) {
        const doc = docs[i]
        const freq = freqs[i]
        if (!(doc > last && doc < maxDoc)) wrong(`a document after ${last} and below ${maxDoc}`, doc)
        if (!(freq > 0)) wrong('a frequency', freq)
        last = doc
        withField.set(doc)
        if (lengths !== null) lengths[doc] = freq < MAX_FREQ ? Math.min(lengths[doc] + freq, MAX_LENGTH) : MAX_LENGTH
        const norm = norms === null ? 1 : norms[doc]
        const isCovered =
          (freq <= impacts[0] && norm >= impacts[1]) || (pairs > 1 && freq <= impacts[2] && norm >= impacts[3])
        if (!isCovered) wrong(`impacts that cover document ${doc}`, `${impacts.subarray(0, pairs * 2)}`)
        if (hasPositions) {
          if (freq > positions.length) positions = new Int32Array(freq * 2)
          list.positions(b, before, freq, positions, 0)
          for (let n = 1; n < freq; n++) {
            if (positions[n] < positions[n - 1]) wrong(`ascending positions in document ${doc}`, positions[n])
          }
          if (offsets !== null) {
            if (ends.length < positions.length) ends = new Int32Array(positions.length)
            // Ascending starts and ends behind them are what the distances and lengths make, whatever they are.
            offsets.read(list.occurrence(b, before), freq, positions, ends)
          }
        }
        before += freq
      }
      if (list.lastDoc[b] !== last) wrong(`document ${list.lastDoc[b]} as the last of block ${b}`, last)
      total += before
    }
    if (hasFreqs && total !== entry.totalTermFreq) wrong(`${entry.totalTermFreq} occurrences`, total)
  }
  const docCount = withField.count()
  if (docCount !== info.docCount) wrong(`${info.docCount} documents with the field`, docCount)
  if (sumDocFreq !== info.sumDocFreq) wrong(`${info.sumDocFreq} postings`, sumDocFreq)
  if (sumTotalTermFreq !== info.sumTotalTermFreq) wrong(`${info.sumTotalTermFreq} occurrences`, sumTotalTermFreq)
  return { postings: sumDocFreq, documents: { withField, lengths } }
}

/** A norm for exactly the documents that have the field, none longer than its occurrences. @returns number of norms */
export function checkNorms(data: SegmentData, info: FieldInfo, documents: FieldDocuments, file: string): number {
  const norms = data.norms.get(info.name)
  if (norms === undefined) {
    if (info.norms && info.docCount > 0) throw indexCorrupt(file, 0, `norms of ${JSON.stringify(info.name)}`, 'none')
    return 0
  }
  const { withField, lengths } = documents
  for (let doc = 0; doc < norms.length; doc++) {
    const has = withField.get(doc)
    const norm = norms[doc]
    const isRight = has ? norm > 0 && (lengths === null || norm <= intToByte4(lengths[doc])) : norm === 0
    if (isRight) continue
    const expected = has ? `a length from 1 to ${lengths?.[doc] ?? 'any'}` : 'no length'
    const found = `${byte4ToInt(norm)} for document ${doc} of ${JSON.stringify(info.name)}`
    throw indexCorrupt(file, data.norms.start(info.name) + doc, expected, found)
  }
  return norms.length
}
