/** The four kinds of field and what each of them means for the index. */

/** Kind of a field; the names are those of the factory methods of `Field`. */
export type FieldKind = 'text' | 'keyword' | 'unIndexed' | 'unStored'

/** What the index does with a field. */
export interface FieldType {
  readonly kind: FieldKind
  /** Can be searched. */
  readonly indexed: boolean
  /** Comes back with the document. */
  readonly stored: boolean
  /** Goes through the analyzer; false with `indexed`: the whole value is one term. */
  readonly tokenized: boolean
}

/** The field types by kind. */
export const FIELD_TYPES: Readonly<Record<FieldKind, FieldType>> = {
  text: { kind: 'text', indexed: true, stored: true, tokenized: true },
  keyword: { kind: 'keyword', indexed: true, stored: true, tokenized: false },
  unIndexed: { kind: 'unIndexed', indexed: false, stored: true, tokenized: false },
  unStored: { kind: 'unStored', indexed: true, stored: false, tokenized: true },
}
