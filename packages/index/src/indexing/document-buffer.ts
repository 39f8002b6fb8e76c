/**
 * The documents added since the last flush: postings and norms in memory, stored fields already on their way to disk.
 * `flush` turns them into a segment.
 */
import { BitSet, SpindleError } from '@spindle/core'
import type { TokenSink } from '../analysis/analyzer.js'
import { NO_NORM } from '../codec/impacts.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import { intToByte4 } from '../codec/small-float.js'
import { MAX_TERM_BYTES } from '../codec/term-dictionary-writer.js'
import type { Document } from '../document/document.js'
import { type FieldInfo, hasOffsets, type PostingsOptions } from '../document/field-info.js'
import { hasOrdinals, isNumeric } from '../document/field-type.js'
import { numberTerm } from '../document/numeric-text.js'
import type { CombinedTarget } from './combined-fields.js'
import type { FieldPlan, FieldTable } from './field-table.js'
import { NormsBuffer } from './norms-buffer.js'
import { NumbersBuffer } from './numbers-buffer.js'
import { OrdinalsBuilder } from './ordinals-builder.js'
import { PostingsBuffer } from './postings-buffer.js'
import type { SegmentWriter } from './segment-writer.js'
import { sortTerms } from './sort-terms.js'
import type { Yielder } from './yielder.js'

/** Distance between the last position of a value and the first of the next value of the same field. */
export const POSITION_GAP = 100

/** Distance between the end of a value and the start of the next one of the same field, in offsets. */
export const OFFSET_GAP = 1

/** Highest position, and end of the texts of a field in a document where it keeps offsets. */
const MAX_POSITION = 0x7fffff00

/** Longest field that a norm can tell. */
const MAX_LENGTH = 0x7fffffff

/** What is kept of a field while documents are in memory. */
class BufferedField {
  docCount = 0
  norms: NormsBuffer | null = null
  /** Numbers with doc values. */
  numbers: NumbersBuffer | null = null
  // State inside of the document that is being added.
  doc = -1
  position = -1
  /** Tokens, without those on the position of the one before; of a combined field the weighted sum of its sources'. */
  length = 0
  /** Where the value at hand begins, and the start of the last token, where offsets are kept. */
  offsetBase = 0
  lastStart = 0
}

/** Bytes of an object with its place, about. */
const FIELD_BYTES = 112

/** Inverts documents. */
export class DocumentBuffer implements TokenSink {
  readonly #fields: FieldTable
  readonly #postings = new PostingsBuffer()
  /** By field, up to the last one that a document in memory has. */
  readonly #buffered: (BufferedField | null)[] = []
  #docCount = 0
  #deleted: BitSet | null = null
  #deletedCount = 0
  /** Bytes that the fields take besides postings. */
  #fieldBytes = 0
  #plan: FieldPlan | null = null
  /** UTF-16 units of the value being inverted. */
  #valueLength = 0
  readonly #touched: number[] = []

  constructor(fields: FieldTable) {
    this.#fields = fields
  }

  get docCount(): number {
    return this.#docCount
  }

  get deletedCount(): number {
    return this.#deletedCount
  }

  /** Bytes of memory in use, without those of stored fields. */
  get ramBytes(): number {
    return this.#postings.ramBytes + this.#fieldBytes
  }

  /**
   * Adds a document. When it cannot be indexed as given nothing of it is left, save (where its analyzer throws) a
   * deleted document.
   * @throws SpindleError DOCUMENT_INVALID
   */
  add(document: Document, writer: SegmentWriter): void {
    const plans = this.#check(document)
    const doc = this.#docCount++
    writer.stored.addDocument(document, (name) => this.#fields.number(name))
    try {
      for (let i = 0; i < plans.length; i++) {
        const plan = plans[i]
        const field = document.fields[i]
        const { kind, indexed, docValues } = plan.type
        const numeric = isNumeric(kind)
        if (indexed) this.#invert(plan, numeric ? numberTerm(field.number!) : field.value)
        if (numeric && docValues) this.#addNumber(plan.number, doc, field.number!)
      }
    } catch (error) {
      this.delete(doc)
      throw error
    } finally {
      this.#finishDocument(doc)
    }
  }

  /** One token of the value being inverted; called by the analyzer. */
  token(term: string, startOffset: number, endOffset: number, positionIncrement: number, layer: number): void {
    const plan = this.#plan!
    const number = layer === 0 ? plan.number : plan.otherLayers[layer - 1]
    const field = this.#buffered[number]!
    const position = Math.max(0, field.position + positionIncrement)
    if (position > MAX_POSITION) {
      throw new SpindleError('DOCUMENT_INVALID', `The field ${this.#fields.fields[number].name} has too many words.`)
    }
    const options = this.#fields.fields[number].options
    if (plan.offsets) this.#checkOffsets(number, startOffset, endOffset)
    const id = options === 'none' ? -1 : this.#postings.add(number, options, term, this.#docCount - 1, position)
    if (id < 0) {
      throw new SpindleError(
        'DOCUMENT_INVALID',
        `A word of the field ${this.#fields.fields[number].name} is longer than ${MAX_TERM_BYTES} bytes.`,
      )
    }
    // Only now, so that a word that is refused is in no length either.
    field.position = position
    if (positionIncrement > 0 || field.length === 0) field.length++
    if (plan.offsets && options === 'positions') {
      field.lastStart = field.offsetBase + startOffset
      this.#postings.addOffsets(id, field.lastStart, field.offsetBase + endOffset)
    }
    if (plan.targets !== null) this.#addToCombined(id, plan.targets[layer])
  }

  #addToCombined(id: number, targets: readonly CombinedTarget[]): void {
    for (let rank = 0; rank < targets.length; rank++) {
      const { number, weight } = targets[rank]
      const options = this.#fields.fields[number].options as PostingsOptions
      this.#postings.addCombined(id, rank, number, options, this.#docCount - 1, weight)
    }
  }

  #checkOffsets(number: number, start: number, end: number): void {
    const { offsetBase, lastStart } = this.#buffered[number]!
    if (offsetBase + start >= lastStart && start <= end && end <= this.#valueLength) return
    throw new SpindleError(
      'DOCUMENT_INVALID',
      `The analyzer of the field ${this.#fields.fields[number].name} gives offsets that go back or leave the text, which cannot be kept: leave the option "offsets" out.`,
    )
  }

  /** Marks a document as deleted. */
  delete(doc: number): void {
    if (this.#deleted === null || this.#deleted.length <= doc) {
      const grown = new BitSet(Math.max(1024, doc * 2))
      if (this.#deleted !== null) grown.words.set(this.#deleted.words)
      this.#deleted = grown
    }
    if (this.#deleted.get(doc)) return
    this.#deleted.set(doc)
    this.#deletedCount++
  }

  /** Marks the documents with a term as deleted, those below `limit`. */
  deleteTerm(fieldName: string, term: string, limit: number): void {
    const number = this.#fields.find(fieldName)
    if (number === undefined) return
    const id = this.#postings.terms.find(number, term)
    const options = this.#fields.fields[number].options
    if (id < 0 || options === 'none') return
    this.#postings.forEachDoc(id, options, (doc) => {
      if (doc < limit) this.delete(doc)
    })
  }

  /** Gives the documents with a term one number in a field, or none (null). */
  setNumber(term: { readonly field: string; readonly text: string }, fieldNumber: number, value: number | null): void {
    const number = this.#fields.find(term.field)
    if (number === undefined) return
    const id = this.#postings.terms.find(number, term.text)
    const options = this.#fields.fields[number].options
    if (id < 0 || options === 'none') return
    const numbers = this.#numbersOf(fieldNumber)
    const before = numbers.ramBytes
    this.#postings.forEachDoc(id, options, (doc) => numbers.set(doc, value))
    this.#fieldBytes += numbers.ramBytes - before
  }

  /** The documents that are not deleted, or null where none is deleted. */
  liveDocs(): BitSet | null {
    if (this.#deletedCount === 0) return null
    const live = BitSet.full(this.#docCount)
    for (let doc = 0; doc < this.#docCount; doc++)
      if (doc < this.#deleted!.length && this.#deleted!.get(doc)) live.clear(doc)
    return live
  }

  /** Writes the documents as a segment. The buffer is as before until `reset`. */
  async flush(writer: SegmentWriter, yielder: Yielder): Promise<SegmentInfo> {
    const { terms } = this.#postings
    const fields = this.#fields.fields
    const sorted = sortTerms(terms, fields.length)
    const builder = new OrdinalsBuilder(this.#docCount)
    const infos: FieldInfo[] = []
    const withNorms: Uint8Array[] = []
    const numbers: number[] = []
    let at = 0
    for (let number = 0; number < fields.length; number++) {
      const { name, options, norms, type, sources } = fields[number]
      const from = at
      let sumTotalTermFreq = 0
      let sumDocFreq = 0
      while (at < sorted.length && terms.fields[sorted[at]] === number) {
        sumDocFreq += this.#postings.docFreq(sorted[at])
        sumTotalTermFreq += this.#postings.totalTermFreq(sorted[at++])
      }
      const buffered = this.#buffered[number]
      const docCount = buffered?.docCount ?? 0
      const info: FieldInfo = { number, name, options, norms, type, sources, docCount, sumTotalTermFreq, sumDocFreq }
      infos.push(info)
      const fieldNorms = buffered?.norms?.ofDocs(this.#docCount) ?? null
      if (fieldNorms !== null) {
        numbers.push(number)
        withNorms.push(fieldNorms)
      }
      const pairs = buffered?.numbers?.pairs()
      if (pairs !== undefined) writer.values.addNumbers(number, this.#docCount, () => [pairs])
      if (options === 'none' || from === at) continue
      const ordinals = hasOrdinals(type) ? builder : null
      ordinals?.startField()
      const offsets = hasOffsets(info)
      writer.postings.startField(info)
      writer.terms.startField(info)
      for (let i = from; i < at; i++) {
        const id = sorted[i]
        if (this.#postings.docFreq(id) === 0) continue
        this.#postings.writeTerm(id, options, offsets, fieldNorms, NO_NORM, writer.postings)
        if (ordinals !== null) {
          this.#postings.forEachDoc(id, options, (doc) => ordinals.add(doc))
          ordinals.finishTerm()
        }
        writer.terms.add(
          terms.bytes,
          terms.starts[id],
          terms.starts[id + 1] - terms.starts[id],
          writer.postings.finishTerm(),
        )
        if ((i & 255) === 0) await yielder.maybeYield()
      }
      writer.terms.finishField()
      if (ordinals !== null) {
        writer.values.addOrdinals(number, this.#docCount, ordinals.termCount, () => ordinals.runs())
      }
    }
    writer.norms.start(numbers)
    for (const norms of withNorms) {
      writer.norms.add(norms)
      writer.norms.finishField()
    }
    return writer.finish(this.#docCount, 'flush', infos)
  }

  /** Forgets the documents. */
  reset(): void {
    this.#postings.reset()
    this.#docCount = 0
    this.#deleted = null
    this.#deletedCount = 0
    this.#fieldBytes = 0
    this.#buffered.length = 0
  }

  #addNumber(fieldNumber: number, doc: number, value: number): void {
    const numbers = this.#numbersOf(fieldNumber)
    const before = numbers.ramBytes
    numbers.add(doc, value)
    this.#fieldBytes += numbers.ramBytes - before
  }

  #numbersOf(fieldNumber: number): NumbersBuffer {
    const field = this.#bufferedOf(fieldNumber)
    if (field.numbers === null) {
      field.numbers = new NumbersBuffer()
      this.#fieldBytes += field.numbers.ramBytes
    }
    return field.numbers
  }

  /** What is kept of a field, from now on where it is new. */
  #bufferedOf(number: number): BufferedField {
    const known = this.#buffered[number]
    if (known) return known
    // Without gaps: an array with large ones is a table of hashes.
    while (this.#buffered.length <= number) this.#buffered.push(null)
    const field = new BufferedField()
    this.#buffered[number] = field
    this.#fieldBytes += FIELD_BYTES
    return field
  }

  #check(document: Document): FieldPlan[] {
    for (const field of document.fields) {
      if (typeof field.name !== 'string' || typeof field.value !== 'string') {
        throw new SpindleError('DOCUMENT_INVALID', 'A field needs a name and a value that are strings.')
      }
      if (!this.#fields.isPlanned(field.name)) checkFieldName(field.name)
      if (!field.type.tokenized && field.type.indexed && Buffer.byteLength(field.value) > MAX_TERM_BYTES) {
        throw new SpindleError(
          'DOCUMENT_INVALID',
          `The keyword in the field ${field.name} is longer than ${MAX_TERM_BYTES} bytes: shorten it, or use a text field.`,
        )
      }
    }
    return this.#fields.plan(document)
  }

  #invert(plan: FieldPlan, value: string): void {
    this.#startValue(plan.number)
    for (const number of plan.otherLayers) this.#startValue(number)
    this.#plan = plan
    this.#valueLength = value.length
    if (plan.offsets) this.#checkLength(plan, value)
    if (plan.analyzer === null) this.token(value, 0, value.length, 1, 0)
    else plan.analyzer.analyze(value, this, 'index')
    if (!plan.offsets) return
    for (const number of [plan.number, ...plan.otherLayers]) {
      this.#buffered[number]!.offsetBase += value.length + OFFSET_GAP
    }
  }

  /** A value of a field, or of one of its layers, begins in the document that is being added. */
  #startValue(number: number): void {
    const field = this.#fieldOf(number, this.#docCount - 1)
    if (field.length > 0) field.position += POSITION_GAP
  }

  /** State of a field in the document, clean where it comes first. */
  #fieldOf(number: number, doc: number): BufferedField {
    const field = this.#bufferedOf(number)
    if (field.doc !== doc) {
      field.doc = doc
      field.position = -1
      field.length = 0
      field.offsetBase = 0
      field.lastStart = 0
      this.#touched.push(number)
    }
    return field
  }

  #checkLength({ name, number }: FieldPlan, value: string): void {
    if (this.#buffered[number]!.offsetBase + value.length + OFFSET_GAP <= MAX_POSITION) return
    throw new SpindleError('DOCUMENT_INVALID', `The values of the field ${name} are too long together.`)
  }

  /** Lengths of combined fields are those of their sources. */
  #addUpLengths(doc: number): void {
    // The list grows by the combined fields, which are sources of none.
    for (let i = 0, count = this.#touched.length; i < count; i++) {
      const number = this.#touched[i]
      const { length } = this.#buffered[number]!
      for (const { number: target, weight } of this.#fields.targetsOf(number) ?? []) {
        const combined = this.#fieldOf(target, doc)
        combined.length = Math.min(combined.length + weight * length, MAX_LENGTH)
      }
    }
  }

  #finishDocument(doc: number): void {
    if (this.#fields.combined.length > 0) this.#addUpLengths(doc)
    for (const number of this.#touched) {
      const field = this.#buffered[number]!
      if (field.length === 0) continue
      field.docCount++
      if (this.#fields.fields[number].norms) this.#addNorm(field, doc)
    }
    this.#touched.length = 0
  }

  #addNorm(field: BufferedField, doc: number): void {
    const norm = intToByte4(field.length)
    const before = field.norms?.ramBytes ?? 0
    if (field.norms === null) field.norms = new NormsBuffer(doc, norm)
    else field.norms.add(doc, norm)
    this.#fieldBytes += field.norms.ramBytes - before
  }
}

/** @throws SpindleError DOCUMENT_INVALID */
function checkFieldName(name: string): void {
  // A lone surrogate has no UTF-8, and # is what names of layers are made with.
  if (!name.includes('#') && Buffer.from(name).toString() === name) return
  throw new SpindleError(
    'DOCUMENT_INVALID',
    `The field name ${JSON.stringify(name)} holds a "#" or half a character: choose another one.`,
  )
}
