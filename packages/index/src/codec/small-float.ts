/**
 * Field lengths in one byte, with Lucene's code (SmallFloat.intToByte4 and byte4ToInt): exact up to 40, then a
 * 4-bit mantissa of what exceeds 24, rounded down by less than 1/8; monotone, so that codes compare like lengths.
 */

/** Lengths below this are their own code: what is left of 256 codes by those of 0 … 2^31 − 1. */
const FREE_VALUES = 24

/** The code (0–255) of a length (0 … 2^31 − 1). */
export function intToByte4(length: number): number {
  if (length < FREE_VALUES) return length
  const rest = length - FREE_VALUES
  const bits = 32 - Math.clz32(rest)
  if (bits < 4) return FREE_VALUES + rest
  const shift = bits - 4
  return FREE_VALUES + (((rest >>> shift) & 0x07) | ((shift + 1) << 3))
}

/** The smallest length with this code. */
export function byte4ToInt(code: number): number {
  if (code < FREE_VALUES) return code
  const rest = code - FREE_VALUES
  const mantissa = rest & 0x07
  const shift = (rest >>> 3) - 1
  return FREE_VALUES + (shift < 0 ? mantissa : (mantissa | 0x08) << shift)
}
