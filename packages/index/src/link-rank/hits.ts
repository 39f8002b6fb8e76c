/**
 * Hubs and authorities (HITS, Kleinberg 1999): a good hub links to good authorities, and a good authority is linked by good hubs.
 *
 *   a(j) = Σ v(i, j) · h(i)      over the nodes that link to j
 *   h(i) = Σ w(i, j) · a(j)      over the nodes that i links to
 *
 * repeated with both scaled to a mean of 1. With groups, links are weighted ({@link LinkWeights}), for authorities by the group that
 * they come from and for hubs by the one that they lead to: otherwise the menu that all pages of a site share, or a page with
 * thousands of links, makes the best hubs and authorities. Two passes over the links an iteration, 8 bytes a link.
 */
import type { LinkGraph } from './link-graph.js'
import { type LinkWeightOptions, LinkWeights } from './link-weights.js'

/** Settings of {@link hits}. */
export interface HitsOptions extends LinkWeightOptions {
  /** Ends where scores change by less than this in the mean; 1e-7 where not given. */
  readonly tolerance?: number
  /** Ends after so many iterations at the latest; 100 where not given. */
  readonly maxIterations?: number
}

/** Scores of all nodes, and how they came about. All are 0 in a graph without links. */
export interface HitsResult {
  /** By node; their mean is 1. */
  readonly hubs: Float64Array
  /** By node; their mean is 1. */
  readonly authorities: Float64Array
  readonly iterations: number
  /** Mean change of a hub in the last iteration. */
  readonly change: number
}

/** @throws RangeError where a setting is out of its range */
export function hits(graph: LinkGraph, options: HitsOptions = {}): HitsResult {
  const { tolerance = 1e-7, maxIterations = 100 } = options
  if (!(tolerance >= 0)) throw new RangeError(`the tolerance must be ≥ 0: ${tolerance}`)
  const { nodeCount, linkCount } = graph
  const incoming = new LinkWeights(graph, options, true)
  const outgoing = new LinkWeights(graph.reversed(), options, false)
  let hubs = new Float64Array(nodeCount)
  const authorities = new Float64Array(nodeCount)
  let iterations = 0
  let change = 0
  if (linkCount > 0) {
    hubs.fill(1)
    change = Infinity
  }
  let next = new Float64Array(nodeCount)
  while (iterations < maxIterations && change > tolerance) {
    incoming.gather(hubs, authorities)
    scaleToMean(authorities)
    outgoing.gather(authorities, next)
    scaleToMean(next)
    let moved = 0
    for (let node = 0; node < nodeCount; node++) moved += Math.abs(next[node] - hubs[node])
    change = moved / nodeCount
    ;[hubs, next] = [next, hubs]
    iterations++
  }
  return { hubs, authorities, iterations, change }
}

/** Scales to a mean of 1. */
function scaleToMean(scores: Float64Array): void {
  let sum = 0
  for (let node = 0; node < scores.length; node++) sum += scores[node]
  const factor = sum > 0 ? scores.length / sum : 0
  for (let node = 0; node < scores.length; node++) scores[node] *= factor
}
