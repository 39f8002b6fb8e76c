/** Whether a keyword names one document: no value of the field in two live documents of the index. */
import { type BitSet, SpindleError } from '@spindle/core'
import type { TermCursor } from '../codec/term-dictionary.js'
import { compareBytes } from '../codec/terms-index.js'
import type { SegmentReader } from '../reading/segment-reader.js'

interface Source {
  readonly reader: SegmentReader
  readonly cursor: TermCursor
}

/**
 * Walks through the sorted terms of all segments side by side; memory does not grow with their number.
 * @returns number of values that live documents have
 * @throws SpindleError INDEX_CORRUPT naming the first value that two documents have
 */
export async function checkUnique(path: string, segments: readonly SegmentReader[], field: string): Promise<number> {
  let open: Source[] = []
  for (const reader of segments) {
    const cursor = reader.data.terms.terms(field)
    if (cursor?.next() === true) open.push({ reader, cursor })
  }
  const docs = new Int32Array(128)
  let values = 0
  while (open.length > 0) {
    let least = open[0]
    let equal: Source[] = [least]
    for (let i = 1; i < open.length; i++) {
      const order = compare(open[i].cursor, least.cursor)
      if (order === 0) equal.push(open[i])
      else if (order < 0) {
        least = open[i]
        equal = [least]
      }
    }
    const term = () => Buffer.from(least.cursor.bytes.subarray(0, least.cursor.length)).toString()
    let live = 0
    const where: string[] = []
    for (const { reader, cursor } of equal) {
      const { entry } = cursor
      if (entry.singleDoc >= 0) live += count(reader, entry.singleDoc, where)
      else {
        const list = await reader.loadPostings(field, term(), 'docs')
        for (let b = 0; list !== null && b < list.blockCount; b++) {
          const length = list.decodeDocs(b, docs)
          for (let i = 0; i < length; i++) live += count(reader, docs[i], where)
        }
      }
    }
    if (live > 1) {
      throw new SpindleError(
        'INDEX_CORRUPT',
        `The index in ${path} has ${live} live documents with ${field} = ${JSON.stringify(term().slice(0, 200))} (${where.join(', ')}): delete that value and index the document again.`,
      )
    }
    if (live > 0) values++
    for (const source of equal) if (!source.cursor.next()) open = open.filter((one) => one !== source)
  }
  return values
}

function count(reader: SegmentReader, doc: number, where: string[]): number {
  const live: BitSet | null = reader.liveDocs
  if (live !== null && !live.get(doc)) return 0
  if (where.length < 4) where.push(`document ${doc} of ${reader.name}`)
  return 1
}

function compare(a: TermCursor, b: TermCursor): number {
  return compareBytes(a.bytes, a.length, b.bytes, b.length)
}
