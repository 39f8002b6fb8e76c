/** What one segment holds of one field (or of one layer of it). */
import type { FieldType } from './field-type.js'

/** What postings hold; each choice includes the ones before it. */
export type PostingsOptions = 'docs' | 'freqs' | 'positions'

/** A field whose words count in a combined field too. */
export interface CombinedSource {
  readonly name: string
  /** An occurrence counts as so many: a whole number from 1 on. */
  readonly weight: number
}

/** Facts and sums of a field in a segment. A layer `word` of the field `body` is the field `body#word` here. */
export interface FieldInfo {
  /** The same in all segments of an index. */
  readonly number: number
  readonly name: string
  /** What the postings hold, or `none` for a field that is only stored. */
  readonly options: PostingsOptions | 'none'
  /** Whether a length norm is kept for each document. */
  readonly norms: boolean
  /** As what its values are added, in all segments of an index; a layer has the type of its field. */
  readonly type: FieldType
  /**
   * Of a combined field, and of each layer of it: the fields that it is made of. A frequency is then the sum of weight
   * times frequency over these fields, and so is the length.
   */
  readonly sources?: readonly CombinedSource[] | undefined
  /** Documents with at least one term in the field, deleted ones included until they are merged away. */
  readonly docCount: number
  /** Sum of the frequencies of all terms; equal to `sumDocFreq` where no frequencies are kept. */
  readonly sumTotalTermFreq: number
  /** Number of postings: the sum of the document frequencies of all terms. */
  readonly sumDocFreq: number
}

/** Whether the positions of a field have offsets beside them. */
export function hasOffsets({ options, type }: Pick<FieldInfo, 'options' | 'type'>): boolean {
  return type.offsets && options === 'positions'
}

/** Sources as they are printed: `title^8, body^1`. */
export function printSources(sources: readonly CombinedSource[]): string {
  return sources.map(({ name, weight }) => `${name}^${weight}`).join(', ')
}

/** Name of the hidden field of a layer; the layer `''` is the field itself. */
export function layerFieldName(field: string, layer: string): string {
  return layer === '' ? field : `${field}#${layer}`
}
