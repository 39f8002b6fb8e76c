/**
 * The fingerprint of a text whose distance is that of the texts (Charikar, “Similarity estimation techniques from rounding
 * algorithms”, STOC 2002): each shingle votes with the bits of its hash for those of the fingerprint. Two texts that share most
 * shingles differ in few bits. Those within a distance are found by the pieces of their fingerprints, one of which they must have in
 * common (Manku et al., “Detecting near-duplicates for web crawling”, WWW 2007). There 3 bits of 64 decide; here the texts do, and
 * more bits find more: of two pages of 1,000 words of which one has 12 more, 3 bits find 82 %, 7 bits all.
 */
import { LINE_BREAK, mix } from './page-tokens.js'

/** 64 bits, the low and the high ones, each a whole number 0 … 2^32 − 1. */
export interface Simhash {
  readonly low: number
  readonly high: number
}

/** Tokens in a shingle: words, or characters of Chinese and Japanese. */
export const SHINGLE = 4
/** Bits in which the fingerprints of two pages that are compared may differ. */
export const MAX_DISTANCE = 7
/** Pieces of a fingerprint: two that differ in at most {@link MAX_DISTANCE} bits have one of them in common. */
export const BANDS = MAX_DISTANCE + 1

/** Calls back with two hashes of each shingle; line breaks count for nothing. */
export function forEachShingle(tokens: Uint32Array, use: (low: number, high: number) => void): void {
  let [a, b, c] = [0, 0, 0]
  let seen = 0
  for (let i = 0; i < tokens.length; i++) {
    const d = tokens[i]!
    if (d === LINE_BREAK) continue
    if (++seen >= SHINGLE) {
      let hash = Math.imul(a, 0x9e3779b1) ^ b
      hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77) ^ c
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d) ^ d
      const low = mix(hash)
      use(low >>> 0, mix(low ^ Math.imul(d, 0x27d4eb2f) ^ a) >>> 0)
    }
    a = b
    b = c
    c = d
  }
}

/** The fingerprint of a page's tokens. */
export function simhash(tokens: Uint32Array): Simhash {
  // Votes are counted by byte of the hash: eight additions a shingle instead of 64.
  const votes = new Uint32Array(8 * 256)
  let shingles = 0
  forEachShingle(tokens, (low, high) => {
    shingles++
    votes[low & 0xff]!++
    votes[0x100 | ((low >>> 8) & 0xff)]!++
    votes[0x200 | ((low >>> 16) & 0xff)]!++
    votes[0x300 | (low >>> 24)]!++
    votes[0x400 | (high & 0xff)]!++
    votes[0x500 | ((high >>> 8) & 0xff)]!++
    votes[0x600 | ((high >>> 16) & 0xff)]!++
    votes[0x700 | (high >>> 24)]!++
  })
  const words = [0, 0]
  for (let bit = 0; bit < 64; bit++) {
    const byte = (bit >> 3) << 8
    const mask = 1 << (bit & 7)
    let ones = 0
    for (let value = mask; value < 256; value = (value + 1) | mask) ones += votes[byte | value]!
    if (2 * ones > shingles) words[bit >> 5]! |= 1 << (bit & 31)
  }
  return { low: words[0]! >>> 0, high: words[1]! >>> 0 }
}

/** Bits in which two fingerprints differ. */
export function hammingDistance(a: Simhash, b: Simhash): number {
  return popCount(a.low ^ b.low) + popCount(a.high ^ b.high)
}

/** The pieces of a fingerprint, 8 bits each. */
export function bandsOf({ low, high }: Simhash): readonly number[] {
  return Array.from({ length: BANDS }, (_, i) => ((i < 4 ? low : high) >>> ((i & 3) * 8)) & 0xff)
}

/** Share of the shingles of two pages that they have in common (Broder 1997), 0 … 1; of two without any, 1. */
export function resemblance(a: Uint32Array, b: Uint32Array): number {
  const [one, other] = [shingleSet(a), shingleSet(b)]
  let shared = 0
  for (const shingle of one) if (other.has(shingle)) shared++
  const all = one.size + other.size - shared
  return all === 0 ? 1 : shared / all
}

function shingleSet(tokens: Uint32Array): Set<number> {
  const set = new Set<number>()
  // 53 bits: a number holds them exactly.
  forEachShingle(tokens, (low, high) => set.add((high >>> 11) * 0x100000000 + low))
  return set
}

function popCount(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
