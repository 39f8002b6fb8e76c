/**
 * A text as the smallest pieces by which texts are compared: a word of letters as the layer that ranks has it (its stem), a
 * character of a run. So a synonym is found whatever its case, width, script or form, and however a run is cut into words.
 */
import type { Analyzer } from '../analyzer.js'
import { analyzeLayers, type LayerToken, splitRuns } from '../layer-tokens.js'

/** One piece. */
export interface TextAtom {
  readonly term: string
  /** UTF-16 range in the text. */
  readonly start: number
  readonly end: number
}

/** All pieces of a text. */
export interface TextAtoms {
  readonly atoms: readonly TextAtom[]
  /** Whether a word begins or ends at a place; at any place of a run where the analyzer knows no words. */
  isBorder(at: number): boolean
}

/** A run of two characters is one token. */
const PAIR = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{2}$/u

/** Cuts a text into atoms. */
export function textAtoms(analyzer: Analyzer, text: string): TextAtoms {
  const layers = analyzeLayers(analyzer, text, 'index')
  const wordLayer = analyzer.queryPlan?.words?.layer
  const words = wordLayer === undefined ? [] : layers.tokens[wordLayer]!
  const atoms: TextAtom[] = []
  const borders = new Set<number>()
  for (const { start, end } of words) borders.add(start).add(end)
  let at = 0
  for (const run of splitRuns(layers.tokens[0]!)) {
    borders.add(run.start).add(run.end)
    while (at < words.length && words[at]!.start < run.start) at++
    const from = at
    while (at < words.length && words[at]!.start < run.end) at++
    const [first, second] = run.tokens
    if (second === undefined && !PAIR.test(first!.term))
      atoms.push({ ...place(run), term: at - from === 1 ? words[from]!.term : first!.term })
    else addCharacters(run.tokens, atoms)
  }
  return { atoms, isBorder: (place) => wordLayer === undefined || borders.has(place) }
}

/** The characters of overlapping pairs. */
function addCharacters(pairs: readonly LayerToken[], atoms: TextAtom[]): void {
  const last = pairs.length - 1
  for (const [i, { term, start, end }] of pairs.entries()) {
    const character = String.fromCodePoint(term.codePointAt(0)!)
    // Where the pair before ends, its second character ends, which is the first one of this pair.
    const middle = i > 0 ? pairs[i - 1]!.end : Math.min(end, start + character.length)
    atoms.push({ term: character, start, end: middle })
    if (i === last) atoms.push({ term: term.slice(character.length), start: middle, end })
  }
}

function place({ start, end }: { readonly start: number; readonly end: number }): { start: number; end: number } {
  return { start, end }
}
