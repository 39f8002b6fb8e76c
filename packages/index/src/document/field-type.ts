/**
 * The kinds of field and what each of them means for the index. A type is one object for all fields that share it, so
 * that two types are the same exactly where they are the same object.
 */

/** Kind of a field; the names are those of the factory methods of `Field`. */
export type FieldKind =
  | 'text'
  | 'keyword'
  | 'unIndexed'
  | 'unStored'
  | 'integer'
  | 'float'
  | 'date'
  | 'boolean'
  | 'facet'
  | 'suggest'

/** The kinds by their number in files. */
export const FIELD_KINDS: readonly FieldKind[] = [
  'text',
  'keyword',
  'unIndexed',
  'unStored',
  'integer',
  'float',
  'date',
  'boolean',
  'facet',
  'suggest',
]

/** What the index does with a field. */
export interface FieldType {
  readonly kind: FieldKind
  /** Has terms, which can be searched. */
  readonly indexed: boolean
  /** Comes back with the document. */
  readonly stored: boolean
  /** Goes through the analyzer; false with `indexed`: the whole value is one term. */
  readonly tokenized: boolean
  /**
   * Keeps its values in a column, for sorting, ranges, facets and collapsing: numbers as they are, keywords as ordinals
   * of their terms.
   */
  readonly docValues: boolean
  /** Keeps beside each position where the word stands in the text. */
  readonly offsets: boolean
}

/** What can be chosen for a single field; the defaults are those of its kind. */
export interface FieldOptions {
  /** Whether it has terms. Only numbers, dates and booleans may choose. */
  readonly indexed?: boolean
  readonly stored?: boolean
  readonly docValues?: boolean
}

/** What a text may choose. */
export interface TextOptions {
  /**
   * Keeps with each position of the main layer the UTF-16 range of the word in the text (`IndexReader.occurrences`);
   * false where not given. About as large as the positions.
   */
  readonly offsets?: boolean
}

const types = new Map<number, FieldType>()

/** Type of a kind with the given choices. @throws RangeError for choices that the kind does not have */
export function fieldType(kind: FieldKind, options: FieldOptions & TextOptions = {}): FieldType {
  const isText = kind === 'text' || kind === 'unStored'
  const numeric = isNumeric(kind)
  const indexed = options.indexed ?? (kind !== 'unIndexed' && !numeric)
  const stored = options.stored ?? kind !== 'unStored'
  const docValues = options.docValues ?? (!isText && kind !== 'unIndexed')
  const offsets = options.offsets ?? false
  if (!numeric && indexed !== (kind !== 'unIndexed')) throw new RangeError(`${kind} with indexed: ${indexed}`)
  if (docValues && (isText || kind === 'unIndexed')) throw new RangeError(`${kind} with doc values`)
  if (offsets && !isText) throw new RangeError(`${kind} with offsets`)
  if (stored !== (kind !== 'unStored') && (isText || kind === 'unIndexed')) {
    throw new RangeError(`${kind} with stored: ${stored}`)
  }
  const made = { kind, indexed, stored, tokenized: isText, docValues, offsets }
  const code = typeCode(made)
  let type = types.get(code)
  if (type === undefined) {
    type = Object.freeze(made)
    types.set(code, type)
  }
  return type
}

/** Whether the values of a kind are numbers. */
export function isNumeric(kind: FieldKind): boolean {
  return kind === 'integer' || kind === 'float' || kind === 'date' || kind === 'boolean'
}

/** Whether the values of a type are kept as ordinals of their terms. */
export function hasOrdinals(type: FieldType): boolean {
  return type.docValues && type.indexed && !isNumeric(type.kind)
}

/** A type as a number below 128: 8 · kind + indexed + 2 · stored + 4 · (doc values; of texts, which have none, offsets). */
export function typeCode(type: FieldType): number {
  const { kind, indexed, stored, docValues, offsets } = type
  return FIELD_KINDS.indexOf(kind) * 8 + (indexed ? 1 : 0) + (stored ? 2 : 0) + (docValues || offsets ? 4 : 0)
}

/** The reverse of {@link typeCode}. @throws RangeError for a number that it never gives */
export function fromTypeCode(code: number): FieldType {
  const kind = FIELD_KINDS[code >>> 3]
  if (kind === undefined) throw new RangeError(`field type ${code}`)
  const more = (code & 4) !== 0
  const isText = kind === 'text' || kind === 'unStored'
  return fieldType(kind, {
    indexed: (code & 1) !== 0,
    stored: (code & 2) !== 0,
    docValues: more && !isText,
    offsets: more && isText,
  })
}

/** A type in words, for messages: "keyword", "float without stored". */
export function printType(type: FieldType): string {
  const standard = fieldType(type.kind)
  const parts: string[] = []
  for (const option of ['indexed', 'stored', 'docValues', 'offsets'] as const) {
    if (type[option] !== standard[option]) parts.push(`${option}: ${type[option]}`)
  }
  return parts.length === 0 ? type.kind : `${type.kind} (${parts.join(', ')})`
}
