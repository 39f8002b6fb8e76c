/**
 * Names that nearly all pages are made of, found where they stand in a page without cutting them out: a name cut out costs an
 * allocation and a hash of its characters each time, and a page has hundreds of them.
 */

/** By character: what it is in a name, capitals in lower case; 0 where a name does not go on in the plain way. */
export const NAME_CHARS: Readonly<Uint8Array> = nameChars()

function nameChars(): Uint8Array {
  const table = new Uint8Array(128)
  for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.') {
    table[char.charCodeAt(0)] = char.toLowerCase().charCodeAt(0)
  }
  return table
}

/** The hash of a name and one more of its characters, as the table of its characters has it; a name begins with 0. */
export function hashOn(hash: number, char: number): number {
  return (Math.imul(hash, 31) + char) | 0
}

/** Finds names among known ones. */
export class NameTable {
  readonly names: readonly string[]
  /** what each character is */
  readonly #chars: Readonly<Uint8Array>
  /** 1 + number of a name, 0 where a slot is empty */
  readonly #slots: Uint16Array
  readonly #mask: number

  /** @param names of characters that stand for themselves in `chars` */
  constructor(names: readonly string[], chars: Readonly<Uint8Array> = NAME_CHARS) {
    this.names = names
    this.#chars = chars
    const size = 2 ** Math.ceil(Math.log2(names.length * 4))
    this.#slots = new Uint16Array(size)
    this.#mask = size - 1
    for (const [number, name] of names.entries()) {
      let hash = 0
      for (let i = 0; i < name.length; i++) hash = hashOn(hash, name.charCodeAt(i))
      let slot = hash & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = number + 1
    }
  }

  /** The number of the name at a place of a page, given by its units; -1 where it is none of these. */
  find(page: Uint16Array, start: number, end: number, hash: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const number = this.#slots[slot]! - 1
      if (number < 0) return -1
      const name = this.names[number]!
      if (name.length === end - start && this.#isAt(page, start, name)) return number
    }
  }

  #isAt(page: Uint16Array, start: number, name: string): boolean {
    const chars = this.#chars
    for (let i = 0; i < name.length; i++) if (chars[page[start + i]!] !== name.charCodeAt(i)) return false
    return true
  }
}
