/** Headers of an answer that are kept with its page. */
const KEPT = [
  'etag',
  'last-modified',
  'date',
  'content-type',
  'content-language',
  'x-robots-tag',
  'cache-control',
  'server',
]

/** @param headers names in lower case */
export function keptHeaders(headers: ReadonlyMap<string, string>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT) {
    const value = headers.get(name)
    if (value !== undefined) kept[name] = value
  }
  return kept
}
