/**
 * The fields of an index and their numbers: the same in every segment, so that segments can be merged without looking
 * inside of stored documents. A field keeps its way of indexing for the life of the index.
 */
import { SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerLayer } from '../analysis/analyzer.js'
import type { IndexField } from '../codec/commit-point.js'
import type { Field } from '../document/field.js'
import { layerFieldName } from '../document/field-info.js'

/** How the values of a field are indexed. */
export interface FieldPlan {
  readonly number: number
  /** null for keywords. */
  readonly analyzer: Analyzer | null
  /** Field number of each layer of the analyzer; for a keyword its own. */
  readonly layerNumbers: readonly number[]
}

const KEYWORD_LAYER: AnalyzerLayer = { name: '', options: 'docs', norms: false }

/** Numbers of fields by name. */
export class FieldTable {
  readonly #fields: IndexField[]
  readonly #numbers = new Map<string, number>()
  readonly #textPlans = new Map<string, FieldPlan>()
  readonly #keywordPlans = new Map<string, FieldPlan>()
  readonly #analyzerFor: (field: string) => Analyzer

  constructor(fields: readonly IndexField[], analyzerFor: (field: string) => Analyzer) {
    this.#fields = [...fields]
    for (let i = 0; i < fields.length; i++) this.#numbers.set(fields[i].name, i)
    this.#analyzerFor = analyzerFor
  }

  /** The fields by number. */
  get fields(): readonly IndexField[] {
    return this.#fields
  }

  /** Number of a field; a new one where it is new. */
  number(name: string): number {
    return this.#numberOf(name, { name, options: 'none', norms: false })
  }

  /** Number of a field, or undefined. */
  find(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  /** @throws SpindleError DOCUMENT_INVALID where the field was indexed in another way before */
  plan(field: Field): FieldPlan {
    const plans = field.type.tokenized ? this.#textPlans : this.#keywordPlans
    let plan = plans.get(field.name)
    if (plan === undefined) {
      plan = this.#makePlan(field)
      plans.set(field.name, plan)
    }
    return plan
  }

  #makePlan(field: Field): FieldPlan {
    const analyzer = field.type.tokenized ? this.#analyzerFor(field.name) : null
    const layers = analyzer === null ? [KEYWORD_LAYER] : analyzer.layers
    // All or none: a refused document must not leave a layer behind.
    const wanted = layers.map(({ name, options, norms }) => ({
      name: layerFieldName(field.name, name),
      options,
      norms,
    }))
    for (const layer of wanted) {
      const number = this.#numbers.get(layer.name)
      if (number === undefined) continue
      const known = this.#fields[number]
      if (known.options === 'none' || (known.options === layer.options && known.norms === layer.norms)) continue
      throw new SpindleError(
        'DOCUMENT_INVALID',
        `The field ${JSON.stringify(field.name)} cannot be added as ${field.type.kind}: it was indexed with ${known.options}${known.norms ? ' and norms' : ''} before; give it another name.`,
      )
    }
    const layerNumbers = wanted.map((layer) => this.#numberOf(layer.name, layer))
    return { number: layerNumbers[0], analyzer, layerNumbers }
  }

  #numberOf(name: string, field: IndexField): number {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.#fields.length
      this.#fields.push(field)
      this.#numbers.set(name, number)
    } else if (this.#fields[number].options === 'none') {
      this.#fields[number] = field
    }
    return number
  }
}
