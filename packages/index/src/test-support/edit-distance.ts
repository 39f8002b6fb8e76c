/** Edits between two texts, by the definition; with transpositions, a swap of two neighbours that are not edited otherwise is one. */
export function editDistance(a: readonly number[], b: readonly number[], transpositions: boolean): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (transpositions && swapped) least = Math.min(least, rows[i - 2][j - 2] + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return rows[a.length][b.length]
}
