/**
 * What the page reader does at each element, as bits in a table indexed by parse5's tag ids: one load a tag on the hot path.
 * An element without an id of its own (`time`, custom elements) has no bits and is inline.
 */

import { html } from 'parse5'

const { TAG_ID } = html

/** Begins and ends a line. */
export const BLOCK = 1
/** A table cell: apart from its neighbour by a blank. */
export const CELL = 8
/** Has something to be read when it begins. */
export const OPENS = 16
/** Has something to be done when it ends. */
export const CLOSES = 32
/** In foreign content, ends it (HTML standard, “any other start tag” of foreign content). */
export const LEAVES_FOREIGN = 64
/** May begin what an address leads to by a name. */
export const NAMED = 128
/** Part of a form, or a form. */
export const FORM = 256

const bits = new Uint16Array(256)

function set(bit: number, names: string): void {
  for (const name of names.split(' ')) {
    const id = TAG_ID[name as keyof typeof TAG_ID]
    if (typeof id !== 'number') throw new TypeError(`parse5 has no tag id for ${name}`)
    bits[id]! |= bit
  }
}

set(
  BLOCK,
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER ' +
    'FORM FRAMESET H1 H2 H3 H4 H5 H6 HEAD HEADER HGROUP HR HTML LI LISTING MAIN MENU NAV OL OPTGROUP OPTION P PLAINTEXT PRE ' +
    'SEARCH SECTION SELECT SUMMARY TABLE TBODY TEXTAREA TFOOT THEAD TITLE TR UL XMP NOSCRIPT IFRAME',
)
set(CELL, 'TD TH')
set(
  OPENS,
  'A AREA BASE DD DT FRAME H1 H2 H3 H4 H5 H6 HTML IFRAME IMG LINK META NOEMBED NOFRAMES NOSCRIPT PLAINTEXT SCRIPT STYLE SVG MATH ' +
    'TEMPLATE TEXTAREA TITLE XMP',
)
set(CLOSES, 'A DT H1 H2 H3 H4 H5 H6 IFRAME NOEMBED NOFRAMES NOSCRIPT SCRIPT STYLE TEMPLATE TEXTAREA TITLE')
set(NAMED, 'ARTICLE DIV SECTION')
set(FORM, 'BUTTON FORM LABEL SELECT')
set(
  LEAVES_FOREIGN,
  'B BIG BLOCKQUOTE BODY BR CENTER CODE DD DIV DL DT EM EMBED H1 H2 H3 H4 H5 H6 HEAD HR I IMG LI LISTING MENU META NOBR OL P ' +
    'PRE RUBY S SMALL SPAN STRONG STRIKE SUB SUP TABLE TT U UL VAR',
)

/** Bits of every element by parse5's tag id. */
export const ELEMENT_BITS: Readonly<Uint16Array> = bits
