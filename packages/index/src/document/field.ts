/**
 * A named value of a document. A document may hold several fields of one name: their order is kept. Whatever its kind, a
 * field has its value as text; numbers, dates and booleans have it as a number as well.
 */
import { SpindleError } from '@spindle/core'
import {
  type FieldKind,
  type FieldOptions,
  type FieldType,
  fieldType,
  isNumeric,
  type TextOptions,
} from './field-type.js'
import { numberOf, numberText } from './numeric-text.js'

/** What a keyword or facet may choose. */
export type KeywordOptions = Pick<FieldOptions, 'stored' | 'docValues'>

/** One named value; made by the factory methods. */
export class Field {
  readonly name: string
  /** As text: a number in its shortest decimal form, a date as ISO 8601 in UTC, a boolean as `true` or `false`. */
  readonly value: string
  /** Numbers as they are, dates as milliseconds since 1970, booleans as 0 or 1; undefined for the other kinds. */
  readonly number: number | undefined
  readonly type: FieldType

  /** @param value as text in the form of its kind. @throws SpindleError DOCUMENT_INVALID where it is in no such form */
  constructor(name: string, value: string, type: FieldType) {
    this.name = name
    this.value = value
    this.type = type
    this.number = isNumeric(type.kind) ? numberOf(name, type.kind, value) : undefined
  }

  /** Analyzed with positions, and stored: titles, texts. */
  static text(name: string, value: string, options?: TextOptions): Field {
    return new Field(name, value, options === undefined ? TEXT : typeOf('text', options))
  }

  /**
   * One term as it is (no frequency, no length norm), stored, and with doc values: addresses, identifiers, languages.
   * Doc values of keywords are numbers into the term dictionary, some bits a document, so they are kept unless refused.
   */
  static keyword(name: string, value: string, options?: KeywordOptions): Field {
    return new Field(name, value, options === undefined ? KEYWORD : typeOf('keyword', options))
  }

  /** Stored only: comes back with the document, cannot be searched. */
  static unIndexed(name: string, value: string): Field {
    return new Field(name, value, UN_INDEXED)
  }

  /** Analyzed with positions, not stored: can be searched, does not come back. */
  static unStored(name: string, value: string, options?: TextOptions): Field {
    return new Field(name, value, options === undefined ? UN_STORED : typeOf('unStored', options))
  }

  /** A whole number from −(2^53 − 1) to 2^53 − 1. @throws SpindleError DOCUMENT_INVALID for any other value */
  static integer(name: string, value: number, options?: FieldOptions): Field {
    return numeric(name, 'integer', value, options)
  }

  /** Any finite number, exactly (−0 too). @throws SpindleError DOCUMENT_INVALID for NaN and infinities */
  static float(name: string, value: number, options?: FieldOptions): Field {
    return numeric(name, 'float', value, options)
  }

  /**
   * The same as {@link Field.float}: a column of whole numbers, or of numbers with few decimals, is packed like integers
   * whatever its kind, so nothing is lost by not promising that all will be whole.
   */
  static number(name: string, value: number, options?: FieldOptions): Field {
    return numeric(name, 'float', value, options)
  }

  /**
   * A moment, to the millisecond.
   * @param value a Date, milliseconds since 1970, or an ISO 8601 date (UTC) or date and time (UTC where it names no zone)
   * @throws SpindleError DOCUMENT_INVALID for anything else
   */
  static date(name: string, value: Date | number | string, options?: FieldOptions): Field {
    const ms =
      typeof value === 'string' ? numberOf(name, 'date', value) : value instanceof Date ? value.getTime() : value
    return numeric(name, 'date', ms, options)
  }

  /** true or false; as a number 1 or 0. */
  static boolean(name: string, value: boolean, options?: FieldOptions): Field {
    return new Field(name, value === true ? 'true' : 'false', typeOf('boolean', options))
  }

  /** One of the values by which documents are counted and chosen; as a keyword. */
  static facet(name: string, value: string, options?: KeywordOptions): Field {
    return new Field(name, value, typeOf('facet', options))
  }

  /** A text to complete what is being typed: stored whole, its values sorted. */
  static suggest(name: string, value: string, options?: KeywordOptions): Field {
    return new Field(name, value, typeOf('suggest', options))
  }
}

const TEXT = fieldType('text')
const KEYWORD = fieldType('keyword')
const UN_INDEXED = fieldType('unIndexed')
const UN_STORED = fieldType('unStored')

function numeric(name: string, kind: FieldKind, value: number, options: FieldOptions | undefined): Field {
  return new Field(name, numberText(name, kind, value), typeOf(kind, options))
}

function typeOf(kind: FieldKind, options: (FieldOptions & TextOptions) | undefined): FieldType {
  try {
    return fieldType(kind, options)
  } catch (error) {
    throw new SpindleError('DOCUMENT_INVALID', `There is no field of kind ${String(error)}: leave that option out.`)
  }
}
