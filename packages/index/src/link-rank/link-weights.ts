/**
 * What a link weighs, and sums over the links of a graph by these weights.
 *
 * A site repeats a link on each of its pages, and a spammer makes pages by the thousand. So k links from a group (site) of n nodes
 * to one node count together as √(k · ln(1 + n/k) / ln(1 + n)): 1 where there is one, more with each, but ever less, and least where
 * all pages of the site have it, as in a menu. The k links of one node to the nodes of a group count as √k. Links within a group
 * weigh a part of that where there are others. (Bharat and Henzinger 1998 let k links count as 1; then a crawl of a single site
 * would know nothing of how often its pages are linked.)
 */
import type { LinkGraph } from './link-graph.js'

/** Weights of links in a graph with groups. */
export interface LinkWeightOptions {
  /** What a link from the node's own group weighs, > 0; 0.25 where not given. In a graph of one group all links are such. */
  readonly ownWeight?: number
}

const OWN_WEIGHT = 0.25

/** See the head of this file. Without groups each link weighs 1. */
export class LinkWeights {
  readonly #graph: LinkGraph
  readonly #own: number
  /** Nodes of each group; null: links count as √k whatever the size of the group. */
  readonly #sizes: Int32Array | null

  /**
   * @param menus whether links count less that all nodes of a group have
   * @throws RangeError where a weight is out of its range
   */
  constructor(graph: LinkGraph, { ownWeight = OWN_WEIGHT }: LinkWeightOptions, menus: boolean) {
    if (!(ownWeight > 0 && ownWeight < Infinity)) throw new RangeError(`a weight must be > 0: ${ownWeight}`)
    this.#graph = graph
    const sizes = graph.groups === null ? null : sizesOf(graph.groups)
    const isOneGroup = sizes === null || sizes.some((size) => size === graph.nodeCount)
    this.#own = isOneGroup ? 1 : ownWeight
    this.#sizes = menus ? sizes : null
  }

  /** Sets `out[j]` to the weighted sum of `values` over the nodes that link to j. @returns the sum of all */
  gather(values: Float64Array, out: Float64Array): number {
    const { nodeCount, starts, sources, groups } = this.#graph
    let total = 0
    for (let node = 0; node < nodeCount; node++) {
      const end = starts[node + 1]
      let sum = 0
      if (groups === null) for (let i = starts[node]; i < end; i++) sum += values[sources[i]]
      else {
        for (let i = starts[node]; i < end; ) {
          const first = i
          const group = groups[sources[i]]
          let part = 0
          do part += values[sources[i++]]
          while (i < end && groups[sources[i]] === group)
          if (i - first > 1) part *= this.#share(i - first, group)
          sum += group === groups[node] ? part * this.#own : part
        }
      }
      out[node] = sum
      total += sum
    }
    return total
  }

  /** What one of `count` links weighs. */
  #share(count: number, group: number): number {
    if (this.#sizes === null) return Math.sqrt(1 / count)
    const size = this.#sizes[group]
    return Math.sqrt(Math.log1p(size / count) / Math.log1p(size) / count)
  }
}

function sizesOf(groups: Int32Array): Int32Array {
  let last = -1
  for (let node = 0; node < groups.length; node++) last = Math.max(last, groups[node])
  const sizes = new Int32Array(last + 1)
  for (let node = 0; node < groups.length; node++) sizes[groups[node]]++
  return sizes
}
