/** Merges the numbers of a field: they are decoded, renumbered by document, and packed anew, 128 at a time. */
import type { DocValues } from '../codec/doc-values.js'
import { VALUES_PER_GROUP } from '../codec/doc-values-sequence.js'
import type { DocValuesWriter, NumberPairs } from '../codec/doc-values-writer.js'
import type { FieldInfo } from '../document/field-info.js'
import { isNumeric } from '../document/field-type.js'
import type { SegmentData } from '../reading/segment-data.js'
import type { ValueOverlays } from '../reading/value-overlays.js'

/** Where the numbers of a segment come from. */
export interface NumberSource {
  /** The column of a field, null where the segment has none. */
  column(fieldNumber: number): Promise<DocValues | null>
  /** Fields that have numbers and that the segment was written without. */
  readonly extraFields: readonly FieldInfo[]
}

/**
 * The numbers of a segment with what was changed later.
 * @param numbers for each field number in the segment, that in the merged one; left out: the same
 */
export function numberSource(data: SegmentData, overlays: ValueOverlays | null, numbers?: Int32Array): NumberSource {
  const renumber = (number: number) => numbers?.[number] ?? number
  const later = new Map<number, string>()
  const extraFields: FieldInfo[] = []
  for (const info of overlays?.infos ?? []) {
    later.set(renumber(info.number), info.name)
    if (!data.fieldInfos.has(info.number)) extraFields.push({ ...info, number: renumber(info.number) })
  }
  return {
    extraFields,
    column: async (field) => {
      const name = later.get(field)
      const own = numbers === undefined ? field : numbers.indexOf(field)
      return name === undefined ? data.values.readOnce(own) : overlays!.load(name)!
    },
  }
}

/** A segment being merged. */
export interface NumberMergeSource {
  readonly data: SegmentData
  readonly numbers?: NumberSource | undefined
  /** New id of each document, −1 for deleted ones. */
  readonly docMap: Int32Array
}

/** Writes the column of a field; nothing where it has none. */
export async function mergeNumbers(
  field: FieldInfo,
  sources: readonly NumberMergeSource[],
  maxDoc: number,
  writer: DocValuesWriter,
): Promise<void> {
  if (!field.type.docValues || !isNumeric(field.type.kind)) return
  const found: RenumberedColumn[] = []
  for (const { data, numbers, docMap } of sources) {
    const column = await (numbers === undefined ? data.values.readOnce(field.number) : numbers.column(field.number))
    if (column !== null) found.push({ column, docMap })
  }
  writer.addNumbers(field.number, maxDoc, () => renumbered(found))
}

interface RenumberedColumn {
  readonly column: DocValues
  readonly docMap: Int32Array
}

/** The values of the columns that are left, with the new ids of their documents. */
function* renumbered(columns: readonly RenumberedColumn[]): Generator<NumberPairs> {
  const docs = new Int32Array(VALUES_PER_GROUP)
  const values = new Float64Array(VALUES_PER_GROUP)
  for (const { column, docMap } of columns) {
    for (const run of column.runs()) {
      let length = 0
      for (let i = 0; i < run.length; i++) {
        const doc = docMap[run.docs[i]]
        if (doc < 0) continue
        docs[length] = doc
        values[length++] = run.values[i]
      }
      yield { docs, values, length }
    }
  }
}
