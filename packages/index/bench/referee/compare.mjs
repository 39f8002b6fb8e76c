/** Whether engines have found the same. */

/** Lucene's scores are 32-bit sums: so far apart may two of them be that are one number in 64 bits. */
const TOLERANCE = 1e-5

/** @param line an answer to `results` @returns null where the engine cannot answer */
export function readResult(line) {
  if (line === '-') return null
  const [count, ...hits] = line.split(' ')
  return {
    count: Number(count),
    hits: hits.map((hit) => {
      const [doc, score] = hit.split(':').map(Number)
      return { doc, score }
    }),
  }
}

const near = (a, b) => Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))

/**
 * Compares the best hits of two engines with one formula: equal scores in every place, and equal documents, but among
 * those of one score (documents that share the last score may be others).
 * @returns what differs, null where nothing does
 */
export function compareHits(ours, theirs) {
  if (ours.length !== theirs.length) return `${ours.length} hits, not ${theirs.length}`
  const last = ours.at(-1)?.score
  for (const [i, { score }] of ours.entries()) {
    if (!near(score, theirs[i].score)) return `score ${score} in place ${i}, not ${theirs[i].score}`
  }
  const scores = new Map(theirs.map(({ doc, score }) => [doc, score]))
  for (const { doc, score } of ours) {
    if (scores.has(doc) ? !near(score, scores.get(doc)) : !near(score, last)) return `document ${doc} with ${score}`
  }
  return null
}
