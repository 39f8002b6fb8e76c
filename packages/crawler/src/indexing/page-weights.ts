/**
 * The places of a page that count together, in one combined field, and what a word in each is worth. They are a part of the index:
 * other weights take an index built anew.
 */
import { PageField } from '@spindle/core'
import type { CombinedFieldOptions } from '@spindle/index'

/** A word of a heading stands in the body as well. */
export const DEFAULT_PAGE_WEIGHTS: Readonly<Record<string, number>> = {
  [PageField.body]: 1,
  [PageField.title]: 2,
  [PageField.headings]: 1,
  [PageField.anchor]: 2,
  [PageField.author]: 1,
  [PageField.keywords]: 1,
  [PageField.address]: 1,
}

/** The layer that ranks: what it does not hold (pairs of characters, single ones) is asked of the places themselves. */
const LAYERS = ['word']

/** For the writer. A weight of 0 leaves a place out. */
export function pageCombinedFields(weights = DEFAULT_PAGE_WEIGHTS): CombinedFieldOptions[] {
  const fields = Object.fromEntries(Object.entries(weights).filter(([, weight]) => weight > 0))
  return [{ name: PageField.all, fields, layers: LAYERS }]
}
