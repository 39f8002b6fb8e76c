/**
 * Which blocks of a page are its main text: those of the regions that hold it, without the rows of links before the first running
 * text where no region says that it is the content, and with the heading above a content that has none. When in doubt a block
 * stays: a word too many in the index costs less than one that cannot be found.
 */

import type { BlockList } from './block-list.js'
import { CONTENTS } from './element-marks.js'
import { judgeRegions } from './judge-regions.js'

/** Letters of a block from which on it is running text; a Han character or kana counts for {@link WIDE}. */
const RUNNING = 80
const WIDE = 3
/** Links one after the other that are a menu. */
const MENU = 3
/** Share of the page that may be taken away as links. */
const MOST = 0.5

/** What stays of a page: 1 for each block and region that does; undefined where all do. */
export interface Chosen {
  readonly blocks: Uint8Array | undefined
  readonly regions: Uint8Array | undefined
}

/** UTF-16 units of a title, and of a heading, that are compared. */
const COMPARED = 200
/** Letters of a heading from which on a title can name it. */
const NAMED = 2

/**
 * Chooses the main text. Linear in blocks and regions.
 * @param title of the page, as it stands in its head
 */
export function chooseBlocks(text: string, blocks: BlockList, title: string): Chosen {
  const { count, owners, regions } = blocks
  const chosen = new Uint8Array(count).fill(1)
  const verdict = regions.length > 1 ? judgeRegions(text, blocks) : undefined
  if (verdict !== undefined) for (let i = 0; i < count; i++) chosen[i] = verdict.kept[owners[i]!]!
  if (verdict?.explicit === true) keepTitle(blocks, chosen, verdict.outside)
  else dropLeadingLinks(text, blocks, chosen, headingNamed(title, text, blocks))
  return { blocks: chosen.includes(0) ? chosen : undefined, regions: verdict?.kept }
}

/** Keeps the last main heading before the content, where that has none of its own: many a page sets it above. */
function keepTitle({ headings, owners }: BlockList, chosen: Uint8Array, outside: Uint8Array): void {
  const titles = headings.filter(({ level }) => level === 1)
  if (titles.some(({ first }) => chosen[first] === 1)) return
  const begin = chosen.indexOf(1)
  const title = titles.findLast(({ first, end }) => end <= begin && outside[owners[first]!] === 1)
  if (title !== undefined) chosen.fill(1, title.first, title.end)
}

/** The block of the longest heading that is part of the page's title, where its content begins; -1 where there is none. */
function headingNamed(title: string, text: string, blocks: BlockList): number {
  const name = lettersOf(title)
  let longest = NAMED - 1
  let block = -1
  for (const { first, end } of blocks.headings) {
    const heading = lettersOf(text.slice(blocks.start(first), blocks.ends[end - 1]))
    if (heading.length <= longest || !name.includes(heading)) continue
    longest = heading.length
    block = first
  }
  return block
}

/** Letters and digits in lower case, without a section's number. */
function lettersOf(text: string): string {
  return text
    .slice(0, COMPARED)
    .replace(/^[\s\d.]+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
}

/** Drops rows of links before the first running text, or before block `begin`, of any length right before it; -1 for none. */
function dropLeadingLinks(text: string, blocks: BlockList, chosen: Uint8Array, begin: number): void {
  const { count, ends, owners, regions } = blocks
  const menus: number[] = []
  let row: number[] = []
  let linked = 0
  let first = 0
  for (; first < count; first++) {
    if (chosen[first] === 0) continue
    const start = blocks.start(first)
    const length = ends[first]! - start
    if (blocks.isLink(first, first + 1) && regions[owners[first]!]!.mark !== CONTENTS) {
      row.push(first)
      linked += length
      continue
    }
    if (row.length >= MENU || first === begin) menus.push(...row)
    row = []
    if (first === begin) break
    if (length * WIDE >= RUNNING && isRunning(text, start, ends[first]!)) break
  }
  if (menus.length === 0 || first === count) return
  let rest = 0
  for (let i = first; i < count; i++) if (chosen[i] === 1) rest += ends[i]! - blocks.start(i)
  if (linked > MOST * (linked + rest)) return
  for (const block of menus) chosen[block] = 0
}

function isRunning(text: string, start: number, end: number): boolean {
  if (end - start >= RUNNING) return true
  let letters = 0
  for (let i = start; i < end; i++) letters += text.charCodeAt(i) >= 0x2e80 ? WIDE : 1
  return letters >= RUNNING
}
