/**
 * A directed graph of pages and links for ranking: the in-links of each node in one flat array (compressed sparse rows), because
 * ranks are pulled along them. It knows no address: nodes and groups (sites) are numbers. 4 bytes a link, 8 to 12 a node.
 */

/** See the head of this file. A link to the node itself, and one that is there twice, count for nothing. */
export class LinkGraph {
  readonly nodeCount: number
  readonly linkCount: number
  /** The in-links of node j come from `sources[starts[j]]` to `sources[starts[j + 1] − 1]`. */
  readonly starts: Uint32Array
  /** Ascending by group, then by node, within each node. */
  readonly sources: Int32Array
  /** Links that leave a node. */
  readonly outDegrees: Int32Array
  /** The group that a node belongs to, a whole number from 0 to 2^22 − 1; null: none does. */
  readonly groups: Int32Array | null

  /**
   * Takes over the arrays and sorts them in place.
   * @param starts one more than there are nodes
   * @throws RangeError where a number is out of its range
   */
  constructor(starts: Uint32Array, sources: Int32Array, groups: Int32Array | null = null) {
    const nodes = starts.length - 1
    if (nodes < 0 || starts[0] !== 0 || starts[nodes] > sources.length) {
      throw new RangeError(`the starts of ${nodes} nodes do not fit ${sources.length} links`)
    }
    if (groups !== null && groups.length !== nodes) throw new RangeError(`${groups.length} groups of ${nodes} nodes`)
    this.nodeCount = nodes
    this.groups = groups
    this.outDegrees = new Int32Array(nodes)
    let kept = 0
    for (let node = 0; node < nodes; node++) {
      const from = starts[node]
      const to = starts[node + 1]
      if (to < from) throw new RangeError(`the links of node ${node} end before they begin`)
      starts[node] = kept
      const list = sources.subarray(from, to)
      sortSources(list, groups)
      let last = -1
      for (let i = 0; i < list.length; i++) {
        const source = list[i]
        if (!(source >= 0 && source < nodes)) throw new RangeError(`a link comes from node ${source} of ${nodes}`)
        if (source === last || source === node) continue
        last = source
        sources[kept++] = source
        this.outDegrees[source]++
      }
    }
    starts[nodes] = kept
    this.starts = starts
    this.sources = sources.subarray(0, kept)
    this.linkCount = kept
  }

  /**
   * A graph of links in any order: link i leads from node `from[i]` to node `to[i]`.
   * @throws RangeError where a number is out of its range
   */
  static fromLinks(
    nodeCount: number,
    from: ArrayLike<number>,
    to: ArrayLike<number>,
    groups: Int32Array | null = null,
  ): LinkGraph {
    if (from.length !== to.length) throw new RangeError(`${from.length} links begin and ${to.length} end`)
    const starts = new Uint32Array(nodeCount + 1)
    for (let i = 0; i < to.length; i++) {
      const target = to[i]
      if (!(target >= 0 && target < nodeCount)) throw new RangeError(`a link leads to node ${target} of ${nodeCount}`)
      starts[target + 1]++
    }
    for (let node = 0; node < nodeCount; node++) starts[node + 1] += starts[node]
    const next = starts.slice()
    const sources = new Int32Array(from.length)
    for (let i = 0; i < from.length; i++) sources[next[to[i]]++] = from[i]
    return new LinkGraph(starts, sources, groups)
  }

  /** The same links the other way round: another graph of the same size. */
  reversed(): LinkGraph {
    const { nodeCount, linkCount, outDegrees, sources } = this
    const starts = new Uint32Array(nodeCount + 1)
    for (let node = 0; node < nodeCount; node++) starts[node + 1] = starts[node] + outDegrees[node]
    const next = starts.slice()
    const targets = new Int32Array(linkCount)
    for (let node = 0; node < nodeCount; node++) {
      for (let i = this.starts[node]; i < this.starts[node + 1]; i++) targets[next[sources[i]]++] = node
    }
    return new LinkGraph(starts, targets, this.groups)
  }
}

/** Sorts the sources of one node by group and node. */
function sortSources(list: Int32Array, groups: Int32Array | null): void {
  if (list.length < 2) return
  list.sort()
  if (groups === null) return
  let ordered = true
  for (let i = 1; i < list.length && ordered; i++) ordered = groups[list[i - 1]] <= groups[list[i]]
  if (ordered) return
  // Group and node as one number, exact below 2^53.
  const keys = Float64Array.from(list, (node) => groups[node] * NODES + node).sort()
  for (let i = 0; i < keys.length; i++) list[i] = keys[i] % NODES
}

const NODES = 2 ** 31
