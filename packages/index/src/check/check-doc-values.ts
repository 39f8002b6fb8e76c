/** The column of one field: every value decoded, in order, finite; ordinals held against the postings of their terms. */

import type { IndexField, SegmentCommit } from '../codec/commit-point.js'
import type { DocValues } from '../codec/doc-values.js'
import { Postings } from '../codec/postings.js'
import type { FieldInfo } from '../document/field-info.js'
import { readDocValues } from '../reading/doc-values-loader.js'
import { ReadAhead } from '../reading/read-ahead.js'
import type { SegmentData } from '../reading/segment-data.js'
import { ValueOverlays } from '../reading/value-overlays.js'
import type { Directory } from '../store/directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'

const docs = new Int32Array(128)

/** Checks a column. @returns number of values, 0 where the field has none */
export async function checkDocValues(data: SegmentData, info: FieldInfo): Promise<number> {
  const column = await readDocValues(data, info.name)
  if (column === null) {
    const isMissing = info.type.docValues && info.type.indexed && info.docCount > 0
    if (isMissing) throw indexCorrupt(data.values.file, 0, `a column of ${JSON.stringify(info.name)}`, 'none')
    return 0
  }
  const wrong = complaint(data.values.file, info.name)
  checkColumn(column, wrong)
  if (column.kind === 'ordinal') await checkOrdinals(data, info, column, wrong)
  return column.valueCount
}

/** Checks the columns that were changed after the segment was written. @returns number of values */
export async function checkValueOverlays(
  directory: Directory,
  commit: SegmentCommit,
  infos: ReadonlyMap<number, FieldInfo>,
  fields: readonly IndexField[],
): Promise<number> {
  const overlays = await ValueOverlays.open(directory, commit, infos)
  if (overlays === null) return 0
  try {
    let count = 0
    for (const { number, name, type } of overlays.infos) {
      const wrong = complaint(`${directory.path}/${commit.name}`, name)
      if (fields[number]?.name !== name || fields[number].type !== type) wrong(`field ${number} as in the commit`, name)
      const column = await overlays.load(name)
      if (!column) continue
      if (column.kind !== 'number') wrong('numbers', column.kind)
      checkColumn(column, wrong)
      count += column.valueCount
    }
    return count
  } finally {
    await overlays.release()
  }
}

type Complaint = (expected: string, found: string | number) => never

function complaint(file: string, field: string): Complaint {
  return (expected, found) => {
    throw indexCorrupt(file, 0, `${expected} in the column of ${JSON.stringify(field)}`, found)
  }
}

/** Documents ascend, and the values of each; all are finite. */
function checkColumn(column: DocValues, wrong: Complaint): void {
  const { maxDoc } = column
  let lastDoc = -1
  let lastValue = 0
  for (const { docs, values, length } of column.runs()) {
    for (let i = 0; i < length; i++) {
      const doc = docs[i]
      const value = values[i]
      if (!(doc >= lastDoc && doc < maxDoc)) wrong(`a document after ${lastDoc}`, doc)
      if (!Number.isFinite(value)) wrong(`finite values of document ${doc}`, value)
      if (doc === lastDoc && value < lastValue) wrong(`ascending values of document ${doc}`, value)
      lastDoc = doc
      lastValue = value
    }
  }
}

/** Terms come in the order of their ordinals, and the ordinals of a document ascend: one walk through the postings meets them all. */
async function checkOrdinals(data: SegmentData, info: FieldInfo, column: DocValues, wrong: Complaint): Promise<void> {
  /** Of each document, how many of its values have been met. */
  const met = new Int32Array(column.maxDoc)
  let values = 0
  let ordinal = 0
  const meet = (doc: number) => {
    if (!column.has(doc)) wrong(`a value of document ${doc}, which has term ${ordinal}`, 'none')
    const rank = column.rank(doc)
    const end = column.start(rank + 1)
    let i = column.start(rank) + met[doc]
    if (!(i < end && column.code(i) === ordinal)) {
      wrong(`term ${ordinal} of document ${doc}`, i < end ? column.code(i) : 'none')
    }
    // The same keyword twice in one document is one posting.
    for (; i < end && column.code(i) === ordinal; i++) {
      met[doc]++
      values++
    }
  }
  const context = { info, maxDoc: column.maxDoc, norms: null }
  const postings = new ReadAhead(data.postings)
  for (const cursor = data.terms.terms(info.name); cursor?.next() === true; ordinal++) {
    const { entry } = cursor
    if (entry.singleDoc >= 0) {
      meet(entry.singleDoc)
      continue
    }
    const { postingsStart, postingsLength } = entry
    const range = postings.get(postingsStart, postingsLength) ?? (await postings.load(postingsStart, postingsLength))
    const list = new Postings(context, entry, range, null, false)
    for (let b = 0; b < list.blockCount; b++) {
      const length = list.decodeDocs(b, docs)
      for (let n = 0; n < length; n++) meet(docs[n])
    }
  }
  if (values !== column.valueCount) wrong(`${values} values, as the postings have`, column.valueCount)
}
