/**
 * The text of a page, with what only frames it left out.
 * Menus, page headers and footers repeat on every page of a site and would make each page a hit for each of their words. They are
 * left out only where the page says so itself by nav, header, footer and aside, and only where enough is left: some pages put
 * all they have into a header. Inside main and article only nav is left out; a header there is the heading of the content, an
 * aside one of its notes. (What is not so tagged is a matter of comparing a site's pages with each other.)
 */

import { cleanText, TextBuilder } from './text-builder.js'

/** UTF-16 units outside of the frame from which on a page counts as having a content of its own. */
const ENOUGH = 200

type Region = 'chrome' | 'content' | 'other'

interface Part {
  readonly text: string
  readonly region: Region
  /** offsets of the builder's marks in the text */
  readonly marks: readonly number[]
}

/** Collects text by region. An end tag without its start tag changes nothing. */
export class PageText {
  readonly builder = new TextBuilder()
  readonly #parts: Part[] = []
  readonly #starts: number[] = []
  #flushed = 0
  #region: Region = 'other'
  /** open elements by tag id: frame outside of content, nav inside of it, content */
  readonly #outside = new Uint32Array(256)
  readonly #inside = new Uint32Array(256)
  readonly #content = new Uint32Array(256)
  #outsideDepth = 0
  #insideDepth = 0
  #contentDepth = 0

  /** The begin of nav, header, footer, aside; `nav` tells whether it counts inside of content as well. */
  openChrome(tagId: number, nav: boolean): void {
    if (this.#contentDepth === 0) {
      this.#outside[tagId]!++
      this.#outsideDepth++
    } else if (nav) {
      this.#inside[tagId]!++
      this.#insideDepth++
    }
    this.#enterRegion()
  }

  closeChrome(tagId: number): void {
    if (this.#contentDepth === 0 && this.#outside[tagId]! > 0) {
      this.#outside[tagId]!--
      this.#outsideDepth--
    } else if (this.#contentDepth > 0 && this.#inside[tagId]! > 0) {
      this.#inside[tagId]!--
      this.#insideDepth--
    }
    this.#enterRegion()
  }

  /** The begin of main or article. */
  openContent(tagId: number): void {
    this.#content[tagId]!++
    this.#contentDepth++
    this.#enterRegion()
  }

  closeContent(tagId: number): void {
    if (this.#content[tagId] === 0) return
    this.#content[tagId]!--
    this.#contentDepth--
    if (this.#contentDepth === 0) {
      this.#inside.fill(0)
      this.#insideDepth = 0
    }
    this.#enterRegion()
  }

  /** The whole text; call once. */
  finish(): string {
    this.#flush()
    let outside = 0
    let hasContent = false
    for (const { text, region } of this.#parts) {
      if (region === 'content') hasContent = true
      else if (region === 'other') outside += text.length
    }
    const dropChrome = hasContent || outside >= ENOUGH
    const texts: string[] = []
    let length = 0
    for (const part of this.#parts) {
      const dropped = part.region === 'chrome' && dropChrome
      const text = dropped ? '' : cleanText(part.text)
      for (const start of cleanMarks(part, text)) this.#starts.push(dropped ? -1 : length + start)
      if (dropped) continue
      texts.push(text)
      length += text.length + 1
    }
    return texts.join('\n')
  }

  /** Where the places marked in the builder are in the whole text, in their order; -1 for what was left out. After {@link finish}. */
  get starts(): readonly number[] {
    return this.#starts
  }

  /** UTF-16 units so far, what will be left out among them. */
  get length(): number {
    return this.#flushed + this.builder.length
  }

  #enterRegion(): void {
    let region: Region = 'other'
    if (this.#contentDepth > 0) region = this.#insideDepth > 0 ? 'chrome' : 'content'
    else if (this.#outsideDepth > 0) region = 'chrome'
    if (region === this.#region) return
    this.#flush()
    this.#region = region
  }

  #flush(): void {
    const marks = this.builder.takeMarks()
    const text = this.builder.take()
    if (text === '') return
    this.#flushed += text.length
    this.#parts.push({ text, region: this.#region, marks })
  }
}

/** The marks of a part in its cleaned text. */
function cleanMarks({ text, marks }: Part, cleaned: string): readonly number[] {
  if (text.length === cleaned.length) return marks
  let from = 0
  let length = 0
  return marks.map((mark) => {
    length += cleanText(text.slice(from, mark)).length
    from = mark
    return length
  })
}
