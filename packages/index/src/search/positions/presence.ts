/** Which of several numbered terms a document has to hold before their positions are worth a look. */

/** A term, all of several conditions, or at least one of them. */
export type Presence = number | { readonly all: readonly Presence[] } | { readonly any: readonly Presence[] }

/**
 * How many documents meet a condition, at most.
 * @param docFreqs documents that hold each term
 */
export function presenceCost(presence: Presence, docFreqs: ArrayLike<number>): number {
  if (typeof presence === 'number') return docFreqs[presence]!
  if ('all' in presence) {
    let least = Infinity
    for (const part of presence.all) least = Math.min(least, presenceCost(part, docFreqs))
    return least === Infinity ? 0 : least
  }
  let sum = 0
  for (const part of presence.any) sum += presenceCost(part, docFreqs)
  return sum
}
