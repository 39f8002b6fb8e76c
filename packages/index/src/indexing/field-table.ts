/**
 * The fields of an index, their types and numbers: the same in every segment, so that segments can be merged without
 * looking inside of stored documents. A field keeps its type for the life of the index, also where no document has it
 * any more; a document that contradicts is refused as a whole and leaves no field behind.
 */
import { counted, SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerLayer } from '../analysis/analyzer.js'
import type { IndexField } from '../codec/commit-point.js'
import type { Document } from '../document/document.js'
import { hasOffsets, layerFieldName, printSources } from '../document/field-info.js'
import { type FieldType, fieldType, isNumeric, printType } from '../document/field-type.js'
import { type CombinedSchema, type CombinedTarget, combinedLayers, layerMismatch } from './combined-fields.js'

/** How the values of a field are indexed. */
export interface FieldPlan {
  readonly name: string
  /** Of the field, and of the main layer of its analyzer. */
  readonly number: number
  readonly type: FieldType
  /** null where the value is one term, or none. */
  readonly analyzer: Analyzer | null
  /** Field numbers of the analyzer's layers behind the main one. */
  readonly otherLayers: readonly number[]
  /** Whether offsets are kept with positions. */
  readonly offsets: boolean
  /** For each layer the combined fields that its words count in; null: in none. */
  readonly targets: readonly (readonly CombinedTarget[])[] | null
}

const NO_LAYERS: readonly number[] = []

/** A field of the index. One object of one form each, as there may be very many: some 200 bytes, name and place included. */
class TableField implements IndexField {
  readonly name: string
  readonly options: IndexField['options']
  readonly norms: boolean
  readonly type: FieldType
  readonly sources: IndexField['sources']
  readonly number: number
  // Of the plan, which the first document with the field makes.
  analyzer: Analyzer | null = null
  /** null: there is no plan yet, as for the fields of layers. */
  otherLayers: readonly number[] | null = null
  offsets = false
  targets: FieldPlan['targets'] = null

  constructor({ name, options, norms, type, sources }: IndexField, number: number) {
    this.name = name
    this.options = options
    this.norms = norms
    this.type = type
    this.sources = sources
    this.number = number
  }

  get isPlanned(): boolean {
    return this.otherLayers !== null
  }
}

/** A field that documents have had. */
type PlannedField = TableField & FieldPlan

const KEYWORD_LAYER: AnalyzerLayer = { name: '', options: 'docs', norms: false }

/** The fields by number, and their numbers by name. */
export class FieldTable {
  readonly #fields: TableField[] = []
  readonly #numbers = new Map<string, number>()
  readonly #analyzerFor: (field: string) => Analyzer
  /** Those of the index, which have their numbers from the beginning. */
  readonly combined: readonly CombinedSchema[]
  /** By the number of a source field or of its layer. */
  readonly #targets = new Map<number, readonly CombinedTarget[]>()
  readonly #maxNames: number
  /** Fields without those of layers. */
  #nameCount = 0

  /**
   * @param maxNames names of fields that there may be; those that there are stay
   * @throws SpindleError COMBINED_FIELD_MISMATCH where analyzers now make other layers of a combined field
   */
  constructor(
    fields: readonly IndexField[],
    analyzerFor: (field: string) => Analyzer,
    combined: readonly CombinedSchema[] = [],
    maxNames = Number.POSITIVE_INFINITY,
  ) {
    for (const field of fields) this.#take(field)
    this.#analyzerFor = analyzerFor
    this.#maxNames = maxNames
    this.combined = combined
    for (const schema of combined) {
      for (const layer of combinedLayers(schema, analyzerFor)) {
        const known = this.#fields[this.number(layer.name)]
        if (known === undefined) this.#take(layer)
        else if (known.options !== layer.options || known.norms !== layer.norms)
          throw layerMismatch(schema, layer, known)
      }
    }
  }

  /** The fields by number. */
  get fields(): readonly IndexField[] {
    return this.#fields
  }

  /** Number of a field that some plan has; −1 for any other. */
  number(name: string): number {
    return this.#numbers.get(name) ?? -1
  }

  /** The combined fields that the words of a field count in; undefined: none. */
  targetsOf(number: number): readonly CombinedTarget[] | undefined {
    return this.#targets.get(number)
  }

  /** Number of a field, or undefined. */
  find(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  /** Whether documents with a field of the name have come. */
  isPlanned(name: string): boolean {
    return this.#planned(name) !== undefined
  }

  /**
   * The plan of each field of a document. New fields are taken in only when all are in order.
   * @throws SpindleError DOCUMENT_INVALID where a field is another type than before, in the index or in the document, or
   * there would be too many fields
   */
  plan(document: Document): FieldPlan[] {
    const plans: FieldPlan[] = []
    let fresh: Map<string, FieldType> | null = null
    for (const { name, type } of document.fields) {
      const known = this.#planned(name)
      const before = known?.type ?? fresh?.get(name)
      if (before === undefined) {
        this.#check(name, type)
        fresh ??= new Map()
        fresh.set(name, type)
      } else if (before !== type) throw contradiction(name, type, before)
      if (known !== undefined) plans.push(known)
    }
    if (fresh === null) return plans
    this.#ensureRoom(fresh.keys())
    return document.fields.map(({ name, type }) => this.planOf(name, type))
  }

  /** The plan of a field, which is taken in where it is new. @throws SpindleError DOCUMENT_INVALID */
  planOf(name: string, type: FieldType): FieldPlan {
    const known = this.#planned(name)
    if (known === undefined) return this.#makePlan(name, type)
    if (known.type !== type) throw contradiction(name, type, known.type)
    return known
  }

  /**
   * Takes in the fields of another index, all or none.
   * @returns for each of them its number here
   * @throws SpindleError DOCUMENT_INVALID where one has another type here
   */
  adopt(fields: readonly IndexField[]): Int32Array {
    for (const { name, type, options, norms, sources } of fields) {
      if (sources === undefined) this.#checkCombined(name, type)
      const known = this.#fields[this.number(name)]
      if (known === undefined || (known.type === type && known.options === options && known.norms === norms)) continue
      throw contradiction(name, type, known.type)
    }
    this.#ensureRoom(fields.map((field) => field.name))
    return Int32Array.from(fields, (field) => this.#numbers.get(field.name) ?? this.#take(field))
  }

  /** Forgets the fields from this number on, which no document has. */
  truncate(count: number): void {
    for (const { name } of this.#fields.splice(count)) {
      this.#numbers.delete(name)
      if (!isLayer(name)) this.#nameCount--
    }
  }

  /**
   * A field whose numbers may be changed without its documents; a new one becomes such a field.
   * @throws SpindleError DOCUMENT_INVALID where the field is stored or indexed as well, or has no numbers
   */
  updatable(name: string): FieldPlan {
    const known = this.#fields[this.number(name)]
    const type = known?.type ?? fieldType('float', { stored: false })
    if (isNumeric(type.kind) && type.docValues && !type.stored && !type.indexed) {
      this.#ensureRoom([name])
      return this.planOf(name, type)
    }
    throw new SpindleError(
      'DOCUMENT_INVALID',
      `The doc values of ${JSON.stringify(name)}, which is ${printType(type)}, cannot be changed alone: that takes a number, date or boolean with { stored: false, indexed: false }; use updateDocument.`,
    )
  }

  /** Compares a field that has no plan yet with what the commit knows of it. */
  #check(name: string, type: FieldType): void {
    this.#checkCombined(name, type)
    for (const layer of this.#layers(name, type)) {
      const number = this.#numbers.get(layer.name)
      if (number === undefined) continue
      const known = this.#fields[number]
      if (known.type !== type) throw contradiction(name, type, known.type)
      if (known.options !== layer.options || known.norms !== layer.norms) {
        throw new SpindleError(
          'DOCUMENT_INVALID',
          `The field ${JSON.stringify(name)} was indexed with ${known.options}${known.norms ? ' and norms' : ''} before, and its analyzer now makes ${layer.options}${layer.norms ? ' and norms' : ''}: use the analyzer of then, or another name.`,
        )
      }
    }
  }

  /** Documents fill combined fields by their sources alone, and sources are texts. */
  #checkCombined(name: string, type: FieldType): void {
    for (const { name: combined, sources } of this.combined) {
      if (name === combined) {
        throw new SpindleError(
          'DOCUMENT_INVALID',
          `The field ${JSON.stringify(name)} cannot be added: in this index it is combined of ${printSources(sources)}; give it another name.`,
        )
      }
      if (!type.tokenized && sources.some((source) => source.name === name)) {
        throw new SpindleError(
          'DOCUMENT_INVALID',
          `The field ${JSON.stringify(name)} cannot be added as ${printType(type)}: it is a source of the combined field ${JSON.stringify(combined)}, so it must be a text.`,
        )
      }
    }
  }

  /** @param names of which some may be new */
  #ensureRoom(names: Iterable<string>): void {
    const added = new Set<string>()
    for (const name of names) if (!(isLayer(name) || this.#numbers.has(name))) added.add(name)
    if (added.size === 0 || this.#nameCount + added.size <= this.#maxNames) return
    const [first] = added
    const others = added.size === 1 ? '' : ` and ${added.size - 1} more`
    throw new SpindleError(
      'DOCUMENT_INVALID',
      `The field ${JSON.stringify(first)}${others} cannot be added: the index has ${counted(this.#nameCount, 'field')}, and its writer allows ${this.#maxNames} (maxFields); put what differs from document to document into values, not into names, or allow more.`,
    )
  }

  #planned(name: string): PlannedField | undefined {
    const number = this.#numbers.get(name)
    if (number === undefined) return undefined
    const field = this.#fields[number]
    return field.isPlanned ? (field as PlannedField) : undefined
  }

  /** Gives a new field its number. */
  #take(field: IndexField): number {
    const number = this.#fields.length
    this.#fields.push(new TableField(field, number))
    this.#numbers.set(field.name, number)
    if (!isLayer(field.name)) this.#nameCount++
    return number
  }

  /** Where the words of a layer of a source count too. */
  #targetsFor(name: string, layer: string): CombinedTarget[] {
    const targets: CombinedTarget[] = []
    for (const { name: combined, sources, layers } of this.combined) {
      const source = sources.find((one) => one.name === name)
      if (source === undefined || layers?.includes(layer) === false) continue
      targets.push({ number: this.#numbers.get(layerFieldName(combined, layer))!, weight: source.weight })
    }
    return targets
  }

  #layers(name: string, type: FieldType): IndexField[] {
    if (!type.indexed) return [{ name, options: 'none', norms: false, type }]
    const layers = type.tokenized ? this.#analyzerFor(name).layers : [KEYWORD_LAYER]
    return layers.map((layer) => ({
      name: layerFieldName(name, layer.name),
      options: layer.options,
      norms: layer.norms,
      type,
    }))
  }

  #makePlan(name: string, type: FieldType): FieldPlan {
    this.#check(name, type)
    const layers = this.#layers(name, type)
    const numbers = layers.map((layer) => this.#numbers.get(layer.name) ?? this.#take(layer))
    const field = this.#fields[numbers[0]]
    field.analyzer = type.tokenized ? this.#analyzerFor(name) : null
    field.otherLayers = numbers.length === 1 ? NO_LAYERS : numbers.slice(1)
    field.offsets = layers.some(hasOffsets)
    const targets = field.analyzer?.layers.map((layer) => this.#targetsFor(name, layer.name)) ?? []
    if (targets.some((one) => one.length > 0)) {
      for (const [i, one] of targets.entries()) this.#targets.set(numbers[i], one)
      field.targets = targets
    }
    return field as PlannedField
  }
}

/** Whether it is the name of a layer's hidden field. */
function isLayer(name: string): boolean {
  return name.includes('#')
}

function contradiction(name: string, type: FieldType, before: FieldType): SpindleError {
  return new SpindleError(
    'DOCUMENT_INVALID',
    `The field ${JSON.stringify(name)} cannot be added as ${printType(type)}: in this index it is ${printType(before)}; give it another name.`,
  )
}
