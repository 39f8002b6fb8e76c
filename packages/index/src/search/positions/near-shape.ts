/** What a near query looks for, with numbers for its terms. */
import type { Presence } from './presence.js'

/** A term, one of several parts, or all parts near each other. */
export type NearShape =
  | { readonly kind: 'term'; readonly term: number }
  | { readonly kind: 'any'; readonly parts: readonly NearShape[] }
  | {
      readonly kind: 'near'
      /** At least two. */
      readonly parts: readonly NearShape[]
      readonly slop: number
      readonly inOrder: boolean
    }

/** Which of its terms a document needs. */
export function presenceOf(shape: NearShape): Presence {
  if (shape.kind === 'term') return shape.term
  const parts = shape.parts.map(presenceOf)
  return shape.kind === 'any' ? { any: parts } : { all: parts }
}
