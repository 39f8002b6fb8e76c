/** Merges the numbers of a field: they are decoded, renumbered by document, and packed anew. 12 bytes a value. */
import type { DocValuesWriter, ValuePairs } from '../codec/doc-values-writer.js'
import type { FieldInfo } from '../document/field-info.js'
import { isNumeric } from '../document/field-type.js'
import type { SegmentData } from '../reading/segment-data.js'
import type { ValueOverlays } from '../reading/value-overlays.js'

/** Where the numbers of a segment come from. */
export interface NumberSource {
  /** The numbers of a field, null where the segment has none. */
  numberPairs(fieldNumber: number): Promise<ValuePairs | null>
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
    numberPairs: async (field) => {
      const name = later.get(field)
      const own = numbers === undefined ? field : numbers.indexOf(field)
      const column = name === undefined ? data.values.load(own) : overlays!.load(name)!
      return (await column)?.pairs() ?? null
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
  const found: { readonly pairs: ValuePairs; readonly docMap: Int32Array }[] = []
  let total = 0
  for (const { data, numbers, docMap } of sources) {
    const pairs =
      numbers === undefined
        ? ((await data.values.load(field.number))?.pairs() ?? null)
        : await numbers.numberPairs(field.number)
    if (pairs === null) continue
    found.push({ pairs, docMap })
    total += pairs.length
  }
  const docs = new Int32Array(total)
  const values = new Float64Array(total)
  let length = 0
  for (const { pairs, docMap } of found) {
    for (let i = 0; i < pairs.length; i++) {
      const doc = docMap[pairs.docs[i]]
      if (doc < 0) continue
      docs[length] = doc
      values[length++] = pairs.values[i]
    }
  }
  writer.addNumbers(field.number, maxDoc, { docs, values, length })
}
