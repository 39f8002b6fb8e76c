/** Text of a feed (RSS 0.9x, 1.0 and 2.0, Atom): its entries as sections, and where they lead. Lenient: many feeds are not well-formed. */

import { decodeText } from '../parse/decode-text.js'
import { parseDate } from '../parse/published-date.js'
import { DocumentText } from './document-text.js'
import {
  DocumentError,
  type DocumentInput,
  type DocumentLink,
  type ExtractedDocument,
  NOTHING_TOLD,
} from './extracted-document.js'
import { readHtml } from './read-html.js'
import { attribute, readXml, type XmlAttributes, type XmlHandler } from './read-xml.js'

/** Entities of HTML that feeds use as if XML knew them. */
const ENTITIES = {
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  eacute: 'é',
  egrave: 'è',
}
const MAX_ENTRIES = 5000

interface Entry {
  title: string
  link: string
  text: string
  date: string
}

/** @throws DocumentError `document-broken` where it is no feed after all */
export function readFeed({ bytes, url, charsetLabel, deadline }: DocumentInput): ExtractedDocument {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reader = new FeedReader()
  readXml(decodeText(buffer, charsetLabel, true).text, reader, { entities: ENTITIES, lenient: true })
  const { feed, entries } = reader
  if (!reader.isFeed) throw new DocumentError('document-broken', 'it is no feed')
  const text = new DocumentText(deadline)
  const links: DocumentLink[] = []
  if (feed.link !== '') links.push({ url: feed.link, text: feed.title })
  addText(text, feed.title)
  addText(text, feed.text)
  for (const { title, link, text: content } of entries) {
    if (text.isFull) {
      text.cutShort()
      break
    }
    const heading = plain(title)
    text.section({ heading })
    addText(text, heading)
    addText(text, plain(content, url))
    if (link !== '') links.push({ url: link, text: heading })
  }
  const { author, lang } = reader
  const published = parseDate(feed.date) ?? parseDate(entries[0]?.date ?? '')
  const description = plain(feed.text, url)
  const told = { title: plain(feed.title), description, author: plain(author), lang, published, links }
  return { ...NOTHING_TOLD, kind: 'feed', ...told, ...text.finish() }
}

function addText(text: DocumentText, content: string): void {
  for (const line of content.split('\n')) {
    text.block()
    text.append(line)
  }
  text.block()
}

/** Titles and contents are HTML, or text that looks like none. */
function plain(content: string, url = 'about:blank'): string {
  if (!/[<&]/.test(content)) return content.trim()
  return readHtml(`<!doctype html><body><main>${content}</main>`, url)?.text ?? ''
}

class FeedReader implements XmlHandler {
  readonly feed: Entry = { title: '', link: '', text: '', date: '' }
  readonly entries: Entry[] = []
  isFeed = false
  author = ''
  lang = ''
  /** the root has been seen */
  #started = false
  #entry: Entry | undefined
  /** names of the open elements within the feed or entry */
  readonly #path: string[] = []
  /** markup that stands as such in an entry of Atom: depth of elements within the one that holds it */
  #markup = 0
  #buffer = ''

  get isDone(): boolean {
    return this.entries.length >= MAX_ENTRIES
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#markup > 0) {
      this.#markup++
      this.#buffer += ` <${name}>`
      return
    }
    if (!this.#started) {
      this.#started = true
      this.isFeed = name === 'rss' || name === 'feed' || name === 'RDF'
      this.lang = attributes['xml:lang'] ?? ''
    }
    this.#path.push(name)
    this.#buffer = ''
    if (name === 'item' || name === 'entry') {
      this.#entry = { title: '', link: '', text: '', date: '' }
      this.entries.push(this.#entry)
    } else if (name === 'link') {
      const href = attribute(attributes, 'href')
      const rel = attribute(attributes, 'rel') ?? 'alternate'
      const target = this.#entry ?? this.feed
      if (href !== undefined && rel === 'alternate' && target.link === '') target.link = href
    } else if (attribute(attributes, 'type') === 'xhtml') this.#markup = 1
  }

  text(text: string): void {
    // Within markup that stands as such, `<` is a character of the text.
    this.#buffer += this.#markup > 0 ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;') : text
  }

  close(name: string): void {
    if (this.#markup > 1) {
      this.#markup--
      this.#buffer += ` </${name}> `
      return
    }
    this.#markup = 0
    const value = this.#buffer.trim()
    this.#buffer = ''
    this.#path.pop()
    const target = this.#entry ?? this.feed
    const parent = this.#path.at(-1) ?? ''
    if (name === 'item' || name === 'entry') this.#entry = undefined
    else if (value === '') return
    else if (name === 'name' || name === 'creator' || name === 'author' || name === 'managingEditor') {
      if (this.author === '' && this.#entry === undefined) this.author = value
    } else if (parent === 'image' || parent === 'textInput' || parent === 'source') return
    else if (name === 'title' && target.title === '') target.title = value
    else if (name === 'link' && target.link === '') target.link = value
    else if (name === 'language' && this.lang === '') this.lang = value
    else if (name === 'description' || name === 'summary' || name === 'subtitle') {
      if (target.text === '') target.text = value
    } else if (name === 'encoded' || name === 'content') target.text = value
    else if (name === 'pubDate' || name === 'published' || name === 'date') target.date = value
    else if ((name === 'updated' || name === 'lastBuildDate') && target.date === '') target.date = value
  }
}
