/**
 * Folds one Chinese, Japanese or Korean character to one character: compatibility forms (half-width Katakana,
 * compatibility ideographs, radicals) to the usual ones, and optionally by a table of pairs, such as traditional to
 * simplified. One character stays one, so that offsets remain those of the original text.
 * The table (128 KiB) is built at the first character, in a few milliseconds.
 */

/** In the table: look in the map for characters that need two UTF-16 units. */
const WIDE = 0xffff

/** Ranges in which a Han, Kana or Hangul character has a compatibility form. */
const COMPATIBILITY: readonly (readonly [number, number])[] = [
  [0x2e80, 0x2fdf],
  [0x3021, 0x303a],
  [0x3131, 0x318e],
  [0xf900, 0xfaff],
  [0xff66, 0xffdc],
  [0x2f800, 0x2fa1f],
]

/** A folding of single characters; folding twice changes nothing more. */
export class CharacterFolder {
  readonly #pairs: () => Iterable<readonly [string, string]>
  #table: Uint16Array | null = null
  readonly #wide = new Map<number, number>()

  /** @param pairs (from, to) of single characters, applied after the compatibility forms; asked for at first use */
  constructor(pairs: () => Iterable<readonly [string, string]> = () => []) {
    this.#pairs = pairs
  }

  /** The folded form of a character, as code points. */
  fold(code: number): number {
    const table = this.#table ?? this.#build()
    if (code < 0x10000) {
      const folded = table[code]!
      if (folded !== WIDE) return folded
    }
    return this.#wide.get(code) ?? code
  }

  /**
   * The folded form of a character with marks behind it. Marks that make one character with it (a voiced Kana, a
   * Hangul syllable of parts) are taken in; the others, and variation selectors, are dropped.
   */
  foldCluster(cluster: string): number {
    const code = cluster.codePointAt(0)!
    const composed = cluster.normalize('NFKC')
    const first = composed.codePointAt(0) ?? code
    return this.fold(composed.length === (first > 0xffff ? 2 : 1) ? first : code)
  }

  /** Every character of a text in its folded form. */
  foldAll(text: string): string {
    let folded = ''
    for (const char of text) folded += String.fromCodePoint(this.fold(char.codePointAt(0)!))
    return folded
  }

  #build(): Uint16Array {
    const table = new Uint16Array(0x10000)
    for (let code = 0; code < table.length; code++) table[code] = code
    this.#table = table
    for (const [first, last] of COMPATIBILITY) {
      for (let code = first; code <= last; code++)
        this.#set(code, onlyCodePoint(String.fromCodePoint(code).normalize('NFKC')) ?? code)
    }
    const targets = new Map<number, number>()
    for (const [from, to] of this.#pairs()) {
      const source = onlyCodePoint(from)
      const target = onlyCodePoint(to)
      if (source !== null && target !== null && source !== target) targets.set(source, target)
    }
    for (const source of targets.keys()) this.#set(source, follow(targets, source))
    for (const [first, last] of COMPATIBILITY) {
      for (let code = first; code <= last; code++) this.#set(code, follow(targets, this.fold(code)))
    }
    return table
  }

  #set(code: number, folded: number): void {
    if (code === folded) return
    if (code < WIDE && folded < WIDE) {
      this.#table![code] = folded
      return
    }
    if (code < WIDE) this.#table![code] = WIDE
    this.#wide.set(code, folded)
  }
}

/** The code point of a string of one character, null for any other. */
function onlyCodePoint(text: string): number | null {
  const code = text.codePointAt(0)
  return code !== undefined && text.length === (code > 0xffff ? 2 : 1) ? code : null
}

/** Goes along the pairs until they end (they have no long chains; a ring is left after a few steps). */
function follow(targets: ReadonlyMap<number, number>, code: number): number {
  let folded = code
  for (let step = 0; step < 4; step++) {
    const next = targets.get(folded)
    if (next === undefined) break
    folded = next
  }
  return folded
}

/** Compatibility forms only. */
export const widthFolder = new CharacterFolder()
