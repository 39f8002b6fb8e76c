/** What one segment holds of one field (or of one layer of it). */
import type { FieldType } from './field-type.js'

/** What postings hold; each choice includes the ones before it. */
export type PostingsOptions = 'docs' | 'freqs' | 'positions'

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
  /** Documents with at least one term in the field, deleted ones included until they are merged away. */
  readonly docCount: number
  /** Sum of the frequencies of all terms; equal to `sumDocFreq` where no frequencies are kept. */
  readonly sumTotalTermFreq: number
  /** Number of postings: the sum of the document frequencies of all terms. */
  readonly sumDocFreq: number
}

/** Name of the hidden field of a layer; the layer `''` is the field itself. */
export function layerFieldName(field: string, layer: string): string {
  return layer === '' ? field : `${field}#${layer}`
}
