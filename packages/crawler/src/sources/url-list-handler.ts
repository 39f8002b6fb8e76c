/**
 * Finds the addresses in the stream of elements of a sitemap or feed. Namespaces are not asked for: many sites have them
 * wrong. What counts is where an element stands, so the `image:loc` of a picture is not taken for the `loc` of a page.
 */
/** What a list is. */
export type UrlListKind = 'sitemap' | 'sitemap-index' | 'feed'

/** An address of a list. */
export interface ListedUrl {
  /** As written, white space around it removed; relative ones only in feeds. */
  readonly reference: string
  /** When its page was changed last, milliseconds since 1970; undefined where that is not said or cannot be true. */
  readonly lastModified: number | undefined
}

/** Elements within each other; a list needs five. */
const MAX_DEPTH = 64
/** Characters of an address or a date that are read. */
const MAX_TEXT = 4096
const DAY_MS = 86_400_000
/** The first pages of the web. */
const FIRST = Date.UTC(1991, 7, 6)

/** What an entry's elements are called, by the element of the entry. */
const ENTRIES = new Map<string, { readonly address: string; readonly dates: readonly string[] }>([
  ['url', { address: 'loc', dates: ['lastmod'] }],
  ['sitemap', { address: 'loc', dates: ['lastmod'] }],
  ['item', { address: 'link', dates: ['pubdate', 'date'] }],
  ['entry', { address: 'link', dates: ['updated', 'published', 'modified'] }],
])

const KINDS = new Map<string, UrlListKind>([
  ['urlset', 'sitemap'],
  ['sitemapindex', 'sitemap-index'],
  ['rss', 'feed'],
  ['feed', 'feed'],
  ['rdf', 'feed'],
])

/** Of an element, by name. */
interface Attributes {
  readonly href?: string
  readonly rel?: string
}

interface Entry {
  readonly element: string
  readonly depth: number
  address: string
  /** Stands in where there is no address: the guid of an RSS item, or the text of the entry itself. */
  substitute: string
  date: string
}

/** See the head of this file. */
export class UrlListHandler {
  readonly #max: number
  readonly #now: number
  readonly #path: string[] = []
  readonly #entries: ListedUrl[] = []
  #kind: UrlListKind | undefined
  #isOther = false
  #entry: Entry | undefined
  /** The element whose text is wanted, by its depth; 0 where none is. */
  #wanted = 0
  #text = ''
  #isEnd = false
  #isFull = false
  #breaksOff = false

  /**
   * @param max most entries
   * @param now milliseconds since 1970
   */
  constructor(max: number, now: number) {
    this.#max = max
    this.#now = now
  }

  /** Undefined where it is no list. */
  get kind(): UrlListKind | undefined {
    return this.#kind
  }

  get entries(): readonly ListedUrl[] {
    return this.#entries
  }

  /** True where nothing more is taken. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** True where the document ends within an element. */
  get breaksOff(): boolean {
    return this.#breaksOff
  }

  open(name: string, attributes: Attributes): void {
    const element = localName(name)
    this.#path.push(element)
    const depth = this.#path.length
    if (depth > MAX_DEPTH) this.#isFull = true
    if (depth === 1) {
      this.#kind = KINDS.get(element)
      this.#isOther = this.#kind === undefined
    }
    if (this.#isOther || this.#isFull) return
    if (this.#entry === undefined) {
      if (ENTRIES.has(element)) this.#entry = { element, depth, address: '', substitute: '', date: '' }
      return
    }
    // `atom:link` within RSS leads elsewhere: to the feed, or the comments.
    const isForeign = this.#entry.element === 'item' && element === 'link' && name.includes(':')
    if (depth === this.#entry.depth + 1 && !isForeign) this.#child(element, attributes, this.#entry, depth)
  }

  #child(element: string, attributes: Attributes, entry: Entry, depth: number): void {
    const { address, dates } = ENTRIES.get(entry.element)!
    if (element === address && attributes.href !== undefined) {
      const { rel = 'alternate', href } = attributes
      if (rel.toLowerCase() !== 'alternate') return
      // Of several, the one that says so is a page; one without a word may be.
      if (entry.address === '' || attributes.rel !== undefined) entry.address = href
    } else if (element === address || dates.includes(element)) this.#want(depth)
    else if (element === 'guid') this.#want(depth)
  }

  #want(depth: number): void {
    this.#wanted = depth
    this.#text = ''
  }

  text(text: string): void {
    const entry = this.#entry
    // Some write the address into the entry itself, without an element of its own.
    if (entry?.depth === this.#path.length && entry.substitute.length < MAX_TEXT) {
      entry.substitute += text.slice(0, MAX_TEXT).trim()
    }
    if (this.#wanted === 0 || this.#isEnd || this.#wanted !== this.#path.length) return
    if (this.#text.length < MAX_TEXT) this.#text += text.slice(0, MAX_TEXT)
  }

  close(name: string): void {
    const element = localName(name)
    const depth = this.#path.length
    if (this.#isEnd && depth > 0) this.#breaksOff = true
    if (this.#wanted === depth && depth > 0) this.#take(element)
    this.#path.pop()
    if (this.#entry !== undefined && depth === this.#entry.depth) {
      this.#push(this.#entry)
      this.#entry = undefined
    }
  }

  #take(element: string): void {
    const text = this.#text.trim()
    this.#wanted = 0
    const entry = this.#entry
    if (entry === undefined || text === '') return
    if (element === 'guid') entry.substitute = text
    else if (element === ENTRIES.get(entry.element)?.address) {
      if (entry.address === '') entry.address = text
    } else if (entry.date === '') entry.date = text
  }

  /** From here on only what is open is closed: text without an end is not taken. */
  endOfInput(): void {
    // An address whose end tag has begun is whole: its text was told before.
    this.#isEnd = true
    if (this.#path.length === 0) return
    this.#breaksOff = true
    if (this.#wanted > 0) this.#take(this.#path[this.#wanted - 1] ?? '')
    if (this.#entry !== undefined) this.#push(this.#entry)
    this.#entry = undefined
  }

  /** A line of a plain text sitemap. */
  line(line: string): void {
    const reference = line.replace(/^\ufeff/, '').trim()
    if (reference === '') return
    if (!/^https?:\/\//i.test(reference) || reference.length > MAX_TEXT) return
    this.#kind = 'sitemap'
    this.#add({ reference, lastModified: undefined })
  }

  #push({ address, substitute, date }: Entry): void {
    let reference = address
    if (reference === '' && /^https?:\/\//i.test(substitute)) reference = substitute
    if (reference === '' || reference.length >= MAX_TEXT) return
    this.#add({ reference, lastModified: this.#time(date) })
  }

  #add(entry: ListedUrl): void {
    if (this.#entries.length < this.#max) this.#entries.push(entry)
    else this.#isFull = true
  }

  /** A date that can be true: not before the web, not after tomorrow. */
  #time(date: string): number | undefined {
    if (date === '') return undefined
    const time = Date.parse(date)
    return time >= FIRST && time <= this.#now + DAY_MS ? time : undefined
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}
