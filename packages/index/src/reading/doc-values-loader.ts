/** The doc values of a field in one segment, compared with what else the segment knows of the field. */
import type { DocValues } from '../codec/doc-values.js'
import { hasOrdinals } from '../document/field-type.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import type { SegmentData } from './segment-data.js'

/** Loads a column, which stays; null where no document of the segment has a value. @throws SpindleError INDEX_CORRUPT */
export function loadDocValues(data: SegmentData, field: string): Promise<DocValues | null> {
  return compared(data, field, (number) => data.values.load(number))
}

/** The same for one pass through the column: where it is not in memory it is read, and not kept. */
export function readDocValues(data: SegmentData, field: string): Promise<DocValues | null> {
  return compared(data, field, (number) => data.values.readOnce(number))
}

async function compared(
  data: SegmentData,
  field: string,
  load: (number: number) => Promise<DocValues | null>,
): Promise<DocValues | null> {
  const info = data.fieldInfo(field)
  if (info === undefined || !info.type.docValues) return null
  const column = await load(info.number)
  if (column === null) return null
  const kind = hasOrdinals(info.type) ? 'ordinal' : 'number'
  if (column.kind !== kind) throw indexCorrupt(data.values.file, 0, `a column of kind ${kind}`, column.kind)
  // Ordinals are places in the term dictionary.
  if (kind === 'ordinal') await data.loadTerms()
  const termCount = data.terms.termCount(field)
  if (kind === 'ordinal' && column.termCount !== termCount) {
    throw indexCorrupt(data.values.file, 0, `ordinals of ${termCount} terms of ${field}`, column.termCount)
  }
  return column
}
