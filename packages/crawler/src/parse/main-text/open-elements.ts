/**
 * The open block elements of a page, followed from its tags alone: as far as a tree builder's rules decide where an element ends
 * (end tags left out, end tags of nothing, the borders of tables). Each step costs O(1) over a whole page, whatever it holds.
 */

import { html } from 'parse5'

const { TAG_ID } = html

/** Deepest nesting followed; deeper elements belong to the one at this depth. */
const MAX_DEPTH = 4096

const NESTS = 1
const ENDS_PARAGRAPH = 2
const WITHIN_TABLE = 4

const INLINE_NAMES = 'A B BIG CODE EM FONT I LABEL NOBR S SMALL SPAN STRIKE STRONG SUB SUP TT U VAR'

const rules = new Uint8Array(256)

function set(rule: number, names: string): void {
  for (const name of names.split(' ')) rules[TAG_ID[name as keyof typeof TAG_ID]]! |= rule
}

set(
  NESTS | ENDS_PARAGRAPH,
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER H1 H2 H3 H4 H5 H6 ' +
    'HEADER HGROUP LI LISTING MAIN MENU NAV OL P PRE SEARCH SECTION SUMMARY TABLE UL',
)
set(NESTS, 'NOSCRIPT SELECT')
set(NESTS | WITHIN_TABLE, 'CAPTION TBODY TD TFOOT TH THEAD TR')
set(ENDS_PARAGRAPH, 'FORM HR PLAINTEXT XMP')

/** Not 0 for elements that begin or end others; by parse5's tag id. */
export const NESTING: Readonly<Uint8Array> = rules

const inline = new Uint8Array(256)
for (const name of INLINE_NAMES.split(' ')) inline[TAG_ID[name as keyof typeof TAG_ID]] = 1

/** 1 for elements within a line that have content; by parse5's tag id. */
export const INLINE: Readonly<Uint8Array> = inline

/** See the head of this file. */
export class OpenElements {
  /** by position, from 1: the tag, and the position of the next element further out of the same tag; behind the depth, old ones */
  readonly #tags: number[] = [0]
  readonly #before: number[] = [0]
  /** position of the innermost element of a tag, 0 where none is open */
  readonly #last = new Int32Array(256)
  /** by tag, open elements that are too deep to be followed */
  #beyond: Uint32Array | undefined
  #depth = 0

  /** Open elements. */
  get depth(): number {
    return this.#depth
  }

  /** A start tag: ends what it ends, and opens the element where it is a block. Returns how many stayed open. */
  begin(tag: number): number {
    const rule = rules[tag]!
    const last = this.#last
    if ((rule & ENDS_PARAGRAPH) !== 0 && last[TAG_ID.P]! > this.#border()) this.#cut(last[TAG_ID.P]!)
    switch (tag) {
      case TAG_ID.LI:
        this.#end(TAG_ID.LI, Math.max(this.#border(), last[TAG_ID.UL]!, last[TAG_ID.OL]!, last[TAG_ID.MENU]!))
        break
      case TAG_ID.DD:
      case TAG_ID.DT: {
        const border = Math.max(this.#border(), last[TAG_ID.DL]!)
        this.#end(TAG_ID.DD, border)
        this.#end(TAG_ID.DT, border)
        break
      }
      case TAG_ID.TBODY:
      case TAG_ID.THEAD:
      case TAG_ID.TFOOT:
        for (const ended of SECTIONS) this.#end(ended, last[TAG_ID.TABLE]!)
        this.#endRow()
        break
      case TAG_ID.TR:
        this.#endRow()
        break
      case TAG_ID.TD:
      case TAG_ID.TH:
        this.#end(TAG_ID.TD, last[TAG_ID.TABLE]!)
        this.#end(TAG_ID.TH, last[TAG_ID.TABLE]!)
        break
      default:
    }
    const { depth } = this
    if ((rule & NESTS) !== 0) this.push(tag)
    return depth
  }

  /** Opens an element and ends none. */
  push(tag: number): void {
    if (this.#depth >= MAX_DEPTH) {
      this.#beyond ??= new Uint32Array(256)
      this.#beyond[tag]!++
      return
    }
    const position = ++this.#depth
    this.#before[position] = this.#last[tag]!
    this.#last[tag] = position
    this.#tags[position] = tag
  }

  /** An end tag; it changes nothing where none of its elements is open in this table cell. */
  end(tag: number): void {
    if (this.#beyond !== undefined && this.#beyond[tag]! > 0) {
      this.#beyond[tag]!--
      return
    }
    if (tag === TAG_ID.TABLE) this.#end(tag, 0)
    else this.#end(tag, (rules[tag]! & WITHIN_TABLE) !== 0 ? this.#last[TAG_ID.TABLE]! : this.#border())
  }

  #endRow(): void {
    const table = this.#last[TAG_ID.TABLE]!
    this.#end(TAG_ID.TR, table)
    this.#end(TAG_ID.TD, table)
    this.#end(TAG_ID.TH, table)
    this.#end(TAG_ID.CAPTION, table)
  }

  #end(tag: number, border: number): void {
    const position = this.#last[tag]!
    if (position > border) this.#cut(position)
  }

  /** The innermost element that no end tag of another reaches through. */
  #border(): number {
    const last = this.#last
    return Math.max(last[TAG_ID.TABLE]!, last[TAG_ID.TD]!, last[TAG_ID.TH]!, last[TAG_ID.CAPTION]!)
  }

  #cut(position: number): void {
    for (let i = this.#depth; i >= position; i--) this.#last[this.#tags[i]!] = this.#before[i]!
    this.#depth = position - 1
  }
}

const SECTIONS = [TAG_ID.TBODY, TAG_ID.THEAD, TAG_ID.TFOOT]
