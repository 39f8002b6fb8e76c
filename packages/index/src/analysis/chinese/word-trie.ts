/**
 * The words of a dictionary as a trie in one flat array: an open-addressing hash table of its edges. The slot of an edge
 * is the number of the node it leads to, and the cost of the word that ends there stands beside its key, so that a step
 * with its cost costs one multiplication and, mostly, one cache line. It is built without sorting, and copied by
 * copying one array (a double-array trie needs the words sorted and moves its nodes at each addition).
 *
 * ```
 * slot 2·s      node the edge comes from + 1                      0 = empty
 *      2·s + 1  label (16 bits) << 16 | cost (16 bits)            cost 0: no word ends here
 * ```
 */

/** The node before the first character. */
export const ROOT = 0

/** Costs are whole numbers of 1/512 nat, so that sums are exact; none is above 65,535. */
export const COST_UNITS = 512

const MAX_COST = 0xffff
const LEAST_SLOT_BITS = 8
const LEAST_LABELS = 256

/** A map from words, as arrays of labels (1 to 65,535), to costs. */
export class WordTrie {
  /** Number of words. */
  wordCount = 0
  /** Length of the longest word. */
  maxLength = 1

  #slotBits: number
  #table: Int32Array
  #nodes = 0
  /** Node behind the root by label, 0 where there is none. */
  #first = new Int32Array(LEAST_LABELS)

  /** @param nodes how many nodes there will be about */
  constructor(nodes: number) {
    let bits = LEAST_SLOT_BITS
    while (nodes > 0.7 * 2 ** bits) bits++
    this.#slotBits = bits
    this.#table = emptyTable(bits)
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#table.byteLength + this.#first.byteLength
  }

  /** A trie of the same words, to be changed on its own. */
  copy(): WordTrie {
    const copy = new WordTrie(0)
    copy.wordCount = this.wordCount
    copy.maxLength = this.maxLength
    copy.#slotBits = this.#slotBits
    copy.#table = this.#table.slice()
    copy.#nodes = this.#nodes
    copy.#first = this.#first.slice()
    return copy
  }

  /** The node of words that begin with a label, or −1. */
  first(label: number): number {
    const node = label < this.#first.length ? this.#first[label]! : 0
    return node === 0 ? -1 : node
  }

  /** The node behind `node` by a label, or −1. */
  step(node: number, label: number): number {
    const table = this.#table
    const mask = table.length - 1
    let at = this.#home(node, label)
    for (;;) {
      const from = table[at]!
      if (from === node + 1 && table[at + 1]! >>> 16 === label) return at >>> 1
      if (from === 0) return -1
      at = (at + 2) & mask
    }
  }

  /** The cost of the word that ends at a node, 0 where none does. */
  costAt(node: number): number {
    return this.#table[2 * node + 1]! & 0xffff
  }

  /**
   * Sets the cost of a word, or takes it out with 0.
   * @param cost in units of 1/{@link COST_UNITS} nat; brought to 1 to 65,535 where it is above 0
   * @param cheaper whether a known word keeps its cost where that is lower
   */
  set(labels: ArrayLike<number>, length: number, cost: number, cheaper = false): void {
    let node = this.first(labels[0]!)
    if (node < 0) node = this.#stepOrAdd(ROOT, labels[0]!)
    for (let i = 1; i < length; i++) node = this.#stepOrAdd(node, labels[i]!)
    const known = this.costAt(node)
    const value = cost <= 0 ? 0 : Math.min(Math.max(1, Math.round(cost)), MAX_COST)
    if (cheaper && known !== 0 && known <= value) return
    this.wordCount += (value === 0 ? 0 : 1) - (known === 0 ? 0 : 1)
    this.#table[2 * node + 1] = (this.#table[2 * node + 1]! & 0xffff0000) | value
    if (length > this.maxLength) this.maxLength = length
  }

  #home(node: number, label: number): number {
    const key = Math.imul(node, 0x9e3779b1) ^ Math.imul(label, 0x85ebca6b)
    return (Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) >>> (32 - this.#slotBits)) << 1
  }

  #stepOrAdd(node: number, label: number): number {
    const found = this.step(node, label)
    if (found >= 0) return found
    let from = node
    if (this.#nodes >= 0.75 * 2 ** this.#slotBits) from = this.#grow(node)
    this.#nodes++
    const added = this.#insert(from, label, 0)
    if (node === ROOT) this.#setFirst(label, added)
    return added
  }

  #setFirst(label: number, node: number): void {
    if (label >= this.#first.length) {
      const larger = new Int32Array(Math.max(2 * this.#first.length, label + 1))
      larger.set(this.#first)
      this.#first = larger
    }
    this.#first[label] = node
  }

  #insert(node: number, label: number, cost: number): number {
    const table = this.#table
    const mask = table.length - 1
    let at = this.#home(node, label)
    while (table[at] !== 0) at = (at + 2) & mask
    table[at] = node + 1
    table[at + 1] = (label << 16) | cost
    return at >>> 1
  }

  /** Doubles the table; returns the new number of a node. */
  #grow(node: number): number {
    const old = this.#table
    this.#slotBits++
    this.#table = emptyTable(this.#slotBits)
    const moved = new Int32Array(old.length >>> 1).fill(-1)
    moved[ROOT] = ROOT
    const chain: number[] = []
    for (let slot = 1; slot < moved.length; slot++) {
      if (old[2 * slot] === 0) continue
      // A node's number is its slot, so the nodes before it have to be moved first.
      for (let at = slot; moved[at]! < 0; at = old[2 * at]! - 1) chain.push(at)
      while (chain.length > 0) {
        const at = chain.pop()!
        const value = old[2 * at + 1]!
        moved[at] = this.#insert(moved[old[2 * at]! - 1]!, value >>> 16, value & 0xffff)
      }
    }
    for (let label = 0; label < this.#first.length; label++) this.#first[label] = moved[this.#first[label]!]!
    return moved[node]!
  }
}

/** Slot 0 is the root: taken by a parent that no edge has. */
function emptyTable(slotBits: number): Int32Array {
  const table = new Int32Array(2 << slotBits)
  table[2 * ROOT] = -1
  return table
}
