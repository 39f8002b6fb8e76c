/** Queries as they are written in the files: `a b` any of the words, `+a +b` all of them, `"a b"` a phrase. */

/** @returns {{ kind: 'phrase' | 'all' | 'any', words: string[] }} */
export function readQuery(text) {
  if (text.startsWith('"')) return { kind: 'phrase', words: text.slice(1, -1).split(' ') }
  const words = text.split(' ')
  if (text.startsWith('+')) return { kind: 'all', words: words.map((word) => word.slice(1)) }
  return { kind: 'any', words }
}
