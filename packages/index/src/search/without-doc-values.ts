/** The error for fields that are asked for what only doc values tell. */
import { SpindleError } from '@spindle/core'
import type { DocValues } from '../codec/doc-values.js'
import { isNumeric } from '../document/field-type.js'
import type { SegmentReader } from '../reading/segment-reader.js'

/**
 * Doc values of a field in a segment, null where no document of it has any.
 * @param kind what they have to be; left out: either
 * @throws SpindleError FIELD_WITHOUT_DOC_VALUES where the field is of a type that has no such values
 */
export async function requireDocValues(
  segment: SegmentReader,
  field: string,
  kind?: 'number' | 'ordinal',
): Promise<DocValues | null> {
  const info = segment.fieldInfo(field)
  if (info === undefined) return null
  const found = isNumeric(info.type.kind) ? 'number' : 'ordinal'
  if (info.type.docValues && (kind === undefined || kind === found)) return segment.docValues(field)
  const has = info.type.docValues ? `has ${found}s` : 'has no doc values'
  const wanted = kind === 'number' ? 'numbers' : kind === 'ordinal' ? 'keywords' : 'doc values'
  throw new SpindleError(
    'FIELD_WITHOUT_DOC_VALUES',
    `The field '${field}' is of kind ${info.type.kind} and ${has}, and ${wanted} are needed: ask another field, or index it as another kind.`,
  )
}
