/**
 * Puts the text of a document together and remembers where its parts begin. Bounded: what comes after {@link MAX_TEXT} UTF-16
 * units is dropped.
 */

import type { PageSection } from '@spindle/core'
import { cleanText, cut, oneLine, TextBuilder } from '../parse/text-builder.js'

/** UTF-16 units of a document that are kept: about 1,300 printed pages of English. */
export const MAX_TEXT = 4 * 1024 * 1024
/** Parts of a document that are kept. */
export const MAX_SECTIONS = 10_000
const MAX_HEADING = 200
/** The rows of dots that lead to the page numbers of a table of contents. */
const LEADERS = / ?(?:[.·…．] ?){5,}/g
const LONE_SURROGATE = /[\ud800-\udfff]/gu

/** What is known of a part of a document. */
export type SectionFacts = Omit<PageSection, 'start'>

/** See the head of this file. */
export class DocumentText {
  readonly #maxText: number
  readonly #deadline: number
  readonly #builder = new TextBuilder()
  readonly #parts: string[] = []
  readonly #sections: PageSection[] = []
  #length = 0
  #truncated = false

  /** @param deadline when there must be enough, on the clock of `performance.now()` */
  constructor(deadline = Number.POSITIVE_INFINITY, maxText = MAX_TEXT) {
    this.#deadline = deadline
    this.#maxText = maxText
  }

  /** True where there is no room for more, or no time. */
  get isFull(): boolean {
    return this.#length + this.#builder.length >= this.#maxText || performance.now() > this.#deadline
  }

  /** Says that not all was taken. */
  cutShort(): void {
    this.#truncated = true
  }

  /** Adds text with any white space in it. */
  append(text: string): void {
    if (this.isFull) this.#truncated = true
    else this.#builder.append(text)
  }

  /** A blank between two cells, or two words set apart. */
  gap(): void {
    this.#builder.gap()
  }

  /** The begin or end of a paragraph. */
  block(): void {
    this.#builder.block()
  }

  /** A part begins here. One that turns out to be empty leaves no trace. */
  section(facts: SectionFacts): void {
    this.#flush()
    const last = this.#sections.at(-1)
    if (last?.start === this.#length) this.#sections.pop()
    if (this.#sections.length >= MAX_SECTIONS) return
    const { heading, ...rest } = facts
    const short = heading === undefined ? '' : oneLine(heading, MAX_HEADING)
    this.#sections.push({ start: this.#length, ...rest, ...(short === '' ? {} : { heading: short }) })
  }

  /** The whole; call once. */
  finish(): { readonly text: string; readonly sections: readonly PageSection[]; readonly truncated: boolean } {
    this.#flush()
    const joined = this.#parts.join('\n')
    const text = cut(joined, this.#maxText)
    if (text.length < joined.length) this.#truncated = true
    const sections = this.#sections.filter(({ start }) => start < text.length)
    return { text, sections, truncated: this.#truncated }
  }

  #flush(): void {
    const text = cleanText(this.#builder.take()).replace(LONE_SURROGATE, '\ufffd').replace(LEADERS, ' ')
    if (text === '') return
    this.#parts.push(text)
    this.#length += text.length + 1
  }
}
