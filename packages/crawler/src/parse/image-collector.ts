/**
 * The pictures of a page that say in words what they show. A word or two – “Logo”, “Next page” – name a sign rather than describe a
 * picture, and a file's name says nothing: they are left out.
 */

import { oneLine } from './text-builder.js'

/** Pictures of a page that are kept. */
const MAX_IMAGES = 64
const MAX_ALT = 300
/** Three words, or six characters of a script without blanks. */
const DESCRIBES =
  /\p{L}\S*\s+\S*[\p{L}\p{N}]\S*\s+\S*[\p{L}\p{N}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6}/u

/** A picture as it stands in the page. */
export interface RawImage {
  /** as written */
  readonly reference: string
  /** what it shows, in words */
  readonly alt: string
  /** the part of the page that it stands in */
  readonly region: number
}

/** Collects pictures while a page is read. */
export class ImageCollector {
  readonly #images = new Map<string, RawImage>()

  /** The pictures in the order of the page, each text once. */
  get images(): readonly RawImage[] {
    return [...this.#images.values()]
  }

  add(reference: string | undefined, alt: string | undefined, region: number): void {
    if (alt === undefined || alt.length < 5 || reference === undefined || reference.startsWith('data:')) return
    if (this.#images.size >= MAX_IMAGES) return
    const text = oneLine(alt, MAX_ALT).trim()
    if (this.#images.has(text) || !DESCRIBES.test(text)) return
    this.#images.set(text, { reference: reference.trim(), alt: text, region })
  }
}
