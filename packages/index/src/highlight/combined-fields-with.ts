/** Which combined fields a field is a source of: a hit found there is marked in the text of the field. */
import type { IndexReader } from '../reading/index-reader.js'

/** Names of the combined fields, for the highlighter's option `combinedFields`. */
export function combinedFieldsWith(reader: Pick<IndexReader, 'fields'>, field: string): string[] {
  const found: string[] = []
  for (const { name, sources } of reader.fields) {
    if (!name.includes('#') && sources?.some((source) => source.name === field)) found.push(name)
  }
  return found
}
