/** Packs blocks of 128 integers for `unpack`; the order of the words is described in bit-unpacking.ts. */

/** Integers in a block. */
export const BLOCK_SIZE = 128

/** Bits needed for the largest of `values[0 … length)`, none of which is negative: 0–31. */
export function bitsNeeded(values: Int32Array, length: number): number {
  let all = 0
  for (let i = 0; i < length; i++) all |= values[i]
  return 32 - Math.clz32(all)
}

/** Packs `values[0 … 128)` with `bits` bits each into `out[at … at + 4 · bits)`. */
export function pack(bits: number, values: Int32Array, out: Int32Array, at: number): void {
  if (bits === 0) return
  for (let lane = 0; lane < 4; lane++) {
    let word = 0
    let used = 0
    let target = at + lane
    for (let i = lane; i < BLOCK_SIZE; i += 4) {
      const value = values[i]
      word |= value << used
      used += bits
      if (used >= 32) {
        out[target] = word
        target += 4
        used -= 32
        // What did not fit; a shift by 32 would be a shift by 0.
        word = used === 0 ? 0 : value >>> (bits - used)
      }
    }
  }
}
