/**
 * The fields of an index, their types and numbers: the same in every segment, so that segments can be merged without
 * looking inside of stored documents. A field keeps its type for the life of the index, also where no document has it
 * any more; a document that contradicts is refused as a whole and leaves no field behind.
 */
import { SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerLayer } from '../analysis/analyzer.js'
import type { IndexField } from '../codec/commit-point.js'
import type { Document } from '../document/document.js'
import { hasOffsets, layerFieldName, printSources } from '../document/field-info.js'
import { type FieldType, fieldType, isNumeric, printType } from '../document/field-type.js'
import { type CombinedSchema, type CombinedTarget, combinedLayers, layerMismatch } from './combined-fields.js'

/** How the values of a field are indexed. */
export interface FieldPlan {
  readonly name: string
  readonly number: number
  readonly type: FieldType
  /** Whether its values are numbers. */
  readonly numeric: boolean
  /** null where the value is one term, or none. */
  readonly analyzer: Analyzer | null
  /** Field number of each layer of the analyzer; of a field that is one term or none, its own. */
  readonly layerNumbers: readonly number[]
  /** Whether offsets are kept with positions. */
  readonly offsets: boolean
  /** For each layer the combined fields that its words count in; null: in none. */
  readonly targets: readonly (readonly CombinedTarget[])[] | null
}

const KEYWORD_LAYER: AnalyzerLayer = { name: '', options: 'docs', norms: false }

/** Numbers and plans of fields by name. */
export class FieldTable {
  readonly #fields: IndexField[]
  readonly #numbers = new Map<string, number>()
  readonly #plans = new Map<string, FieldPlan>()
  readonly #analyzerFor: (field: string) => Analyzer
  /** Those of the index, which have their numbers from the beginning. */
  readonly combined: readonly CombinedSchema[]
  /** By the number of a source field or of its layer. */
  readonly #targets = new Map<number, readonly CombinedTarget[]>()

  /** @throws SpindleError COMBINED_FIELD_MISMATCH where analyzers now make other layers of a combined field */
  constructor(
    fields: readonly IndexField[],
    analyzerFor: (field: string) => Analyzer,
    combined: readonly CombinedSchema[] = [],
  ) {
    this.#fields = [...fields]
    for (let i = 0; i < fields.length; i++) this.#numbers.set(fields[i].name, i)
    this.#analyzerFor = analyzerFor
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

  /**
   * The plan of each field of a document. New fields are taken in only when all are in order.
   * @throws SpindleError DOCUMENT_INVALID where a field is another type than before, in the index or in the document
   */
  plan(document: Document): FieldPlan[] {
    const plans: FieldPlan[] = []
    let fresh: Map<string, FieldType> | null = null
    for (const { name, type } of document.fields) {
      const known = this.#plans.get(name)
      const before = known?.type ?? fresh?.get(name)
      if (before === undefined) {
        this.#check(name, type)
        fresh ??= new Map()
        fresh.set(name, type)
      } else if (before !== type) throw contradiction(name, type, before)
    }
    for (const { name, type } of document.fields) plans.push(this.planOf(name, type))
    return plans
  }

  /** The plan of a field, which is taken in where it is new. @throws SpindleError DOCUMENT_INVALID */
  planOf(name: string, type: FieldType): FieldPlan {
    let plan = this.#plans.get(name)
    if (plan === undefined) {
      plan = this.#makePlan(name, type)
      this.#plans.set(name, plan)
    } else if (plan.type !== type) throw contradiction(name, type, plan.type)
    return plan
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
    return Int32Array.from(fields, (field) => this.#numbers.get(field.name) ?? this.#take(field))
  }

  /** Forgets the fields from this number on, which no document has. */
  truncate(count: number): void {
    for (const { name } of this.#fields.splice(count)) this.#numbers.delete(name)
  }

  /**
   * A field whose numbers may be changed without its documents; a new one becomes such a field.
   * @throws SpindleError DOCUMENT_INVALID where the field is stored or indexed as well, or has no numbers
   */
  updatable(name: string): FieldPlan {
    const known = this.#fields[this.number(name)]
    const type = known?.type ?? fieldType('float', { stored: false })
    if (isNumeric(type.kind) && type.docValues && !type.stored && !type.indexed) return this.planOf(name, type)
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

  /** Gives a new field its number. */
  #take(field: IndexField): number {
    const number = this.#fields.length
    this.#fields.push(field)
    this.#numbers.set(field.name, number)
    return number
  }

  /** Where the words of a layer of a source count too. */
  #targetsFor(name: string, layer: string): CombinedTarget[] {
    const targets: CombinedTarget[] = []
    for (const { name: combined, sources } of this.combined) {
      const source = sources.find((one) => one.name === name)
      if (source === undefined) continue
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
    const layerNumbers = layers.map((layer) => this.#numbers.get(layer.name) ?? this.#take(layer))
    const analyzer = type.tokenized ? this.#analyzerFor(name) : null
    const targets = analyzer?.layers.map((layer) => this.#targetsFor(name, layer.name)) ?? []
    const hasTargets = targets.some((one) => one.length > 0)
    if (hasTargets) for (const [i, one] of targets.entries()) this.#targets.set(layerNumbers[i], one)
    return {
      name,
      number: layerNumbers[0],
      type,
      numeric: isNumeric(type.kind),
      analyzer,
      layerNumbers,
      offsets: layers.some(hasOffsets),
      targets: hasTargets ? targets : null,
    }
  }
}

function contradiction(name: string, type: FieldType, before: FieldType): SpindleError {
  return new SpindleError(
    'DOCUMENT_INVALID',
    `The field ${JSON.stringify(name)} cannot be added as ${printType(type)}: in this index it is ${printType(before)}; give it another name.`,
  )
}
