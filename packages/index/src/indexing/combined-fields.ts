/**
 * Combined fields: at indexing every word of the source fields is added, with a weight, to the list of one more field, so
 * that a search over several fields reads one list. Weights are a part of the schema: a list made with other weights, or
 * for some of the documents only, would give wrong scores without anybody noticing, so they never change in an index.
 */
import { SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerLayer } from '../analysis/analyzer.js'
import type { IndexField } from '../codec/commit-point.js'
import { type CombinedSource, layerFieldName, printSources } from '../document/field-info.js'
import { fieldType } from '../document/field-type.js'

/** A field made of other fields. */
export interface CombinedFieldOptions {
  /** Its name, which no field of a document may have. */
  readonly name: string
  /**
   * Weight of each text field that it is made of: an occurrence there counts as so many, a whole number from 1 to
   * {@link MAX_SOURCE_WEIGHT}. They may be fields that no document has yet.
   */
  readonly fields: Readonly<Record<string, number>>
  /**
   * The layers that are combined, by the names that analyzers give them ('' is the main one); all of them where not given. The others
   * are asked of the sources.
   */
  readonly layers?: readonly string[]
}

/** A combined field with its sources by name. */
export interface CombinedSchema {
  readonly name: string
  readonly sources: readonly CombinedSource[]
  /** Names of the layers that are combined; undefined: all. */
  readonly layers?: readonly string[] | undefined
}

/** Largest weight of a source. */
export const MAX_SOURCE_WEIGHT = 65_535

/** Checks the option of a writer. @throws RangeError for names and weights that cannot be */
export function parseCombinedFields(
  options: readonly CombinedFieldOptions[],
  ownAnalyzers: Readonly<Record<string, unknown>> = {},
): CombinedSchema[] {
  const names = new Set<string>()
  for (const { name } of options) {
    checkName(name)
    if (names.has(name))
      throw new RangeError(`The combined field ${quote(name)} is given twice: give each its own name.`)
    if (Object.hasOwn(ownAnalyzers, name)) {
      throw new RangeError(
        `The combined field ${quote(name)} takes its words from its sources: give these an analyzer, not it.`,
      )
    }
    names.add(name)
  }
  return options.map(({ name, fields, layers }) => {
    const sources = Object.entries(fields).map(([source, weight]) => ({ name: source, weight }))
    // In one order, so that the same sources are recorded alike in every index.
    sources.sort((a, b) => (a.name < b.name ? -1 : 1))
    if (sources.length === 0) throw new RangeError(`The combined field ${quote(name)} needs at least one source.`)
    for (const { name: source, weight } of sources) {
      checkName(source)
      if (names.has(source)) {
        throw new RangeError(
          `The combined field ${quote(name)} cannot be made of ${quote(source)}, which is combined itself: name the fields of documents.`,
        )
      }
      if (!(Number.isInteger(weight) && weight >= 1 && weight <= MAX_SOURCE_WEIGHT)) {
        throw new RangeError(
          `The weight of ${quote(source)} in the combined field ${quote(name)} must be a whole number from 1 to ${MAX_SOURCE_WEIGHT}, not ${weight}.`,
        )
      }
    }
    if (layers?.length === 0) throw new RangeError(`The combined field ${quote(name)} needs at least one layer.`)
    return { name, sources, layers: layers === undefined ? undefined : [...new Set(layers)].sort() }
  })
}

/** The combined fields that a commit, or another index, records. */
export function recordedCombinedFields(fields: readonly IndexField[]): CombinedSchema[] {
  const layersOf = new Map<string, string[]>()
  for (const { name, options, sources } of fields) {
    if (sources === undefined) continue
    const [field = '', layer = ''] = name.split('#')
    const layers = layersOf.get(field) ?? []
    layersOf.set(field, layers)
    if (options !== 'none') layers.push(layer)
  }
  const found: CombinedSchema[] = []
  for (const { name, sources } of fields) {
    if (sources === undefined || name.includes('#')) continue
    found.push({ name, sources, layers: layersOf.get(name)!.sort() })
  }
  return found
}

/**
 * The combined fields of a writer.
 * @param options what it was given; undefined: what the index records
 * @param recorded the fields of the index
 * @param isEmpty whether the index has no document, so that it may go on with others
 * @throws SpindleError COMBINED_FIELD_MISMATCH; RangeError for an option that cannot be
 */
export function combinedFieldsOf(
  path: string,
  options: readonly CombinedFieldOptions[] | undefined,
  ownAnalyzers: Readonly<Record<string, unknown>> | undefined,
  recorded: readonly IndexField[],
  isEmpty: boolean,
): CombinedSchema[] {
  const known = recordedCombinedFields(recorded)
  if (options === undefined) return known
  const given = parseCombinedFields(options, ownAnalyzers)
  if (!isEmpty) {
    const difference = compareCombined(given, known)
    if (difference !== null) {
      const { name, one, other } = difference
      throw mismatch(
        `The index in ${path} was written with ${tell(other)} as the combined field ${quote(name)}, and now it is ${tell(one)}: leave "combinedFields" out to go on as before, or build the index again from its stored text.`,
      )
    }
  }
  return given
}

/**
 * Compares another index, whose documents are to be added, with this one.
 * @throws SpindleError COMBINED_FIELD_MISMATCH where words of its documents would be missing in, or weigh otherwise in,
 * a combined field
 */
export function checkAddedFields(own: readonly CombinedSchema[], added: readonly IndexField[]): void {
  const theirs = recordedCombinedFields(added)
  const names = new Set(added.map(({ name }) => name))
  for (const one of own) {
    const { name, sources } = one
    const isOrdinary = names.has(name) && theirs.every((one) => one.name !== name)
    if (!isOrdinary && !names.has(name) && sources.every((source) => !names.has(source.name))) continue
    const other = theirs.find((one) => one.name === name)
    if (other !== undefined && isSame(one, other)) continue
    const what = isOrdinary ? 'a field of documents' : tell(other)
    throw mismatch(
      `The combined field ${quote(name)} is ${tell(one)} here and ${what} in an index to be added: build that index again with the same "combinedFields".`,
    )
  }
  for (const { name, sources } of theirs) {
    if (own.some((one) => one.name === name)) continue
    throw mismatch(
      `An index to be added has the combined field ${quote(name)} of ${printSources(sources)}, and this one has not: begin this one with the same "combinedFields".`,
    )
  }
}

/**
 * The fields that hold a combined field: one for each layer that an analyzer of its sources makes. Frequencies are kept
 * where one of these layers keeps any, norms too, positions never.
 */
export function combinedLayers(
  { name, sources, layers: combined }: CombinedSchema,
  analyzerFor: (field: string) => Analyzer,
): IndexField[] {
  const layers = new Map<string, AnalyzerLayer>()
  for (const source of sources) {
    for (const layer of analyzerFor(source.name).layers) {
      if (combined?.includes(layer.name) === false) continue
      const known = layers.get(layer.name)
      const options = layer.options === 'docs' && known?.options !== 'freqs' ? 'docs' : 'freqs'
      layers.set(layer.name, { name: layer.name, options, norms: layer.norms || known?.norms === true })
    }
  }
  const type = fieldType('unStored')
  const fields: IndexField[] = [...layers.values()].map((layer) => ({
    name: layerFieldName(name, layer.name),
    options: layer.options,
    norms: layer.norms,
    type,
    sources,
  }))
  // The field itself says what its layers are made of.
  if (!layers.has('')) fields.push({ name, options: 'none', norms: false, type, sources })
  return fields
}

/** The layers of a combined field are recorded otherwise than its sources make them. @returns what to throw */
export function layerMismatch({ name }: CombinedSchema, layer: IndexField, recorded: IndexField): SpindleError {
  return mismatch(
    `The combined field ${quote(name)} was indexed with ${recorded.options}${recorded.norms ? ' and norms' : ''} as ${quote(layer.name)}, and the analyzers of its sources now make ${layer.options}${layer.norms ? ' and norms' : ''}: use the analyzers of then, or build the index again from its stored text.`,
  )
}

/** Where the words of a source field count too. */
export interface CombinedTarget {
  /** Number of the combined field, or of its layer. */
  readonly number: number
  readonly weight: number
}

function checkName(name: string): void {
  if (typeof name === 'string' && name !== '' && !name.includes('#') && Buffer.from(name).toString() === name) return
  throw new RangeError(
    `A combined field and its sources need names without "#" and half characters, not ${quote(name)}.`,
  )
}

function compareCombined(
  given: readonly CombinedSchema[],
  known: readonly CombinedSchema[],
): { name: string; one: CombinedSchema | undefined; other: CombinedSchema | undefined } | null {
  for (const name of new Set([...given, ...known].map((one) => one.name))) {
    const one = given.find((schema) => schema.name === name)
    const other = known.find((schema) => schema.name === name)
    if (one === undefined || other === undefined || !isSame(one, other)) return { name, one, other }
  }
  return null
}

/** Where layers are not named, those that there are will do. */
function isSame(a: CombinedSchema, b: CombinedSchema): boolean {
  const sameLayers = a.layers === undefined || b.layers === undefined || a.layers.join('#') === b.layers.join('#')
  return sameLayers && printSources(a.sources) === printSources(b.sources)
}

function tell(schema: CombinedSchema | undefined): string {
  if (schema === undefined) return 'nothing'
  const { sources, layers } = schema
  return `${printSources(sources)}${layers === undefined ? '' : ` in the layers ${layers.map(quote).join(', ')}`}`
}

function quote(name: unknown): string {
  return JSON.stringify(name)
}

function mismatch(message: string): SpindleError {
  return new SpindleError('COMBINED_FIELD_MISMATCH', message)
}
