/**
 * Text of forms that is no text of the page: what stands on buttons, in lists to choose from, in fields, and beside them within a
 * form. An element that is never closed hides nothing behind the block that it stands in.
 */

import { html } from 'parse5'

const { TAG_ID } = html

/** Blocks that are always closed by their own end tag. */
const CLOSED: ReadonlySet<number> = new Set([
  TAG_ID.ARTICLE,
  TAG_ID.ASIDE,
  TAG_ID.DIV,
  TAG_ID.DL,
  TAG_ID.FIELDSET,
  TAG_ID.FORM,
  TAG_ID.MAIN,
  TAG_ID.OL,
  TAG_ID.SECTION,
  TAG_ID.TABLE,
  TAG_ID.UL,
])
/** What cannot be in a list to choose from. */
const ENDS_SELECT: ReadonlySet<number> = new Set([...CLOSED, TAG_ID.INPUT, TAG_ID.P, TAG_ID.H1, TAG_ID.H2, TAG_ID.H3])

/** Follows the elements of forms while a page is read. */
export class FormControls {
  #forms = 0
  #open: number = TAG_ID.UNKNOWN
  /** blocks open within the open control */
  #blocks = 0

  /** True where text belongs to a control. */
  get open(): boolean {
    return this.#open !== TAG_ID.UNKNOWN
  }

  /** Any element begins while a control is open; one of a form begins else. */
  start(id: number): void {
    if (id === TAG_ID.FORM) this.#forms++
    if (this.#open === TAG_ID.SELECT && ENDS_SELECT.has(id)) this.#close()
    if (this.open && CLOSED.has(id)) this.#blocks++
    const isControl = id === TAG_ID.BUTTON || id === TAG_ID.SELECT || (id === TAG_ID.LABEL && this.#forms > 0)
    if (!isControl || (this.open && id !== this.#open)) return
    this.#open = id
    this.#blocks = 0
  }

  /** Any element ends while a control is open; a form ends else. */
  end(id: number): void {
    if (id === TAG_ID.FORM && this.#forms > 0) this.#forms--
    if (!this.open) return
    if (id === this.#open || id === TAG_ID.BODY) this.#close()
    else if (CLOSED.has(id) && --this.#blocks < 0) this.#close()
  }

  #close(): void {
    this.#open = TAG_ID.UNKNOWN
  }
}
