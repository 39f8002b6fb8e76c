/**
 * The open block elements of a page, followed from its tags alone: as far as a tree builder's rules decide where an element ends
 * (end tags left out, end tags of nothing, the borders of tables). Each step costs O(1) over a whole page, whatever it holds.
 */

import { html } from 'parse5'

const { CAPTION, DD, DL, DT, LI, MENU, OL, P, TABLE, TBODY, TD, TFOOT, TH, THEAD, TR, UL } = html.TAG_ID
const { TAG_ID } = html

/** Deepest nesting followed; deeper elements belong to the one at this depth. */
const MAX_DEPTH = 4096

const NESTS = 1
const ENDS_PARAGRAPH = 2
const WITHIN_TABLE = 4
const ENDS_LIKE = 8

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
set(ENDS_LIKE, 'DD DT LI TBODY TD TFOOT TH THEAD TR')
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
    if ((rule & ENDS_PARAGRAPH) !== 0) {
      const paragraph = this.#last[P]!
      if (paragraph !== 0 && paragraph > this.#border()) this.#cut(paragraph)
    }
    if ((rule & ENDS_LIKE) !== 0) this.#endLike(tag)
    const depth = this.#depth
    if ((rule & NESTS) !== 0) this.push(tag)
    return depth
  }

  /** Ends elements of the same kind in the same list or table. */
  #endLike(tag: number): void {
    const last = this.#last
    if (tag === LI) this.#end(LI, Math.max(this.#border(), last[UL]!, last[OL]!, last[MENU]!))
    else if (tag === DD || tag === DT) {
      const border = Math.max(this.#border(), last[DL]!)
      this.#end(DD, border)
      this.#end(DT, border)
    } else {
      const table = last[TABLE]!
      this.#end(TD, table)
      this.#end(TH, table)
      if (tag === TD || tag === TH) return
      this.#end(TR, table)
      this.#end(CAPTION, table)
      if (tag === TR) return
      this.#end(TBODY, table)
      this.#end(THEAD, table)
      this.#end(TFOOT, table)
    }
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
    if (tag === TABLE) this.#end(tag, 0)
    else this.#end(tag, (rules[tag]! & WITHIN_TABLE) !== 0 ? this.#last[TABLE]! : this.#border())
  }

  #end(tag: number, border: number): void {
    const position = this.#last[tag]!
    if (position > border) this.#cut(position)
  }

  /** The innermost element that no end tag of another reaches through. */
  #border(): number {
    const last = this.#last
    return Math.max(last[TABLE]!, last[TD]!, last[TH]!, last[CAPTION]!)
  }

  #cut(position: number): void {
    for (let i = this.#depth; i >= position; i--) this.#last[this.#tags[i]!] = this.#before[i]!
    this.#depth = position - 1
  }
}
