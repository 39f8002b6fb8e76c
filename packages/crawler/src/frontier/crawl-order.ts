/** The orders that a crawl can be told to keep; see {@link CrawlOrder}. */
import { SpindleError } from '@spindle/core'
import type { CrawlOrder } from './workload.js'

/** Layer by layer, first in first out within a layer. */
export const breadthFirst: CrawlOrder = { name: 'breadth', priority: ({ depth }) => depth }

/**
 * The links of the page just fetched before everything else: of the waiting addresses those farthest from the seeds, which are its
 * own links, then those of the page before it.
 */
export const depthFirst: CrawlOrder = { name: 'depth', priority: ({ depth }) => -depth }

const ORDERS = [breadthFirst, depthFirst]

/** Names of the orders. */
export const ORDER_NAMES: readonly string[] = ORDERS.map(({ name }) => name)

/** @throws SpindleError `CONFIG_INVALID` where there is no such order */
export function orderOf(name: string): CrawlOrder {
  const order = ORDERS.find((order) => order.name === name)
  if (order !== undefined) return order
  throw new SpindleError('CONFIG_INVALID', `There is no crawl strategy "${name}": choose ${ORDER_NAMES.join(' or ')}.`)
}
