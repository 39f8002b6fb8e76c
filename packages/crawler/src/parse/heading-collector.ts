/**
 * The headings of a page, and the names by which an address leads to them. The name is the heading's own id, else what a link in
 * it that leads to itself says (`<a href="#x">¶</a>`), else an id or anchor within it, else that of a block or anchor that began
 * right before it with no text between. A term of a definition list counts as a heading where it has an id: in the manuals of
 * programming languages those are the functions.
 */

import type { Token } from 'parse5'
import { oneLine, type TextBuilder } from './text-builder.js'

/** Level of a definition list's term, below those of headings. */
export const TERM_LEVEL = 7
/** Headings of a page that are kept. */
const MAX_HEADINGS = 2000
/** UTF-16 units of a heading, and of a name. */
const MAX_HEADING = 200
const MAX_NAME = 200
/** What is looked at of a heading that never ends. */
const MAX_RAW = 1000

/** Where a name stands, the better the larger. */
const AROUND = 1
const WITHIN = 2
const SELF_LINK = 3
const OWN = 4

/** A heading. */
export interface PageHeading {
  /** 1–6, or {@link TERM_LEVEL} */
  readonly level: number
  readonly text: string
  /** without `#`; empty where there is none */
  readonly anchor: string
}

const NO_LETTER = /^[^\p{L}\p{N}]*$/u
const PERMALINK = /^(?:permalink|permanent link|link|anchor)\b/i
const TEXT = /[^\t\n\f\r ]/

/** Collects headings while a page is read. Each puts a mark where its text begins. */
export class HeadingCollector {
  readonly #headings: PageHeading[] = []
  /** a name, and how much text there was when it came */
  #around = ''
  #aroundLength = -1
  #level = 0
  #text = ''
  #name = ''
  #rank = 0
  #linkText: string | undefined
  #linkName = ''

  /** True while text belongs to a heading. */
  get open(): boolean {
    return this.#level > 0
  }

  /** The headings that put a mark, in the order of their marks. */
  get headings(): readonly PageHeading[] {
    return this.#headings
  }

  /**
   * A block or an anchor begins.
   * @param text of the page so far
   */
  around(attrs: readonly Token.Attribute[], text: { readonly length: number }): void {
    const name = nameOf(attrs)
    if (name === '') return
    if (this.#level > 0) this.#offer(name, WITHIN)
    else {
      this.#around = name
      this.#aroundLength = text.length
    }
  }

  /** An element within a heading begins. */
  within(attrs: readonly Token.Attribute[]): void {
    const name = nameOf(attrs)
    if (name !== '') this.#offer(name, WITHIN)
  }

  /** A link within a heading begins. */
  link(reference: string, attrs: readonly Token.Attribute[]): void {
    this.within(attrs)
    if (!reference.startsWith('#')) return
    this.#endLink()
    this.#linkText = ''
    this.#linkName = reference.slice(1)
  }

  /** A link ends. */
  endLink(): void {
    if (this.#level > 0) this.#endLink()
  }

  /**
   * A heading begins.
   * @param length text of the page so far
   */
  begin(level: number, attrs: readonly Token.Attribute[], length: number): void {
    this.end()
    const own = nameOf(attrs)
    if (level === TERM_LEVEL && own === '') return
    this.#level = level
    if (own !== '') this.#offer(own, OWN)
    else if (this.#aroundLength === length) this.#offer(this.#around, AROUND)
  }

  /** Text of the open heading, before it goes to the builder. */
  append(chars: string, builder: TextBuilder): void {
    if (this.#text.length === 0 && TEXT.test(chars)) {
      if (this.#headings.length >= MAX_HEADINGS) {
        this.#reset()
        return
      }
      builder.mark()
      this.#text = ' '
    }
    if (this.#text.length + (this.#linkText?.length ?? 0) > MAX_RAW) return
    if (this.#linkText !== undefined) this.#linkText += chars
    else if (this.#text !== '') this.#text += chars
  }

  /** A line or cell begins or ends within the open heading. */
  gap(): void {
    if (this.#text !== '') this.#text += ' '
  }

  /** The open heading, if any, ends. */
  end(): void {
    if (this.#level === 0) return
    this.#endLink()
    if (this.#text !== '') {
      const text = oneLine(this.#text, MAX_HEADING)
      this.#headings.push({ level: this.#level, text, anchor: this.#name })
    }
    this.#reset()
  }

  #endLink(): void {
    const text = this.#linkText
    if (text === undefined) return
    this.#linkText = undefined
    const isSign = NO_LETTER.test(text) || PERMALINK.test(text.trim())
    if (!isSign && this.#text !== '') this.#text += text
    this.#offer(decoded(this.#linkName), SELF_LINK)
  }

  #offer(name: string, rank: number): void {
    if (rank <= this.#rank || name === '' || name.length > MAX_NAME) return
    this.#name = name
    this.#rank = rank
  }

  #reset(): void {
    this.#level = 0
    this.#text = ''
    this.#name = ''
    this.#rank = 0
    this.#linkText = undefined
  }
}

/** The id of an element, or the name of an anchor. */
function nameOf(attrs: readonly Token.Attribute[]): string {
  let name = ''
  for (let i = 0; i < attrs.length; i++) {
    const attr = attrs[i]!
    if (attr.name === 'id') return attr.value
    if (attr.name === 'name') name = attr.value
  }
  return name
}

/** A fragment as the name that it leads to. */
function decoded(fragment: string): string {
  if (!fragment.includes('%')) return fragment
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
