/**
 * How unlikely it is that one word was typed for another: the distance of Damerau and Levenshtein (optimal string
 * alignment) with smaller steps for the mistakes that people make most: two letters swapped, a letter doubled or not,
 * one vowel for another (Kernighan, Church and Gale 1990 give such odds); a wrong first letter costs more.
 */

const SWAP = 0.7
const DOUBLING = 0.6
const VOWEL = 0.8
const FIRST_LETTER = 0.5
const VOWELS = new Set('aeiouy')

/** @returns 0 for equal words, about 1 an edit */
export function spellingCost(typed: string, meant: string): number {
  const a = [...typed]
  const b = [...meant]
  const width = b.length + 1
  const cost = new Float64Array((a.length + 1) * width)
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 && j === 0) continue
      const at = i * width + j
      let least = Number.POSITIVE_INFINITY
      if (i > 0) least = cost[at - width] + (i > 1 && a[i - 1] === a[i - 2] ? DOUBLING : 1)
      if (j > 0) least = Math.min(least, cost[at - 1] + (j > 1 && b[j - 1] === b[j - 2] ? DOUBLING : 1))
      if (i > 0 && j > 0) least = Math.min(least, cost[at - width - 1] + substitution(a[i - 1], b[j - 1]))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, cost[at - 2 * width - 2] + (a[i - 1] === a[i - 2] ? 0 : SWAP))
      }
      cost[at] = least
    }
  }
  return cost[cost.length - 1] + (a[0] === b[0] ? 0 : FIRST_LETTER)
}

function substitution(a: string, b: string): number {
  if (a === b) return 0
  return VOWELS.has(a) && VOWELS.has(b) ? VOWEL : 1
}
