/** Makes one clause of neighbouring words that have a synonym together: `new york` where `nyc` means the same. */
import type { SynonymMatch } from '../analysis/synonyms/synonym-map.js'
import type { ClauseSyntax } from './syntax-tree.js'

/** Words with nothing between them but white space: clauses `from` to `to`. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/** @param find the parts of a text that have synonyms */
export function joinSynonyms(
  clauses: readonly ClauseSyntax[],
  find: (text: string) => readonly SynonymMatch[],
): readonly ClauseSyntax[] {
  const joined: ClauseSyntax[] = []
  let from = 0
  for (const stretch of stretches(clauses)) {
    joined.push(...clauses.slice(from, stretch.from), ...joinStretch(clauses.slice(stretch.from, stretch.to), find))
    from = stretch.to
  }
  joined.push(...clauses.slice(from))
  return joined
}

/** Stretches of two words or more. */
function stretches(clauses: readonly ClauseSyntax[]): Stretch[] {
  const found: Stretch[] = []
  let from = 0
  for (let at = 0; at <= clauses.length; at++) {
    const clause = clauses[at]
    if (clause !== undefined && isPlainWord(clause)) {
      if (at === from || clause.conjunction === 'none') continue
    }
    if (at - from > 1) found.push({ from, to: at })
    from = clause !== undefined && isPlainWord(clause) ? at : at + 1
  }
  return found
}

function isPlainWord({ modifier, node }: ClauseSyntax): boolean {
  return node.kind === 'text' && node.field === null && node.boost === null && modifier === 'none'
}

function joinStretch(
  words: readonly ClauseSyntax[],
  find: (text: string) => readonly SynonymMatch[],
): readonly ClauseSyntax[] {
  const texts = words.map(({ node }) => (node.kind === 'text' ? node.text : ''))
  const matches = find(texts.join(' '))
  const joined: ClauseSyntax[] = []
  let place = 0
  let m = 0
  for (let i = 0; i < words.length; ) {
    let end = place + texts[i]!.length
    let to = i + 1
    // Whoever ends behind the words so far takes those words along that it reaches.
    for (; m < matches.length && matches[m]!.start < end; m++) {
      while (matches[m]!.end > end) end += 1 + texts[to++]!.length
    }
    joined.push(to === i + 1 ? words[i]! : joinWords(words.slice(i, to), texts.slice(i, to).join(' ')))
    place = end + 1
    i = to
  }
  return joined
}

function joinWords(words: readonly ClauseSyntax[], text: string): ClauseSyntax {
  const [first] = words
  return { ...first!, node: { ...first!.node, kind: 'text', text, end: words.at(-1)!.node.end } }
}
