/** The pictures of a page that say in words what they show. Others, and those whose words are their file's name, are left out. */

import { oneLine } from './text-builder.js'

/** Pictures of a page that are kept. */
const MAX_IMAGES = 64
const MAX_ALT = 300

/** A picture as it stands in the page. */
export interface RawImage {
  /** as written */
  readonly reference: string
  /** what it shows, in words */
  readonly alt: string
}

/** Collects pictures while a page is read. */
export class ImageCollector {
  readonly #images = new Map<string, RawImage>()

  /** The pictures in the order of the page, each text once. */
  get images(): readonly RawImage[] {
    return [...this.#images.values()]
  }

  add(reference: string | undefined, alt: string | undefined): void {
    if (alt === undefined || alt.length < 2 || reference === undefined || reference.startsWith('data:')) return
    if (this.#images.size >= MAX_IMAGES) return
    const text = oneLine(alt, MAX_ALT).trim()
    if (text.length < 2 || this.#images.has(text) || isFileName(text, reference)) return
    this.#images.set(text, { reference: reference.trim(), alt: text })
  }
}

function isFileName(text: string, reference: string): boolean {
  if (text.includes(' ')) return false
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return text === name || /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(text)
}
