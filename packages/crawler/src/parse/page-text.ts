/**
 * The text of a page, with what only frames it left out.
 * Menus, page headers and footers repeat on every page of a site and would make each page a hit for each of their words. While
 * the page is read, its text is cut into blocks, each with the region that it lies in; at the end `main-text/` chooses the blocks.
 * (What neither names nor links tell is a matter of comparing a site's pages with each other.)
 */

import { html, type Token } from 'parse5'
import { BlockList } from './main-text/block-list.js'
import { chooseBlocks } from './main-text/choose-blocks.js'
import {
  CONTENTS,
  isContentsByName,
  isInlineChrome,
  type Mark,
  MENU,
  markOfElement,
  PLAIN,
  TITLE,
} from './main-text/element-marks.js'
import { INLINE, NESTING, OpenElements } from './main-text/open-elements.js'
import { cleanText, TextBuilder } from './text-builder.js'

const { TAG_ID } = html

/** By parse5's tag id: the level of headings that a page or chapter has; 0 for all else. */
const LEVELS = new Uint8Array(256)
LEVELS[TAG_ID.H1] = 1
LEVELS[TAG_ID.H2] = 2
LEVELS[TAG_ID.H3] = 3

/** Where a region ends, and which one goes on then. */
interface OpenRegion {
  readonly depth: number
  readonly around: number
}

/** Collects text by blocks. An end tag without its start tag changes nothing. */
export class PageText {
  readonly builder = new TextBuilder()
  readonly #blocks = new BlockList()
  readonly #elements = new OpenElements()
  readonly #openRegions: OpenRegion[] = []
  #region = 0
  /** depth of the innermost open region, and of an inline element that is left out; 0 where there is none */
  #regionDepth = 0
  #omittedDepth = 0
  #omittedTag = 0
  #inLink = false
  #links = 0
  #blockEnd = 0
  /** blocks before the open heading; -1 where none is open */
  #headingBlock = -1
  /** where the last heading that is no link ended, or the last title page */
  #headingEnd = -1
  #starts: readonly number[] = []
  #raw = ''
  #keptRegions: Uint8Array | undefined

  /** Text with any white space in it. */
  append(chars: string): void {
    if (this.#omittedTag !== 0) return
    const before = this.builder.length
    this.builder.append(chars)
    if (this.#inLink) this.#links += this.builder.length - before
  }

  /** Text as it stands in the page; see {@link TextBuilder.appendRun}. */
  appendRun(page: string, units: Uint16Array, start: number, end: number): void {
    if (this.#omittedTag !== 0) return
    const before = this.builder.length
    this.builder.appendRun(page, units, start, end)
    if (this.#inLink) this.#links += this.builder.length - before
  }

  /** The begin or end of a block, or of a table cell. */
  boundary(block: boolean): void {
    if (block) this.#endBlock()
    else this.builder.gap()
  }

  /** The start tag of an element. */
  begin(tagId: number, attrs: readonly Token.Attribute[]): void {
    if (NESTING[tagId] === 0) {
      if (INLINE[tagId] === 1) this.#beginInline(tagId, attrs)
      return
    }
    const elements = this.#elements
    this.#leave(elements.begin(tagId))
    if (LEVELS[tagId] !== 0) this.#headingBlock = this.#blocks.count
    const mark = this.#markOf(tagId, attrs)
    if (mark === PLAIN) return
    // a form is followed only where it says something: its end tag reaches through blocks
    if (tagId === TAG_ID.FORM) elements.push(tagId)
    this.#endBlock()
    this.#openRegions.push({ depth: elements.depth, around: this.#region })
    this.#regionDepth = elements.depth
    this.#region = this.#blocks.openRegion(this.#region, mark)
  }

  /** An end tag. */
  end(tagId: number): void {
    if (NESTING[tagId] === 0 && tagId !== this.#omittedTag) return
    if (LEVELS[tagId] !== 0) this.#endHeading(LEVELS[tagId]!)
    this.#elements.end(tagId)
    this.#leave(this.#elements.depth)
  }

  /** The begin and end of a link. */
  link(open: boolean): void {
    this.#inLink = open
  }

  /**
   * The whole text; call once.
   * @param title of the page, as it stands in its head
   */
  finish(title: string): string {
    this.#endBlock()
    const marks = this.builder.takeMarks()
    const { isClean } = this.builder
    const text = this.builder.take()
    this.#raw = text
    const { blocks: chosen, regions } = chooseBlocks(text, this.#blocks, title)
    this.#keptRegions = regions
    const runs: { start: number; end: number }[] = []
    if (chosen === undefined) runs.push({ start: 0, end: text.length })
    else {
      for (let i = 0; i < chosen.length; i++) {
        if (chosen[i] === 0) continue
        const end = this.#blocks.ends[i]!
        if (i > 0 && chosen[i - 1] === 1) runs[runs.length - 1]!.end = end
        else runs.push({ start: this.#blocks.start(i), end })
      }
    }
    return this.#join(text, runs, marks, isClean)
  }

  /** The text with what was left out, not cleaned. After {@link finish}. */
  get raw(): string {
    return this.#raw
  }

  /** Where the places marked in the builder are in the whole text, in their order; -1 for what was left out. After {@link finish}. */
  get starts(): readonly number[] {
    return this.#starts
  }

  /** Number of the part of the page that is read now. */
  get region(): number {
    return this.#region
  }

  /** True where the text of a part stays. After {@link finish}. */
  isKept(region: number): boolean {
    return this.#keptRegions === undefined || this.#keptRegions[region] === 1
  }

  /** UTF-16 units so far, what will be left out among them. */
  get length(): number {
    return this.builder.length
  }

  #join(
    text: string,
    runs: readonly { start: number; end: number }[],
    marks: readonly number[],
    isClean: boolean,
  ): string {
    const starts: number[] = []
    const texts: string[] = []
    let length = 0
    for (const { start, end } of runs) {
      while (starts.length < marks.length && marks[starts.length]! < start) starts.push(-1)
      const raw = text.slice(start, end)
      const cleaned = isClean ? raw : cleanText(raw)
      let from = 0
      let before = 0
      for (let mark = marks[starts.length]; mark !== undefined && mark < end; mark = marks[starts.length]) {
        before += raw === cleaned ? mark - start - from : cleanText(raw.slice(from, mark - start)).length
        from = mark - start
        starts.push(length + before)
      }
      texts.push(cleaned)
      length += cleaned.length + 1
    }
    while (starts.length < marks.length) starts.push(-1)
    this.#starts = starts
    return texts.join('\n')
  }

  #markOf(tagId: number, attrs: readonly Token.Attribute[]): Mark {
    const mark = markOfElement(tagId, attrs)
    if (mark !== MENU || !isContentsByName(tagId, attrs)) return mark
    if (this.#blocks.regions[this.#region]!.mark === CONTENTS) return PLAIN
    this.#endBlock()
    return this.#headingEnd === this.#blockEnd ? CONTENTS : mark
  }

  #endHeading(level: number): void {
    const blocks = this.#blocks
    const first = this.#headingBlock
    this.#headingBlock = -1
    if (first < 0 || first === blocks.count) return
    // the name of a site
    if (blocks.isLink(first, blocks.count)) return
    this.#headingEnd = this.#blockEnd
    blocks.addHeading({ level, first, end: blocks.count })
  }

  #beginInline(tagId: number, attrs: readonly Token.Attribute[]): void {
    if (this.#omittedTag !== 0) {
      if (tagId === this.#omittedTag) this.#elements.push(tagId)
    } else if (attrs.length > 0 && isInlineChrome(attrs)) {
      this.#elements.push(tagId)
      this.#omittedTag = tagId
      this.#omittedDepth = this.#elements.depth
    }
  }

  /** Leaves the regions whose elements have ended, where so many are open still. */
  #leave(depth: number): void {
    if (depth < this.#omittedDepth) {
      this.#omittedTag = 0
      this.#omittedDepth = 0
    }
    if (depth >= this.#regionDepth) return
    this.#endBlock()
    const open = this.#openRegions
    while (open.length > 0 && open[open.length - 1]!.depth > depth) {
      if (this.#blocks.regions[this.#region]!.mark === TITLE) this.#headingEnd = this.#blockEnd
      this.#region = open.pop()!.around
    }
    this.#regionDepth = open[open.length - 1]?.depth ?? 0
  }

  #endBlock(): void {
    const { length } = this.builder
    if (length > this.#blockEnd) {
      this.#blocks.add(length, Math.min(this.#links, length - this.#blockEnd), this.#region)
      this.#blockEnd = length
      this.#links = 0
    }
    this.builder.block()
  }
}
