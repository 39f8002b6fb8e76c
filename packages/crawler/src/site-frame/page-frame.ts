/**
 * What frames the pages of a site where nothing in them says so: lines that stand at the edges of many of them (menus, notices,
 * choices of language, licences). Only edges are compared, and only whole lines: what a page says in between is its own, however
 * many others say the same.
 */
import type { PageSection } from '@spindle/core'
import { urlKey } from '../frontier/url-key.js'

/** Lines from each end of a page that are compared. */
const EDGE = 40
/** Least pages that are compared. */
export const MIN_PAGES = 8
/** Least pages that a line of the frame stands on, and the least share of those that are compared. */
const MIN_COMMON = 5
const COMMON = 0.3
/** UTF-16 units of a line that is compared; longer ones are texts. */
const MAX_LINE = 1000
/** Letters of a line that is left out behind the page's own first line; a heading that many pages have is shorter. */
const MIN_BEHIND = 20
const WIDE = 3

/** A part of a text, from `start` to before `end`. */
interface Cut {
  readonly start: number
  readonly end: number
}

/** A page's text without the frame. */
export interface OwnText {
  readonly text: string
  readonly sections: readonly PageSection[]
  /** hash of what was left out, 1 … 2^53 − 1 */
  readonly key: number
}

/** Compares the pages of a site. The result depends on the set of pages alone. */
export class FrameCounter {
  readonly #counts = new Map<number, number>()
  #pages = 0

  /** Adds the text of a page. */
  add(text: string): void {
    this.#pages++
    const keys = new Set<number>()
    for (const { start, end } of edgeLines(text)) if (end - start <= MAX_LINE) keys.add(lineKey(text, start, end))
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** The frame of the pages added. */
  frame(): PageFrame {
    if (this.#pages < MIN_PAGES) return new PageFrame(new Set())
    const least = Math.max(MIN_COMMON, Math.ceil(this.#pages * COMMON))
    const keys = new Set<number>()
    for (const [key, count] of this.#counts) if (count >= least) keys.add(key)
    return new PageFrame(keys)
  }
}

/** The lines that frame the pages of a site. */
export class PageFrame {
  readonly #keys: ReadonlySet<number>

  constructor(keys: ReadonlySet<number>) {
    this.#keys = keys
  }

  /** True where pages have nothing in common. */
  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  /**
   * Leaves the frame out of a page: common lines from the top, also behind one line of the page's own (its title), and from the
   * bottom; a heading of the first level is the page's own in any case. Undefined where there is none, or nothing but.
   */
  strip(text: string, sections: readonly PageSection[] = []): OwnText | undefined {
    const cuts = this.#cuts(text, sections)
    if (cuts.length === 0) return undefined
    let own = ''
    let left = ''
    let from = 0
    for (const { start, end } of cuts) {
      own += text.slice(from, start)
      left += text.slice(start, end)
      from = end
    }
    own += text.slice(from)
    // the line break before what was left out at the bottom
    if (own.endsWith('\n')) own = own.slice(0, -1)
    if (own.trim() === '') return undefined
    return { text: own, sections: moved(sections, cuts), key: Math.max(1, urlKey(left, 0)) }
  }

  #cuts(text: string, sections: readonly PageSection[]): Cut[] {
    const titles = sections.filter(({ level }) => level === 1).map(({ start }) => start)
    const isCommon = (line: Cut): boolean =>
      this.#has(text, line) && !titles.some((start) => start >= line.start && start < line.end)
    const cuts: Cut[] = []
    const top = linesFromTop(text)
    let line = 0
    while (line < top.length && isCommon(top[line]!)) line++
    if (line > 0) cuts.push({ start: 0, end: endOf(text, top[line - 1]!) })
    // the page's own first line, and what stands behind it on all of them
    const behind = line + 1
    line = behind
    while (line < top.length && isCommon(top[line]!) && letters(text, top[line]!) >= MIN_BEHIND) line++
    if (line > behind) cuts.push({ start: top[behind]!.start, end: endOf(text, top[line - 1]!) })
    const bottom = linesFromBottom(text)
    line = 0
    while (line < bottom.length && isCommon(bottom[line]!)) line++
    if (line > 0) {
      const start = Math.max(bottom[line - 1]!.start, cuts[cuts.length - 1]?.end ?? 0)
      if (start < text.length) cuts.push({ start, end: text.length })
    }
    return cuts
  }

  #has(text: string, { start, end }: Cut): boolean {
    return end - start <= MAX_LINE && this.#keys.has(lineKey(text, start, end))
  }
}

/** With the line break behind it. */
function endOf(text: string, { end }: Cut): number {
  return Math.min(end + 1, text.length)
}

function edgeLines(text: string): Cut[] {
  const top = linesFromTop(text)
  const reached = top[top.length - 1]?.end ?? 0
  return [...top, ...linesFromBottom(text).filter(({ start }) => start > reached)]
}

function linesFromTop(text: string): Cut[] {
  const lines: Cut[] = []
  for (let start = 0; start < text.length && lines.length < EDGE; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    lines.push({ start, end })
    start = end + 1
  }
  return lines
}

function linesFromBottom(text: string): Cut[] {
  const lines: Cut[] = []
  for (let end = text.length; end > 0 && lines.length < EDGE; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    lines.push({ start, end })
    end = start - 1
  }
  return lines
}

function lineKey(text: string, start: number, end: number): number {
  return urlKey(text.slice(start, end).trim(), 0)
}

function letters(text: string, { start, end }: Cut): number {
  let sum = 0
  for (let i = start; i < end; i++) sum += text.charCodeAt(i) >= 0x2e80 ? WIDE : 1
  return sum
}

/** Sections at their new places, those that were left out gone. */
function moved(sections: readonly PageSection[], cuts: readonly Cut[]): PageSection[] {
  const kept: PageSection[] = []
  for (const section of sections) {
    let shift = 0
    let isCut = false
    for (const { start, end } of cuts) {
      if (section.start >= end) shift += end - start
      else if (section.start >= start) isCut = true
    }
    if (!isCut) kept.push({ ...section, start: section.start - shift })
  }
  return kept
}
