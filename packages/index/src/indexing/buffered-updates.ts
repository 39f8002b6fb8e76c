/** Changes of doc values that wait for the next flush; they count for the documents of the segments there are by then. */
import { TermEntry } from '../codec/term-entry.js'
import type { SegmentData } from '../reading/segment-data.js'
import type { NumberField, SegmentNumbers } from './segment-numbers.js'
import type { Yielder } from './yielder.js'

/** Whose documents are changed. */
interface UpdateTerm {
  readonly field: string
  readonly text: string
}

interface Update {
  readonly term: UpdateTerm
  readonly field: NumberField
  readonly value: number | null
}

const BYTES_PER_UPDATE = 200

/** New numbers by term. */
export class BufferedUpdates {
  /** In the order of the last call for each term and field: where two terms meet in a document, the later one counts. */
  readonly #updates = new Map<string, Update>()

  /** Bytes of memory in use, about. */
  get ramBytes(): number {
    return this.#updates.size * BYTES_PER_UPDATE
  }

  get isEmpty(): boolean {
    return this.#updates.size === 0
  }

  add(term: UpdateTerm, field: NumberField, value: number | null): void {
    const key = `${field.number} ${term.field.length} ${term.field} ${term.text}`
    this.#updates.delete(key)
    this.#updates.set(key, { term, field, value })
  }

  /** Notes the new numbers of the documents of a segment. */
  async applyTo(data: SegmentData, numbers: SegmentNumbers, yielder: Yielder): Promise<void> {
    const entry = new TermEntry()
    const docs = new Int32Array(128)
    let count = 0
    for (const { term, field, value } of this.#updates.values()) {
      if ((++count & 63) === 0) await yielder.maybeYield()
      if (data.fieldInfo(term.field) === undefined || !(await data.load(term.field, term.text, entry))) continue
      if (entry.singleDoc >= 0) {
        numbers.set(field, entry.singleDoc, value)
        continue
      }
      const postings = await data.loadPostings(term.field, term.text, 'docs')
      for (let b = 0; postings !== null && b < postings.blockCount; b++) {
        const length = postings.decodeDocs(b, docs)
        for (let i = 0; i < length; i++) numbers.set(field, docs[i], value)
      }
    }
  }

  clear(): void {
    this.#updates.clear()
  }
}
