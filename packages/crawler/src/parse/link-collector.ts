/**
 * The links of one page: raw references first, each once, resolved when the whole page is read and its base is known.
 * The fragment goes before anything is compared: an index page names a few pages thousands of times with fragments.
 */

import { LinkResolver } from './link-resolver.js'
import type { LinkKind, PageLink } from './parsed-page.js'
import { cut, oneLine, TextBuilder } from './text-builder.js'

/** UTF-16 units of anchor text kept. */
const MAX_ANCHOR = 500

/** References that lead to no document that could be fetched. */
const NOT_LINKS = /^(?:javascript|data|blob|about|vbscript|view-source):/

interface RawLink {
  readonly reference: string
  readonly kind: LinkKind
  text: string
  /** what the pictures in it show */
  picture: string
  nofollow: boolean
}

/** Collects references while a page is read. */
export class LinkCollector {
  readonly #maxLinks: number
  readonly #links: RawLink[] = []
  readonly #byReference = new Map<string, number>()
  readonly #anchor = new TextBuilder()
  #open = -1
  #truncated = false

  constructor(maxLinks: number) {
    this.#maxLinks = maxLinks
  }

  /** True while text belongs to a link's anchor that still takes some. */
  get anchorOpen(): boolean {
    return this.#open >= 0
  }

  /** A reference of any kind. Returns its number, -1 where it is none or one too many. */
  add(rawReference: string, kind: LinkKind, nofollow: boolean): number {
    const hash = rawReference.indexOf('#')
    const reference = (hash < 0 ? rawReference : rawReference.slice(0, hash)).trim()
    // "#part" and "" are the page itself
    if (reference === '') return -1
    const known = this.#byReference.get(reference)
    if (known !== undefined) {
      if (!nofollow) this.#links[known]!.nofollow = false
      return known
    }
    if (this.#links.length >= this.#maxLinks) {
      this.#truncated = true
      return -1
    }
    this.#byReference.set(reference, this.#links.length)
    return this.#links.push({ reference, kind, text: '', picture: '', nofollow }) - 1
  }

  /** The begin of an anchor whose text belongs to link `number`. */
  openAnchor(number: number): void {
    this.closeAnchor()
    if (number >= 0 && this.#links[number]!.text === '') this.#open = number
  }

  closeAnchor(): void {
    if (this.#open < 0) return
    this.#links[this.#open]!.text = cut(this.#anchor.takeClean(), MAX_ANCHOR)
    this.#open = -1
  }

  anchorText(chars: string): void {
    if (this.#anchor.length < MAX_ANCHOR) this.#anchor.append(chars)
  }

  /** Text of the anchor as it stands in the page; see {@link TextBuilder.appendRun}. */
  anchorRun(page: string, units: Uint16Array, start: number, end: number): void {
    if (this.#anchor.length < MAX_ANCHOR) this.#anchor.appendRun(page, units, start, end)
  }

  /** A picture within the anchor: what it shows counts where the anchor has no text. */
  pictureText(alt: string): void {
    const link = this.#links[this.#open]!
    if (link.picture === '') link.picture = oneLine(alt, MAX_ANCHOR)
  }

  /** A block or cell begins or ends within the anchor. */
  anchorGap(): void {
    this.#anchor.gap()
  }

  /** Text of a link that is not between its tags (`alt` of an area). */
  label(number: number, text: string): void {
    if (number >= 0 && this.#links[number]!.text === '') this.#links[number]!.text = oneLine(text, MAX_ANCHOR)
  }

  /** All links against the base; addresses that turn out equal are one link. */
  resolve(base: string, charset: string): { links: PageLink[]; truncated: boolean } {
    this.closeAnchor()
    const resolver = new LinkResolver(base, charset)
    const links: PageLink[] = []
    const byUrl = new Map<string, number>()
    const pictures = new Map<number, string>()
    for (const { reference, kind, text, picture, nofollow } of this.#links) {
      const url = resolver.resolve(reference)
      if (url === undefined) continue
      const http = url.startsWith('http:') || url.startsWith('https:')
      if (!http && NOT_LINKS.test(url)) continue
      const known = byUrl.get(url)
      if (picture !== '' && !pictures.has(known ?? links.length)) pictures.set(known ?? links.length, picture)
      if (known === undefined) {
        byUrl.set(url, links.length)
        links.push({ url, kind, text, nofollow, scheme: http ? 'http' : 'other' })
        continue
      }
      const before = links[known]!
      if ((before.nofollow && !nofollow) || (before.text === '' && text !== '')) {
        links[known] = {
          ...before,
          nofollow: before.nofollow && nofollow,
          text: before.text === '' ? text : before.text,
        }
      }
    }
    for (const [number, text] of pictures) {
      if (links[number]!.text === '') links[number] = { ...links[number]!, text }
    }
    return { links, truncated: this.#truncated }
  }
}
