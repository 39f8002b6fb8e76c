/** A named value of a document. A document may hold several fields of one name: their order is kept. */
import { FIELD_TYPES, type FieldType } from './field-type.js'

/** One named value; made by the factory methods. */
export class Field {
  readonly name: string
  readonly value: string
  readonly type: FieldType

  constructor(name: string, value: string, type: FieldType) {
    this.name = name
    this.value = value
    this.type = type
  }

  /** Analyzed with positions, and stored: titles, texts. */
  static text(name: string, value: string): Field {
    return new Field(name, value, FIELD_TYPES.text)
  }

  /** One term as it is (no frequency, no length norm), and stored: addresses, identifiers, languages. */
  static keyword(name: string, value: string): Field {
    return new Field(name, value, FIELD_TYPES.keyword)
  }

  /** Stored only: comes back with the document, cannot be searched. */
  static unIndexed(name: string, value: string): Field {
    return new Field(name, value, FIELD_TYPES.unIndexed)
  }

  /** Analyzed with positions, not stored: can be searched, does not come back. */
  static unStored(name: string, value: string): Field {
    return new Field(name, value, FIELD_TYPES.unStored)
  }
}
