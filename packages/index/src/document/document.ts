/** What is added to an index and what comes back from it: a list of fields. */
import type { Field } from './field.js'

/** A list of fields in the order of adding. */
export class Document {
  readonly fields: Field[] = []

  /** Appends a field; a name may be used several times. */
  add(field: Field): this {
    this.fields.push(field)
    return this
  }

  /** The first value of that name as text, or undefined. */
  get(name: string): string | undefined {
    for (const field of this.fields) if (field.name === name) return field.value
    return undefined
  }

  /** Every value of that name as text, in order. */
  getAll(name: string): string[] {
    const values: string[] = []
    for (const field of this.fields) if (field.name === name) values.push(field.value)
    return values
  }

  /** The first value of that name as a number (see {@link Field.number}), or undefined. */
  getNumber(name: string): number | undefined {
    for (const field of this.fields) if (field.name === name) return field.number
    return undefined
  }
}
