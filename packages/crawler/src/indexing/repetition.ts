/**
 * How far a text repeats itself: the chance that two of its words, taken at random, are the same (Simpson 1949). Prose has .01 to .03,
 * Chinese by characters the same; of 11,173 pages of a Java manual one in a hundred has more than .09, tables of contents all of them.
 * Texts that are stuffed with some words for search engines have .1 to 1.
 */

/** Texts below this repeat themselves as texts do; also the unit of what is above it. */
const USUAL = 0.06
/** A text of fewer words tells nothing. */
const MIN_WORDS = 30
/** Words that are counted. */
const MAX_WORDS = 20_000

/** How far the chance is above the usual, in units of the usual; 0 for what is no more than usual. */
export function repetition(text: string): number {
  const counts = new Map<string, number>()
  let words = 0
  for (const [word] of text.matchAll(/\p{Script=Han}|[\p{L}\p{M}\p{N}]+/gu)) {
    if (words === MAX_WORDS) break
    words++
    const key = word.toLowerCase()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  if (words < MIN_WORDS) return 0
  let same = 0
  for (const count of counts.values()) same += count * (count - 1)
  return Math.max(0, same / (words * (words - 1)) / USUAL - 1)
}
