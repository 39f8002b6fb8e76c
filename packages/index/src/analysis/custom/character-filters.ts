/** The character filters of the library. */
import { type CharacterFilter, type MappedText, PartRegistry, type PartSettings } from './chain-parts.js'

/** Puts a text together from pieces and remembers where they come from. */
class TextMapper {
  readonly #parts: string[] = []
  readonly #origins: number[] = []

  /** Each unit of `piece` comes from the unit `from`. */
  add(piece: string, from: number): void {
    this.#parts.push(piece)
    for (let i = 0; i < piece.length; i++) this.#origins.push(from)
  }

  /** A stretch that stays as it is. */
  keep(text: string, from: number, to: number): void {
    this.#parts.push(text.slice(from, to))
    for (let i = from; i < to; i++) this.#origins.push(i)
  }

  /** @param length of the original */
  finish(length: number): MappedText {
    this.#origins.push(length)
    return { text: this.#parts.join(''), origins: Int32Array.from(this.#origins) }
  }
}

/** A character with the marks behind it, of which a run of more than that is cut. */
const CLUSTER = /[^\0-\x7f]\p{M}{0,30}|[a-zA-Z]\p{M}{1,30}/gu

/** Compatibility forms (full-width letters, ligatures, decomposed accents) to the usual ones, character by character. */
class NfkcFilter implements CharacterFilter {
  filter(text: string): MappedText {
    return replaceAll(text, CLUSTER, (cluster) => cluster.normalize('NFKC'))
  }
}

/** Replaces texts by others: of those that begin at one place, the longest. */
class MappingFilter implements CharacterFilter {
  readonly #mappings: ReadonlyMap<string, string>
  readonly #pattern: RegExp | null

  constructor({ mappings }: PartSettings) {
    const entries = typeof mappings === 'object' && mappings !== null ? Object.entries(mappings) : []
    this.#mappings = new Map(entries.filter(([from]) => from !== '').map(([from, to]) => [from, String(to)]))
    const keys = [...this.#mappings.keys()].sort((a, b) => b.length - a.length)
    this.#pattern = keys.length === 0 ? null : new RegExp(keys.map(escapeRegExp).join('|'), 'gu')
  }

  filter(text: string): MappedText {
    if (this.#pattern === null) return { text, origins: null }
    return replaceAll(text, this.#pattern, (found) => this.#mappings.get(found)!)
  }
}

function replaceAll(text: string, pattern: RegExp, replace: (found: string) => string): MappedText {
  let mapper: TextMapper | null = null
  let kept = 0
  for (const match of text.matchAll(pattern)) {
    const [found] = match
    const replacement = replace(found)
    if (replacement === found) continue
    mapper ??= new TextMapper()
    mapper.keep(text, kept, match.index)
    mapper.add(replacement, match.index)
    kept = match.index + found.length
  }
  if (mapper === null) return { text, origins: null }
  mapper.keep(text, kept, text.length)
  return mapper.finish(text.length)
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => (character === '-' ? '\\x2d' : `\\${character}`))
}

/** `nfkc`; `mapping` with `mappings`, an object of texts by texts. */
export const characterFilters: PartRegistry<CharacterFilter> = new PartRegistry('character filter', {
  nfkc: () => new NfkcFilter(),
  mapping: (settings) => new MappingFilter(settings),
})
