/**
 * Reads an HTML page from parse5's tokens, without a tree: a third of the time, and nothing that grows with the depth of a page.
 * What a tree builder does and a tokenizer does not is done here as far as it changes links, title or text: elements whose content
 * is raw text, templates, foreign content, noscript. Held equal to parse5's tree over real pages by a test.
 */

import type { PageSection } from '@spindle/core'
import { html, type Token, TokenizerMode } from 'parse5'
import { BLOCK, CELL, CLOSES, ELEMENT_BITS, FORM, LEAVES_FOREIGN, NAMED, OPENS } from './element-table.js'
import { ForeignStack } from './foreign-stack.js'
import { FormControls } from './form-controls.js'
import { HeadingCollector, TERM_LEVEL } from './heading-collector.js'
import { ImageCollector, type RawImage } from './image-collector.js'
import { LinkCollector } from './link-collector.js'
import { endsText } from './mark-names.js'
import { parseMetaRefresh } from './meta-refresh.js'
import { PageMetadata } from './page-metadata.js'
import { PageText } from './page-text.js'
import { type RunHandler, RunTokenizer } from './run-tokenizer.js'

const { TAG_ID } = html

/** How a page is to be read. */
export interface HtmlReaderOptions {
  readonly maxLinks: number
  /** product token that a meta element may name instead of `robots` */
  readonly robotsToken: string
  /** XHTML: a start tag that closes itself has no content */
  readonly xml: boolean
}

/** UTF-16 units of a title that are looked at; an unclosed title takes in the whole page. */
const MAX_TITLE = 4096
/** UTF-16 units of a written date. */
const MAX_TIME = 100
const JSON_LD = /^\s*application\/ld\+json\s*(?:;|$)/i

/** Reads one page. */
export class HtmlReader implements RunHandler {
  readonly links: LinkCollector
  readonly metadata: PageMetadata
  readonly #images = new ImageCollector()
  readonly #headings = new HeadingCollector()
  readonly #controls = new FormControls()
  readonly #pageText = new PageText()
  readonly #text = this.#pageText.builder
  readonly #foreign = new ForeignStack()
  readonly #tokenizer: RunTokenizer
  readonly #xml: boolean
  /** open templates; all within belongs to no page */
  #templates = 0
  #noscripts = 0
  #hasMarks = false
  /** within script, style and the like */
  #hidden = false
  /** within a script of JSON-LD */
  #jsonLd = false
  /** of a time element whose date is its text */
  #time: string | undefined
  #title: 'wanted' | 'open' | 'done' = 'wanted'
  #titleText = ''

  constructor(options: HtmlReaderOptions) {
    this.links = new LinkCollector(options.maxLinks)
    this.metadata = new PageMetadata(options.robotsToken)
    this.#xml = options.xml
    this.#tokenizer = new RunTokenizer({ sourceCodeLocationInfo: false }, this)
  }

  /** Reads all of a page; call once. */
  read(page: string): void {
    this.#tokenizer.read(page)
  }

  /** The readable text; call once, after `read`. */
  text(): string {
    return this.#pageText.finish(this.#titleText)
  }

  /** The text with menus, footers and the like, not cleaned; after `text`. */
  get rawText(): string {
    return this.#pageText.raw
  }

  /** The headings that are in the text, in their order; call after `text`. */
  sections(): PageSection[] {
    this.#headings.end()
    const sections: PageSection[] = []
    for (const [i, { level, text, anchor }] of this.#headings.headings.entries()) {
      const start = this.#pageText.starts[i] ?? -1
      if (start < 0 || text === '') continue
      sections.push({ start, level, heading: text, ...(anchor === '' ? {} : { anchor }) })
    }
    return sections
  }

  /** The pictures of the parts that are in the text; call after `text`. */
  images(): RawImage[] {
    return this.#images.images.filter(({ region }) => this.#pageText.isKept(region))
  }

  /** The title element's text, raw. */
  get title(): string {
    return this.#titleText
  }

  /** The text of the first h1 that has any, at most 200 UTF-16 units. */
  get heading(): string {
    this.#headings.end()
    return this.#headings.headings.find(({ level, text }) => level === 1 && text !== '')?.text ?? ''
  }

  /** True where attributes or comments say what is text of the page and what is not. */
  get hasMarks(): boolean {
    return this.#hasMarks || this.#tokenizer.hasMarks
  }

  readonly onParseError = null

  onStartTag(token: Token.TagToken): void {
    if (this.#foreign.open) {
      if (this.#startForeign(token)) return
    }
    const id = token.tagID
    const bits = ELEMENT_BITS[id]!
    if (bits === 0) {
      if (id === TAG_ID.UNKNOWN && token.tagName === 'time' && this.#templates === 0) {
        this.#time = this.metadata.time(token.attrs) ? '' : undefined
      }
      if (this.#headings.open) this.#headings.within(token.attrs)
      if (this.#templates === 0) this.#pageText.begin(id, token.attrs)
      return
    }
    if ((bits & (BLOCK | CELL)) !== 0) this.#boundary((bits & BLOCK) !== 0)
    if ((bits & NAMED) !== 0 && token.attrs.length > 0) this.#headings.around(token.attrs, this.#pageText)
    if ((bits & FORM) !== 0 || this.#controls.open) this.#controls.start(id)
    if ((bits & OPENS) !== 0) this.#open(token)
    if (this.#templates === 0 && !(this.#xml && token.selfClosing)) this.#pageText.begin(id, token.attrs)
  }

  onEndTag(token: Token.TagToken): void {
    const id = token.tagID
    if (this.#foreign.open) {
      if (this.#foreign.foreign && (id === TAG_ID.P || id === TAG_ID.BR)) this.#foreign.leave()
      else if (this.#foreign.close(token.tagName)) {
        this.#tokenizer.inForeignNode = this.#foreign.foreign
        if (token.tagName === 'a') this.links.closeAnchor()
        return
      }
      // the end of a block around an SVG that was never closed
      else if (this.#foreign.foreign && (ELEMENT_BITS[id]! & BLOCK) !== 0) this.#foreign.leave()
      this.#tokenizer.inForeignNode = this.#foreign.foreign
    }
    const bits = ELEMENT_BITS[id]!
    if (bits === 0) {
      if (this.#time !== undefined && token.tagName === 'time') this.#endTime()
      if (this.#templates === 0) this.#pageText.end(id)
      return
    }
    if ((bits & FORM) !== 0 || this.#controls.open) this.#controls.end(id)
    if ((bits & (BLOCK | CELL)) !== 0) this.#boundary((bits & BLOCK) !== 0)
    if ((bits & CLOSES) !== 0) this.#close(id)
    if (this.#templates === 0) this.#pageText.end(id)
  }

  onText(page: string, units: Uint16Array, start: number, end: number): void {
    if (this.#isTextOfPage()) {
      this.#pageText.appendRun(page, units, start, end)
      if (this.links.anchorOpen) this.links.anchorRun(page, units, start, end)
    } else this.#onChars(page.slice(start, end))
  }

  onCharacter(token: Token.CharacterToken): void {
    this.#onChars(token.chars)
  }

  /** True where text is that of the page, perhaps of a link in it, and nothing else. */
  #isTextOfPage(): boolean {
    if (this.#hidden || this.#templates > 0 || this.#title === 'open' || this.#time !== undefined) return false
    return !this.#headings.open && !this.#controls.open && !this.#foreign.hidden
  }

  #onChars(chars: string): void {
    if (this.#title === 'open') {
      if (this.#titleText.length < MAX_TITLE) this.#titleText += chars
      return
    }
    if (this.#hidden || this.#templates > 0) {
      if (this.#jsonLd) this.metadata.script(chars)
      return
    }
    if (this.#foreign.hidden || this.#controls.open) return
    if (this.#time !== undefined && this.#time.length < MAX_TIME) this.#time += chars
    if (this.#headings.open) this.#headings.append(chars, this.#text)
    this.#pageText.append(chars)
    if (this.links.anchorOpen) this.links.anchorText(chars)
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token)
  }

  /** NUL is dropped, as in a body. */
  onNullCharacter(): void {}

  onComment(token: Token.CommentToken): void {
    if (endsText(token.data)) this.#hasMarks = true
  }

  onDoctype(): void {}

  onEof(): void {}

  #endTime(): void {
    this.metadata.dates.time(this.#time!, '')
    this.#time = undefined
  }

  #boundary(block: boolean): void {
    this.#pageText.boundary(block)
    if (this.links.anchorOpen) this.links.anchorGap()
    if (this.#headings.open) this.#headings.gap()
  }

  /** A start tag within SVG or MathML. Returns false where it is an HTML one after all. */
  #startForeign(token: Token.TagToken): boolean {
    const id = token.tagID
    if (this.#foreign.foreign) {
      const leaves = (ELEMENT_BITS[id]! & LEAVES_FOREIGN) !== 0 || (id === TAG_ID.FONT && hasFontAttribute(token.attrs))
      if (!leaves) {
        if (token.tagName === 'a' && this.#templates === 0 && !this.#foreign.hidden) {
          const reference = attribute(token.attrs, 'href') ?? attribute(token.attrs, 'xlink:href')
          if (reference !== undefined) this.links.openAnchor(this.links.add(reference, 'a', isNofollow(token.attrs)))
        }
        if (!token.selfClosing) this.#foreign.push(token.tagName, attribute(token.attrs, 'encoding')?.toLowerCase())
        this.#tokenizer.inForeignNode = this.#foreign.foreign
        return true
      }
      this.#foreign.leave()
      this.#tokenizer.inForeignNode = this.#foreign.foreign
    }
    return false
  }

  #open(token: Token.TagToken): void {
    const id = token.tagID
    const { attrs } = token
    const empty = this.#xml && token.selfClosing
    switch (id) {
      case TAG_ID.SVG:
      case TAG_ID.MATH:
        if (token.selfClosing) return
        this.#foreign.push(token.tagName, undefined)
        this.#tokenizer.inForeignNode = true
        return
      case TAG_ID.TEMPLATE:
        if (!empty) this.#templates++
        return
      case TAG_ID.TITLE:
        if (empty) return
        this.#tokenizer.state = TokenizerMode.RCDATA
        if (this.#templates > 0) this.#hidden = true
        else if (this.#title === 'wanted') this.#title = 'open'
        else this.#hidden = true
        return
      case TAG_ID.TEXTAREA:
        if (empty) return
        this.#tokenizer.state = TokenizerMode.RCDATA
        this.#hidden = true
        return
      case TAG_ID.PLAINTEXT:
        this.#tokenizer.state = TokenizerMode.PLAINTEXT
        return
      case TAG_ID.XMP:
        if (!empty) this.#tokenizer.state = TokenizerMode.RAWTEXT
        return
      case TAG_ID.SCRIPT:
      case TAG_ID.STYLE:
      case TAG_ID.NOEMBED:
      case TAG_ID.NOFRAMES:
      case TAG_ID.IFRAME:
        if (id === TAG_ID.IFRAME && this.#templates === 0) this.#addLink(attribute(attrs, 'src'), 'iframe', false)
        if (empty) return
        this.#tokenizer.state = id === TAG_ID.SCRIPT ? TokenizerMode.SCRIPT_DATA : TokenizerMode.RAWTEXT
        this.#hidden = true
        if (id === TAG_ID.SCRIPT && this.#templates === 0) this.#script(attrs)
        return
      default:
    }
    if (this.#templates > 0) return
    switch (id) {
      case TAG_ID.A: {
        this.links.closeAnchor()
        const reference = attribute(attrs, 'href')
        if (reference !== undefined) this.links.openAnchor(this.links.add(reference, 'a', isNofollow(attrs)))
        this.#pageText.link(reference !== undefined)
        if (reference === undefined) this.#headings.around(attrs, this.#pageText)
        else if (this.#headings.open) this.#headings.link(reference, attrs)
        return
      }
      case TAG_ID.AREA: {
        const number = this.#addLink(attribute(attrs, 'href'), 'area', isNofollow(attrs))
        if (number >= 0) this.links.label(number, attribute(attrs, 'alt') ?? '')
        return
      }
      case TAG_ID.FRAME:
        this.#addLink(attribute(attrs, 'src'), 'frame', false)
        return
      case TAG_ID.BASE:
        this.metadata.base(attribute(attrs, 'href'))
        return
      case TAG_ID.HTML:
        this.metadata.language(attribute(attrs, 'lang') ?? attribute(attrs, 'xml:lang'))
        return
      case TAG_ID.LINK:
        this.metadata.link(attribute(attrs, 'rel'), attribute(attrs, 'href'), attribute(attrs, 'type'))
        return
      case TAG_ID.META:
        this.#meta(attrs)
        return
      case TAG_ID.IMG: {
        const alt = attribute(attrs, 'alt')
        if (alt === undefined || alt === '') return
        this.#images.add(attribute(attrs, 'src'), alt, this.#pageText.region)
        if (this.links.anchorOpen) this.links.pictureText(alt)
        return
      }
      case TAG_ID.NOSCRIPT:
        if (!empty) this.#noscripts++
        return
      case TAG_ID.H1:
      case TAG_ID.H2:
      case TAG_ID.H3:
      case TAG_ID.H4:
      case TAG_ID.H5:
      case TAG_ID.H6:
        this.#headings.begin(Number(token.tagName[1]), attrs, this.#pageText.length)
        return
      case TAG_ID.DT:
        this.#headings.begin(TERM_LEVEL, attrs, this.#pageText.length)
        return
      case TAG_ID.DD:
        this.#headings.end()
        return
      default:
    }
  }

  #close(id: number): void {
    switch (id) {
      case TAG_ID.TEMPLATE:
        if (this.#templates > 0) this.#templates--
        return
      case TAG_ID.TITLE:
        if (this.#title === 'open') this.#title = this.#titleText.trim() === '' ? 'wanted' : 'done'
        this.#hidden = false
        return
      case TAG_ID.A:
        this.links.closeAnchor()
        this.#pageText.link(false)
        this.#headings.endLink()
        return
      case TAG_ID.NOSCRIPT:
        if (this.#noscripts > 0) this.#noscripts--
        return
      case TAG_ID.H1:
      case TAG_ID.H2:
      case TAG_ID.H3:
      case TAG_ID.H4:
      case TAG_ID.H5:
      case TAG_ID.H6:
      case TAG_ID.DT:
        this.#headings.end()
        return
      default:
        this.#hidden = false
        this.#jsonLd = false
    }
  }

  #script(attrs: readonly Token.Attribute[]): void {
    const type = attribute(attrs, 'type')
    this.#jsonLd = type !== undefined && JSON_LD.test(type)
    if (this.#jsonLd) this.metadata.beginScript()
  }

  #meta(attrs: readonly Token.Attribute[]): void {
    const content = attribute(attrs, 'content')
    if (content === undefined) return
    const equiv = attribute(attrs, 'http-equiv')?.toLowerCase()
    if (equiv === 'refresh') {
      // a refresh for readers without scripts is no redirect for one who reads the page as it is
      if (this.#noscripts === 0) this.#addLink(parseMetaRefresh(content), 'refresh', false)
      return
    }
    this.metadata.meta(
      attribute(attrs, 'name') ?? attribute(attrs, 'property') ?? attribute(attrs, 'itemprop'),
      equiv,
      content,
    )
  }

  #addLink(reference: string | undefined, kind: 'area' | 'frame' | 'iframe' | 'refresh', nofollow: boolean): number {
    return reference === undefined ? -1 : this.links.add(reference, kind, nofollow)
  }
}

function attribute(attrs: readonly Token.Attribute[], name: string): string | undefined {
  for (let i = 0; i < attrs.length; i++) if (attrs[i]!.name === name) return attrs[i]!.value
  return undefined
}

function hasFontAttribute(attrs: readonly Token.Attribute[]): boolean {
  return attrs.some(({ name }) => name === 'color' || name === 'face' || name === 'size')
}

function isNofollow(attrs: readonly Token.Attribute[]): boolean {
  const rel = attribute(attrs, 'rel')
  if (rel === undefined) return false
  for (const word of rel.toLowerCase().split(/[\s,]+/)) {
    if (word === 'nofollow' || word === 'ugc' || word === 'sponsored') return true
  }
  return false
}
