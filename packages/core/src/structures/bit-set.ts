/** A fixed-size set of small integers, 32 a word. A Uint32Array beats a native bitmap at the sizes of a segment. */
export class BitSet {
  /** Number of bits. */
  readonly length: number
  /** The words; bit `i` is bit `i & 31` of word `i >>> 5`. Bits past `length` are zero. */
  readonly words: Uint32Array

  /** @param words is used, not copied; all zero where left out */
  constructor(length: number, words: Uint32Array = new Uint32Array((length + 31) >>> 5)) {
    if (words.length !== (length + 31) >>> 5) throw new RangeError(`${words.length} words do not hold ${length} bits`)
    this.length = length
    this.words = words
  }

  /** A set with every bit on. */
  static full(length: number): BitSet {
    const set = new BitSet(length)
    set.words.fill(0xffffffff)
    if ((length & 31) !== 0) set.words[set.words.length - 1] = (1 << (length & 31)) - 1
    return set
  }

  get(index: number): boolean {
    return (this.words[index >>> 5]! & (1 << (index & 31))) !== 0
  }

  set(index: number): void {
    this.words[index >>> 5]! |= 1 << (index & 31)
  }

  clear(index: number): void {
    this.words[index >>> 5]! &= ~(1 << (index & 31))
  }

  /** How many bits are on. */
  count(): number {
    let total = 0
    for (let i = 0; i < this.words.length; i++) total += popCount(this.words[i]!)
    return total
  }

  /** How many bits are on here and in a set of the same length. */
  countWith(other: BitSet): number {
    let total = 0
    for (let i = 0; i < this.words.length; i++) total += popCount(this.words[i]! & other.words[i]!)
    return total
  }

  /** The first bit that is on at or after `from`, or −1. */
  nextSetBit(from: number): number {
    if (from >= this.length) return -1
    let w = from >>> 5
    let word = this.words[w]! & (0xffffffff << (from & 31))
    while (word === 0) {
      if (++w >= this.words.length) return -1
      word = this.words[w]!
    }
    return (w << 5) + 31 - Math.clz32(word & -word)
  }

  clone(): BitSet {
    return new BitSet(this.length, this.words.slice())
  }
}

/** Number of bits that are on in a word. */
function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
