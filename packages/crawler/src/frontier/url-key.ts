/**
 * A 53-bit hash of an address, so that a row is found by an integer (8 bytes in the database) and a JavaScript number
 * holds it exactly. Two addresses can share a key (about 6 in a thousand crawls of ten million addresses), so who uses it
 * compares the text, too. Salted, so that nobody can prepare a page of colliding links.
 */

const SPAN = 2 ** 53

/** Keys are 0 … 2^53 − 1. @param salt a 32-bit integer drawn once for each frontier */
export function urlKey(url: string, salt: number): number {
  // Two independent lanes over the UTF-16 units (FNV-1a with another multiplier each), finished as MurmurHash3 does.
  let low = 0x811c9dc5 ^ salt
  let high = 0x9747b28c ^ Math.imul(salt, 0x85ebca6b)
  for (let i = 0; i < url.length; i++) {
    const unit = url.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995)
    high ^= high >>> 15
  }
  low = mix(low ^ url.length)
  high = mix(high ^ low)
  return (high >>> 11) * 0x100000000 + (low >>> 0)
}

/** The key to try after one that belongs to another address. */
export function nextKey(key: number): number {
  return (key + 1) % SPAN
}

function mix(value: number): number {
  let h = value ^ (value >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
