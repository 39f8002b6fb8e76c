/**
 * The numbers of one field of the documents in memory, in flat arrays: 12 bytes a value. A field of a single value, of
 * which there may be very many, has no array.
 */
import type { NumberPairs } from '../codec/doc-values-writer.js'

const NO_DOCS = new Int32Array(0)
const NO_VALUES = new Float64Array(0)
const START_LENGTH = 8
/** Bytes of the object, and of the arrays beside their content, about. */
const OBJECT_BYTES = 88
const ARRAYS_BYTES = 400

/** Numbers with their documents, which come in ascending order. */
export class NumbersBuffer {
  /** The first pair, while there is no other. */
  #firstDoc = 0
  #firstValue = 0
  #docs = NO_DOCS
  #values = NO_VALUES
  #length = 0
  /** Numbers set later, in the order of setting; null: none. */
  #changes: Map<number, number | null> | null = null

  /** Bytes of memory in use. */
  get ramBytes(): number {
    const arrays = this.#docs.length === 0 ? 0 : ARRAYS_BYTES + this.#docs.length * 12
    return OBJECT_BYTES + arrays + (this.#changes?.size ?? 0) * 40
  }

  add(doc: number, value: number): void {
    if (this.#length === 0) {
      this.#firstDoc = doc
      this.#firstValue = value
      this.#length = 1
      return
    }
    if (this.#length >= this.#docs.length) this.#grow()
    this.#docs[this.#length] = doc
    this.#values[this.#length++] = value
  }

  /** Gives a document one value instead of all that it has; null: none. */
  set(doc: number, value: number | null): void {
    this.#changes ??= new Map()
    this.#changes.set(doc, value)
  }

  /** The values, ascending in each document. */
  pairs(): NumberPairs {
    if (this.#length === 1) this.#grow()
    const pairs = { docs: this.#docs, values: this.#values, length: this.#length }
    sortWithinDocs(pairs)
    return this.#changes === null ? pairs : changedPairs(pairs, this.#changes)
  }

  #grow(): void {
    const capacity = Math.max(START_LENGTH, this.#docs.length * 2)
    const docs = new Int32Array(capacity)
    const values = new Float64Array(capacity)
    docs.set(this.#docs)
    values.set(this.#values)
    if (this.#docs.length === 0) {
      docs[0] = this.#firstDoc
      values[0] = this.#firstValue
    }
    this.#docs = docs
    this.#values = values
  }
}

/** Sorts the values of each document. */
export function sortWithinDocs({ docs, values, length }: NumberPairs): void {
  for (let from = 0; from < length; ) {
    let to = from + 1
    while (to < length && docs[to] === docs[from]) to++
    if (to - from > 1) values.subarray(from, to).sort()
    from = to
  }
}

/** The pairs with the values of some documents replaced by one, or by none (null). */
export function changedPairs(pairs: NumberPairs, changes: ReadonlyMap<number, number | null>): NumberPairs {
  const changed = [...changes.keys()].sort((a, b) => a - b)
  const docs = new Int32Array(pairs.length + changed.length)
  const values = new Float64Array(pairs.length + changed.length)
  let length = 0
  let next = 0
  const setUpTo = (doc: number) => {
    for (; next < changed.length && changed[next] <= doc; next++) {
      const value = changes.get(changed[next])!
      if (value === null) continue
      docs[length] = changed[next]
      values[length++] = value
    }
  }
  for (let i = 0; i < pairs.length; i++) {
    setUpTo(pairs.docs[i])
    if (changes.has(pairs.docs[i])) continue
    docs[length] = pairs.docs[i]
    values[length++] = pairs.values[i]
  }
  setUpTo(Infinity)
  return { docs, values, length }
}
