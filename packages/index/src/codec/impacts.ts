/**
 * What a block of postings can score at most. Of all (frequency, norm byte) pairs of a block only those count that no
 * other pair beats in both; the skip table has room for two, so a longer front is covered by two corners:
 *
 *   bits 0–7 norm, 8–15 frequency of the pair with the highest frequency; 16–23 and 24–31 of the second pair, or 0
 *
 * A frequency byte of 255 stands for 255 and more. The pair is kept, not a bound computed from it, so that every
 * similarity gets its bound by the very expression of its score.
 */
import { byte4ToInt } from './small-float.js'

/** Norm where a field keeps none: a length of 1, as in Lucene. */
export const NO_NORM = 1
/** What a frequency byte of 255 reads as. */
export const UNBOUNDED_FREQ = 0x7fffffff

const ESCAPE = 255
const NOTHING = 256
/** Lowest norm seen for each frequency byte. */
const lowest = new Int32Array(256).fill(NOTHING)
const frontFreq = new Int32Array(256)
const frontNorm = new Int32Array(256)

/**
 * The word for a block.
 * @param norms norm byte of each posting
 * @param averageLength average field length: weighs which two corners lose least
 */
export function packImpacts(freqs: Int32Array, norms: Int32Array, length: number, averageLength: number): number {
  let highest = 0
  for (let i = 0; i < length; i++) {
    const freq = Math.min(freqs[i], ESCAPE)
    if (norms[i] < lowest[freq]) lowest[freq] = norms[i]
    if (freq > highest) highest = freq
  }
  let count = 0
  let best = NOTHING
  for (let freq = highest; freq >= 0; freq--) {
    const norm = lowest[freq]
    lowest[freq] = NOTHING
    if (norm >= best) continue
    best = norm
    frontFreq[count] = freq
    frontNorm[count++] = norm
  }
  if (count === 1) return pair(frontFreq[0], frontNorm[0])
  let split = 1
  if (count > 2) {
    let least = Number.POSITIVE_INFINITY
    for (let s = 1; s < count; s++) {
      const first = weight(frontFreq[0], frontNorm[s - 1], averageLength)
      const second = weight(frontFreq[s], frontNorm[count - 1], averageLength)
      const bound = Math.max(first, second)
      if (bound < least) {
        least = bound
        split = s
      }
    }
  }
  return pair(frontFreq[0], frontNorm[split - 1]) | (pair(frontFreq[split], frontNorm[count - 1]) << 16)
}

/** Writes the pairs as [freq, norm, freq, norm]. @returns number of pairs, 1 or 2 */
export function unpackImpacts(word: number, out: Int32Array): number {
  const freq = (word >>> 8) & 0xff
  out[0] = freq === ESCAPE ? UNBOUNDED_FREQ : freq
  out[1] = word & 0xff
  const second = word >>> 24
  if (second === 0) return 1
  out[2] = second === ESCAPE ? UNBOUNDED_FREQ : second
  out[3] = (word >>> 16) & 0xff
  return 2
}

function pair(freq: number, norm: number): number {
  return norm | (freq << 8)
}

/** BM25's saturation with its usual constants: only to choose the corners, any similarity may read them. */
function weight(freq: number, norm: number, averageLength: number): number {
  if (freq === ESCAPE) return 1
  return freq / (freq + 1.2 * (0.25 + (0.75 * byte4ToInt(norm)) / averageLength))
}
