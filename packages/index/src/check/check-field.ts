/**
 * Terms and postings of one field of a segment, every one decoded and held against what else the segment says: order,
 * ranges, sums, positions, impacts, norms.
 */
import { isSpindleError, SpindleError } from '@spindle/core'
import type { LoadedRange } from '../codec/postings.js'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { TERMS_PER_BLOCK } from '../codec/term-dictionary-writer.js'
import { TermEntry } from '../codec/term-entry.js'
import type { FieldInfo } from '../document/field-info.js'
import { ReadAhead } from '../reading/read-ahead.js'
import type { SegmentData } from '../reading/segment-data.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { type FieldDocuments, ListChecker } from './list-checker.js'

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

/**
 * Decodes the lists of one field after the other, in the order of their numbers. Memory: two windows of 64 KB, or the
 * largest list; of the documents of a field a bit, and where it has norms 4 bytes.
 */
export class FieldLists {
  readonly #data: SegmentData
  readonly #checker: ListChecker
  readonly #postings: ReadAhead
  readonly #positions: ReadAhead

  constructor(data: SegmentData) {
    this.#data = data
    this.#checker = new ListChecker(data.info.maxDoc)
    this.#postings = new ReadAhead(data.postings)
    this.#positions = new ReadAhead(data.positions)
  }

  /**
   * Decodes every list of a field.
   * @returns number of postings, and what they say of the documents, valid until the next call
   * @throws SpindleError INDEX_CORRUPT
   */
  async check(info: FieldInfo): Promise<{ postings: number; documents: FieldDocuments }> {
    const data = this.#data
    const checker = this.#checker
    const documents = checker.startField(info, data.norms.get(info.name) ?? null)
    let sumDocFreq = 0
    let sumTotalTermFreq = 0
    const cursor = data.terms.terms(info.name)
    try {
      while (cursor?.next() === true) {
        const { entry } = cursor
        sumDocFreq += entry.docFreq
        sumTotalTermFreq += entry.totalTermFreq
        const { postingsStart, postingsLength, positionsStart } = entry
        let list: LoadedRange | null = null
        if (postingsLength > 0) {
          list = this.#postings.get(postingsStart, postingsLength)
          list ??= await this.#postings.load(postingsStart, postingsLength)
        }
        let places: LoadedRange | null = null
        if (entry.positionsLength > 0) {
          // Offsets follow the positions of their term.
          const length = entry.positionsEnd - positionsStart
          places = this.#positions.get(positionsStart, length) ?? (await this.#positions.load(positionsStart, length))
        }
        checker.check(entry, list, places)
      }
    } catch (error) {
      if (!isSpindleError(error, 'INDEX_CORRUPT') || cursor === undefined) throw error
      const term = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
      const where = `${JSON.stringify(info.name)}:${JSON.stringify(term.slice(0, 100))}`
      throw new SpindleError('INDEX_CORRUPT', `${error.message} It is the list of ${where}.`, { cause: error })
    }
    const wrong = (expected: string, found: number): never => {
      throw indexCorrupt(data.postings.file, 0, `${expected} in the field ${JSON.stringify(info.name)}`, found)
    }
    const docCount = documents.withField.count()
    if (docCount !== info.docCount) wrong(`${info.docCount} documents with the field`, docCount)
    if (sumDocFreq !== info.sumDocFreq) wrong(`${info.sumDocFreq} postings`, sumDocFreq)
    if (sumTotalTermFreq !== info.sumTotalTermFreq) wrong(`${info.sumTotalTermFreq} occurrences`, sumTotalTermFreq)
    return { postings: sumDocFreq, documents }
  }
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
