/**
 * What a link weighs, and sums over the links of a graph by these weights.
 *
 * A site repeats a link on each of its pages, and a spammer makes pages by the thousand, so the k links that lead from one group
 * (site) to a node count together as 1 + ln k, and those of the node's own group only a part of that. Bharat and Henzinger (1998)
 * let them count as 1; then a crawl of a single site would know nothing of how often its pages are linked.
 */
import type { LinkGraph } from './link-graph.js'

/** Weights of links in a graph with groups. */
export interface LinkWeightOptions {
  /** What a link from the node's own group weighs, > 0; 0.25 where not given. In a graph of one group it changes nothing. */
  readonly ownWeight?: number
}

const OWN_WEIGHT = 0.25
const TABLE = 1024

/** See the head of this file. Without groups each link weighs 1. */
export class LinkWeights {
  readonly #graph: LinkGraph
  readonly #own: number
  /** (1 + ln k) / k */
  readonly #shares = Float64Array.from({ length: TABLE }, (_, k) => share(k))

  /** @throws RangeError where a weight is out of its range */
  constructor(graph: LinkGraph, { ownWeight = OWN_WEIGHT }: LinkWeightOptions) {
    if (!(ownWeight > 0 && ownWeight < Infinity)) throw new RangeError(`a weight must be > 0: ${ownWeight}`)
    this.#graph = graph
    this.#own = ownWeight
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
          sum += part * this.#weight(i - first, group === groups[node])
        }
      }
      out[node] = sum
      total += sum
    }
    return total
  }

  /** Of one of `count` links from a group. */
  #weight(count: number, own: boolean): number {
    const one = count < TABLE ? this.#shares[count] : share(count)
    return own ? one * this.#own : one
  }
}

function share(count: number): number {
  return count === 0 ? 0 : (1 + Math.log(count)) / count
}
