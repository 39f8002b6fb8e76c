/** What the kinds of phrases have in common: how their arguments are checked. */

/** Places are compared with those of a text, which are below 2^31. */
const MAX_POSITION = 0x7fffffff

/**
 * @param count terms or slots of the phrase
 * @throws RangeError where positions are missing, fractional, negative, too large or descend, or the slop is none
 */
export function checkPhrase(count: number, positions: readonly number[], slop: number): void {
  if (positions.length !== count) {
    throw new RangeError(`A phrase of ${count} terms needs as many positions, not ${positions.length}`)
  }
  let last = 0
  for (const position of positions) {
    if (!(Number.isInteger(position) && position >= last && position <= MAX_POSITION)) {
      throw new RangeError(
        `Positions of a phrase must be whole numbers up to ${MAX_POSITION} that never go back: ${positions.join(', ')}`,
      )
    }
    last = position
  }
  checkSlop(slop)
}

/** @throws RangeError where it is no whole number from 0 to 2^31 − 1 */
export function checkSlop(slop: number): void {
  if (!(Number.isInteger(slop) && slop >= 0 && slop <= MAX_POSITION)) {
    throw new RangeError(`The slop must be a whole number from 0 to ${MAX_POSITION}: ${slop}`)
  }
}

/** Words of a phrase with `?` for gaps and the slop behind. */
export function printPhrase(words: readonly string[], positions: readonly number[], slop: number): string {
  const parts: string[] = []
  let last = positions[0] ?? 0
  words.forEach((word, i) => {
    const gap = positions[i]! - last
    if (i > 0 && gap === 0) parts[parts.length - 1] += `|${word}`
    else {
      for (let g = 1; g < gap && g < 100; g++) parts.push('?')
      parts.push(word)
    }
    last = positions[i]!
  })
  return `"${parts.join(' ')}"${slop === 0 ? '' : `~${slop}`}`
}
