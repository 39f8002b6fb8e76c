/** Merges the numbers of a field: they are decoded, renumbered by document, and packed anew. 12 bytes a value. */
import type { DocValues } from '../codec/doc-values.js'
import type { DocValuesWriter } from '../codec/doc-values-writer.js'
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
      return name === undefined ? data.values.load(own) : overlays!.load(name)!
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
  const found: { readonly column: DocValues; readonly docMap: Int32Array }[] = []
  let total = 0
  for (const { data, numbers, docMap } of sources) {
    const column = await (numbers === undefined ? data.values.load(field.number) : numbers.column(field.number))
    if (column === null) continue
    found.push({ column, docMap })
    total += column.valueCount
  }
  const docs = new Int32Array(total)
  const values = new Float64Array(total)
  let length = 0
  for (const { column, docMap } of found) {
    const pairs = column.pairs()
    for (let i = 0; i < pairs.length; i++) {
      const doc = docMap[pairs.docs[i]]
      if (doc < 0) continue
      docs[length] = doc
      values[length++] = pairs.values[i]
    }
  }
  writer.addNumbers(field.number, maxDoc, { docs, values, length })
}
