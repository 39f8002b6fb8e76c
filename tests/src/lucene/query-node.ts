/**
 * Queries as plain trees: what a generator makes, both engines read, and a failure prints. `toWire` writes them for
 * Lucene (tests/java/QueryReader.java), `toQuery` (to-query.ts) makes queries of ours of them.
 */
import type { Occur } from '@spindle/index'

/** A clause of a boolean query. */
export interface ClauseNode {
  readonly occur: Occur
  readonly query: QueryNode
}

/** A word, or alternatives, or nearness again, within {@link NearNode}. */
export type SpanNode =
  | { readonly kind: 'spanTerm'; readonly field: string; readonly text: string }
  | { readonly kind: 'spanOr'; readonly spans: readonly SpanNode[] }
  | NearNode

/** Words near each other. */
export interface NearNode {
  readonly kind: 'near'
  readonly slop: number
  readonly inOrder: boolean
  readonly spans: readonly SpanNode[]
}

/** A function of a number of the document. */
export type FunctionNode =
  | { readonly kind: 'value' | 'sqrt' | 'ln1p' }
  | { readonly kind: 'saturation'; readonly pivot: number }
  | { readonly kind: 'exponential'; readonly origin: number; readonly scale: number }

/** A query of a kind that both engines have. */
export type QueryNode =
  | { readonly kind: 'term'; readonly field: string; readonly text: string }
  | { readonly kind: 'boolean'; readonly minimum: number; readonly clauses: readonly ClauseNode[] }
  | { readonly kind: 'boost'; readonly boost: number; readonly query: QueryNode }
  | { readonly kind: 'constant'; readonly query: QueryNode }
  | { readonly kind: 'dismax'; readonly tieBreaker: number; readonly queries: readonly QueryNode[] }
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'exists'; readonly field: string }
  | {
      readonly kind: 'phrase'
      readonly field: string
      readonly slop: number
      readonly words: readonly { readonly position: number; readonly text: string }[]
    }
  | {
      readonly kind: 'multiPhrase'
      readonly field: string
      readonly slop: number
      readonly places: readonly { readonly position: number; readonly texts: readonly string[] }[]
    }
  | { readonly kind: 'prefix' | 'wildcard' | 'regexp'; readonly field: string; readonly pattern: string }
  | {
      readonly kind: 'fuzzy'
      readonly field: string
      readonly text: string
      readonly maxEdits: number
      readonly prefixLength: number
      readonly maxExpansions: number
      readonly transpositions: boolean
    }
  | { readonly kind: 'termSet'; readonly field: string; readonly texts: readonly string[] }
  | {
      readonly kind: 'termRange'
      readonly field: string
      readonly lower: string | null
      readonly upper: string | null
      readonly includeLower: boolean
      readonly includeUpper: boolean
    }
  | { readonly kind: 'numberRange'; readonly field: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'combined'
      readonly fields: readonly { readonly name: string; readonly weight: number }[]
      readonly text: string
    }
  | {
      readonly kind: 'like'
      readonly field: string
      readonly text: string
      readonly minTermFreq: number
      readonly minDocFreq: number
    }
  | {
      readonly kind: 'function'
      readonly combine: 'multiply' | 'add' | 'replace'
      readonly field: string
      readonly function: FunctionNode
      readonly base: number
      readonly weight: number
      readonly query: QueryNode
    }
  | NearNode

/** The parts of a query as Lucene's end reads them, to be joined by tabs. */
export function toWire(node: QueryNode | SpanNode): string[] {
  const all = (nodes: readonly (QueryNode | SpanNode)[]): string[] => [`${nodes.length}`, ...nodes.flatMap(toWire)]
  const { kind } = node
  switch (kind) {
    case 'term':
    case 'spanTerm':
      return [kind, node.field, node.text]
    case 'boolean': {
      const clauses = node.clauses.flatMap(({ occur, query }) => [occur, ...toWire(query)])
      return [kind, `${node.minimum}`, `${node.clauses.length}`, ...clauses]
    }
    case 'boost':
      return [kind, `${node.boost}`, ...toWire(node.query)]
    case 'constant':
      return [kind, ...toWire(node.query)]
    case 'dismax':
      return [kind, `${node.tieBreaker}`, ...all(node.queries)]
    case 'all':
    case 'none':
      return [kind]
    case 'exists':
      return [kind, node.field]
    case 'phrase': {
      const words = node.words.flatMap(({ position, text }) => [`${position}`, text])
      return [kind, node.field, `${node.slop}`, `${node.words.length}`, ...words]
    }
    case 'multiPhrase': {
      const places = node.places.flatMap(({ position, texts }) => [`${position}`, `${texts.length}`, ...texts])
      return [kind, node.field, `${node.slop}`, `${node.places.length}`, ...places]
    }
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return [kind, node.field, node.pattern]
    case 'fuzzy': {
      const { field, text, maxEdits, prefixLength, maxExpansions, transpositions } = node
      return [kind, field, text, `${maxEdits}`, `${prefixLength}`, `${maxExpansions}`, `${transpositions}`]
    }
    case 'termSet':
      return [kind, node.field, `${node.texts.length}`, ...node.texts]
    case 'termRange': {
      const { field, lower, upper, includeLower, includeUpper } = node
      return [kind, field, lower ?? '', upper ?? '', `${includeLower}`, `${includeUpper}`]
    }
    case 'numberRange':
      return [kind, node.field, `${node.from}`, `${node.to}`]
    case 'combined': {
      const fields = node.fields.flatMap(({ name, weight }) => [name, `${weight}`])
      return [kind, `${node.fields.length}`, ...fields, node.text]
    }
    case 'like':
      return [kind, node.field, node.text, `${node.minTermFreq}`, `${node.minDocFreq}`]
    case 'function': {
      const { combine, field, base, weight } = node
      return [kind, combine, field, ...functionParts(node.function), `${base}`, `${weight}`, ...toWire(node.query)]
    }
    case 'spanOr':
      return [kind, ...all(node.spans)]
    case 'near':
      return [kind, `${node.slop}`, `${node.inOrder}`, ...all(node.spans)]
  }
}

/** Its kind and two parameters, 0 where it has none. */
function functionParts(shape: FunctionNode): string[] {
  if (shape.kind === 'saturation') return [shape.kind, `${shape.pivot}`, '0']
  if (shape.kind === 'exponential') return [shape.kind, `${shape.origin}`, `${shape.scale}`]
  return [shape.kind, '0', '0']
}
