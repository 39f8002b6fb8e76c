/**
 * Words and phrases that mean the same, for queries. Nothing of it is in the index, so another list holds from the next query
 * on. What it is given for an analyzer is compared as that analyzer makes words (see `text-atoms.ts`): a trie, made at the
 * first query and kept.
 */
import type { Analyzer } from '../analyzer.js'
import { parseSynonyms, type SynonymRule } from './parse-synonyms.js'
import { type TextAtom, textAtoms } from './text-atoms.js'

/** A part of a text that has synonyms. */
export interface SynonymMatch {
  /** UTF-16 range in the text. */
  readonly start: number
  readonly end: number
  /** What is looked for besides, or instead; without the part as it was typed. */
  readonly alternatives: readonly string[]
  /** Whether the part as typed is looked for too. */
  readonly keepsTyped: boolean
}

/** A place in the trie of one analyzer. */
interface Node {
  readonly next: Map<string, Node>
  readonly rules: SynonymRule[]
}

/** Alternatives of one part of a text, at most: the first ones of the rules. */
const MAX_ALTERNATIVES = 32
/** Tries that are kept. */
const MAX_ANALYZERS = 8

/**
 * An immutable list of synonyms.
 * @example
 * ```ts
 * import { QueryParser, StandardAnalyzer, SynonymMap } from '@spindle/index'
 *
 * const synonyms = SynonymMap.parse('laptop, notebook, portable computer\nfoto => photo')
 * const parser = new QueryParser({ field: 'body', analyzer: new StandardAnalyzer(), synonyms })
 * console.log(parser.parse('Laptop bag').toString('body')) // Synonym(laptop | notebook | "portable computer") bag
 * console.log(parser.parse('foto').toString('body')) // photo
 * console.log(parser.parse('"laptop"').toString('body')) // laptop
 * ```
 */
export class SynonymMap {
  readonly rules: readonly SynonymRule[]
  readonly #tries = new Map<string, Node>()

  constructor(rules: readonly SynonymRule[]) {
    this.rules = rules
  }

  /**
   * Reads a list in Solr's format, as {@link parseSynonyms} tells it.
   * @param source what the text is called in errors
   * @throws SpindleError `SYNONYMS_INVALID` with the number of the line
   */
  static parse(text: string, source?: string): SynonymMap {
    return new SynonymMap(parseSynonyms(text, source))
  }

  /**
   * The parts of a text that have synonyms, from left to right, each as long as can be; they do not overlap. A part of a
   * Chinese run has to begin and end where words do.
   */
  find(analyzer: Analyzer, text: string): SynonymMatch[] {
    if (this.rules.length === 0) return []
    const trie = this.#trie(analyzer)
    const { atoms, isBorder } = textAtoms(analyzer, text)
    const matches: SynonymMatch[] = []
    for (let i = 0; i < atoms.length; i++) {
      let end = -1
      let rules: readonly SynonymRule[] = []
      if (!isBorder(atoms[i]!.start)) continue
      let node: Node | undefined = trie
      for (let j = i; j < atoms.length; j++) {
        node = node.next.get(atoms[j]!.term)
        if (node === undefined) break
        if (node.rules.length === 0 || !isBorder(atoms[j]!.end)) continue
        end = j
        rules = node.rules
      }
      if (end < 0) continue
      matches.push(matchOf(analyzer, atoms.slice(i, end + 1), rules))
      i = end
    }
    return matches
  }

  #trie(analyzer: Analyzer): Node {
    const known = this.#tries.get(analyzer.fingerprint)
    if (known !== undefined) return known
    const root = newNode()
    for (const rule of this.rules) {
      for (const text of rule.from) {
        let node = root
        for (const { term } of textAtoms(analyzer, text).atoms) {
          let next = node.next.get(term)
          if (next === undefined) {
            next = newNode()
            node.next.set(term, next)
          }
          node = next
        }
        // Of a word that the analyzer leaves nothing of, the root would be the end.
        if (node !== root && node.rules.at(-1) !== rule) node.rules.push(rule)
      }
    }
    if (this.#tries.size >= MAX_ANALYZERS) this.#tries.clear()
    this.#tries.set(analyzer.fingerprint, root)
    return root
  }
}

function newNode(): Node {
  return { next: new Map(), rules: [] }
}

function matchOf(analyzer: Analyzer, atoms: readonly TextAtom[], rules: readonly SynonymRule[]): SynonymMatch {
  const typed = keyOf(atoms)
  const seen = new Set([typed, ''])
  const alternatives: string[] = []
  let keepsTyped = false
  for (const { to } of rules) {
    for (const text of to) {
      if (alternatives.length >= MAX_ALTERNATIVES && keepsTyped) break
      const key = keyOf(textAtoms(analyzer, text).atoms)
      if (key === typed) keepsTyped = true
      if (seen.has(key) || alternatives.length >= MAX_ALTERNATIVES) continue
      seen.add(key)
      alternatives.push(text)
    }
  }
  return { start: atoms[0]!.start, end: atoms.at(-1)!.end, alternatives, keepsTyped }
}

function keyOf(atoms: readonly TextAtom[]): string {
  return atoms.map(({ term }) => term).join('\0')
}
