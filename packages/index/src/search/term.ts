/** A word in a field: the smallest thing that can be asked for. */

/** A term as it stands in the index: no analyzer looks at it any more. */
export class Term {
  /** Name of the field; `body#word` names the layer `word` of the field `body`. */
  readonly field: string
  /** The indexed form of the word. */
  readonly text: string

  constructor(field: string, text: string) {
    this.field = field
    this.text = text
  }

  equals(other: Term): boolean {
    return this.field === other.field && this.text === other.text
  }

  /** `field:text`, or `text` alone where the field is the default one. */
  toString(defaultField = ''): string {
    return this.field === defaultField ? this.text : `${this.field}:${this.text}`
  }
}
