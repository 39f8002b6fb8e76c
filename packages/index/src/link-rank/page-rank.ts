/**
 * PageRank (Brin and Page 1998): how often a surfer would look at each node who follows a link of the node at hand with
 * probability d, and begins anew anywhere otherwise.
 *
 *   W(j) = (1 − d) + d · Σ l(i, j) · W(i) / n(i)        over the nodes i that link to j, n(i) links each
 *
 * What has no link to follow leads anywhere. The mean of all ranks is 1. With groups, links are weighted ({@link LinkWeights}); a
 * surfer whom a link is too light for begins anew, and in the end the ranks are spread as if all had followed a link. Costs one
 * pass over the links an iteration, three numbers a node.
 */
import type { LinkGraph } from './link-graph.js'
import { type LinkWeightOptions, LinkWeights } from './link-weights.js'

/** Settings of {@link pageRank}. */
export interface PageRankOptions extends LinkWeightOptions {
  /** d, at least 0 and below 1; 0.85 where not given. */
  readonly damping?: number
  /** Ends where the ranks change by less than this in the mean; 1e-9 where not given. */
  readonly tolerance?: number
  /** Ends after so many passes at the latest; 200 where not given. */
  readonly maxIterations?: number
}

/** Scores of all nodes, and how they came about. */
export interface PageRankResult {
  /** By node; their mean is 1. */
  readonly ranks: Float64Array
  readonly iterations: number
  /** Mean change of a rank in the last iteration. */
  readonly change: number
}

/** @throws RangeError where a setting is out of its range */
export function pageRank(graph: LinkGraph, options: PageRankOptions = {}): PageRankResult {
  const { damping = 0.85, tolerance = 1e-9, maxIterations = 200 } = options
  if (!(damping >= 0 && damping < 1)) throw new RangeError(`the damping must be at least 0 and below 1: ${damping}`)
  if (!(tolerance >= 0)) throw new RangeError(`the tolerance must be ≥ 0: ${tolerance}`)
  const { nodeCount, outDegrees } = graph
  const weights = new LinkWeights(graph, options, true)
  const ranks = new Float64Array(nodeCount).fill(1)
  const given = new Float64Array(nodeCount)
  const received = new Float64Array(nodeCount)
  let idle = 0
  let total = 0
  let iterations = 0
  let change = nodeCount === 0 ? 0 : Infinity
  while (iterations < maxIterations && change > tolerance) {
    idle = 0
    for (let node = 0; node < nodeCount; node++) {
      const degree = outDegrees[node]
      if (degree === 0) idle += ranks[node]
      given[node] = degree === 0 ? 0 : ranks[node] / degree
    }
    total = weights.gather(given, received)
    // What no link takes along goes to all alike.
    const base = 1 - damping + (damping * (nodeCount - total)) / nodeCount
    let moved = 0
    for (let node = 0; node < nodeCount; node++) {
      const rank = base + damping * received[node]
      moved += Math.abs(rank - ranks[node])
      ranks[node] = rank
    }
    change = moved / nodeCount
    iterations++
  }
  if (graph.groups !== null && total > 0) {
    const scale = (nodeCount - idle) / total
    const base = 1 - damping + (damping * idle) / nodeCount
    for (let node = 0; node < nodeCount; node++) ranks[node] = base + damping * scale * received[node]
  }
  return { ranks, iterations, change }
}
