/**
 * What a page says about itself in elements for programs: base, canonical, language, robots, description, authors, keywords, dates.
 * Sources by rank: the plain names of HTML, OpenGraph and Twitter, Dublin Core, the names of news and science, JSON-LD.
 */

import type { Token } from 'parse5'
import { type JsonLdFacts, MAX_JSON_LD, readJsonLd } from './json-ld.js'
import { PageDates } from './page-dates.js'
import { oneLine } from './text-builder.js'

/** Values kept of one kind; a page with more is playing games. */
const MAX_VALUES = 64
/** UTF-16 units of a value. */
const MAX_VALUE = 16_384
const MAX_AUTHORS = 8
const MAX_AUTHOR = 200
const MAX_KEYWORDS = 64
const MAX_KEYWORD = 100
const SEPARATOR = /[,，、;；]/
/** A keyword that is clean as it is. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/
/** Of `<link rel="alternate" type="…">`. */
const FEED_TYPE = /^\s*application\/(?:rss|atom)\+xml\s*(?:;|$)/i
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,6}$/

const DESCRIPTIONS = [
  'description',
  'og:description',
  'twitter:description',
  'dc.description',
  'dcterms.description',
  'dcterms.abstract',
]
const TITLES = ['og:title', 'twitter:title', 'dc.title', 'dcterms.title', 'citation_title']
const AUTHORS = [
  'author',
  'dc.creator',
  'dcterms.creator',
  'citation_author',
  'article:author',
  'og:article:author',
  'parsely-author',
  'sailthru.author',
  'byl',
  'twitter:creator',
]
const KEYWORDS = [
  'keywords',
  'news_keywords',
  'article:tag',
  'og:article:tag',
  'dc.subject',
  'dcterms.subject',
  'citation_keywords',
  'parsely-tags',
]
const SITE_NAMES = ['og:site_name', 'application-name']
const LANGUAGES = ['dc.language', 'dcterms.language', 'og:locale']
const NAMES: ReadonlySet<string> = new Set([
  ...DESCRIPTIONS,
  ...TITLES,
  ...AUTHORS,
  ...KEYWORDS,
  ...SITE_NAMES,
  ...LANGUAGES,
])

/** Collects the values as they come; which of them counts is decided when the page is read. */
export class PageMetadata {
  /** contents of the meta elements for robots */
  readonly robots: string[] = []
  readonly dates = new PageDates()
  readonly #robotsToken: string
  readonly #bases: string[] = []
  readonly #canonicals: string[] = []
  readonly #feeds: string[] = []
  readonly #values = new Map<string, string[]>()
  readonly #scripts: string[] = []
  /** names whose values the page marks as its own */
  readonly #overridden = new Set<string>()
  #scriptLength = 0
  #jsonLd: JsonLdFacts | undefined
  #lang = ''
  #contentLanguage = ''

  constructor(robotsToken: string) {
    this.#robotsToken = robotsToken.toLowerCase()
  }

  base(href: string | undefined): void {
    if (href !== undefined && this.#bases.length < MAX_VALUES) this.#bases.push(href)
  }

  link(rel: string | undefined, href: string | undefined, type: string | undefined): void {
    if (rel === undefined || href === undefined) return
    const relations = rel.toLowerCase().split(/\s+/)
    if (relations.includes('canonical') && this.#canonicals.length < MAX_VALUES) this.#canonicals.push(href)
    const isFeed = type !== undefined && FEED_TYPE.test(type) && relations.includes('alternate')
    if (isFeed && this.#feeds.length < MAX_VALUES) this.#feeds.push(href)
  }

  language(lang: string | undefined): void {
    if (lang !== undefined && this.#lang === '') this.#lang = lang
  }

  /**
   * A time element.
   * @returns true where its text is wanted, by {@link PageDates.time}
   */
  time(attrs: readonly Token.Attribute[]): boolean {
    let written: string | undefined
    let mark = ''
    for (const { name, value } of attrs) {
      if (name === 'datetime') written = value
      else if (name === 'pubdate') mark = 'datepublished'
      else if (name === 'itemprop') mark = value.trim().toLowerCase()
    }
    if (written !== undefined) this.dates.time(written, mark)
    return written === undefined
  }

  /** A meta element: its name, property or itemprop, its http-equiv in lower case, its content. */
  meta(name: string | undefined, equiv: string | undefined, content: string): void {
    if (equiv === 'content-language') {
      if (this.#contentLanguage === '') this.#contentLanguage = content
      return
    }
    if (name === undefined) return
    const key = name.trim().toLowerCase()
    if (key === 'robots' || key === this.#robotsToken) {
      if (this.robots.length < MAX_VALUES) this.robots.push(content)
    } else if (NAMES.has(key)) this.#add(key, content)
    else if (PageDates.isName(key)) this.dates.meta(key, content)
  }

  /** A script of type application/ld+json begins. */
  beginScript(): void {
    this.#scripts.push('')
  }

  /** Text of the script that began last. */
  script(chars: string): void {
    this.#scriptLength += chars.length
    if (this.#scriptLength <= MAX_JSON_LD) this.#scripts[this.#scripts.length - 1] += chars
  }

  /** A value that the page marks as its own by an attribute: it outranks all others. */
  override(name: 'title' | 'description' | 'author' | 'keywords', content: string): void {
    const key = { title: TITLES, description: DESCRIPTIONS, author: AUTHORS, keywords: KEYWORDS }[name][0]!
    if (!this.#overridden.has(key)) this.#values.delete(key)
    this.#overridden.add(key)
    this.#add(key, content)
  }

  get description(): string {
    return this.#first(DESCRIPTIONS) || (this.jsonLd?.description ?? '')
  }

  /** What the page is called elsewhere than in its title element. */
  get title(): string {
    return this.#first(TITLES) || (this.jsonLd?.headline ?? '')
  }

  /** True where {@link title} is the page's name whatever its title element says. */
  get hasOwnTitle(): boolean {
    return this.#overridden.has(TITLES[0]!)
  }

  /** Names, as they are written; addresses are left out. */
  get authors(): readonly string[] {
    for (const name of AUTHORS) {
      const authors = namesOf(this.#values.get(name) ?? [])
      if (authors.length > 0) return authors
    }
    return namesOf(this.jsonLd?.authors ?? [])
  }

  /** From all places, each once. */
  get keywords(): readonly string[] {
    const keywords = new Map<string, string>()
    const add = (written: string): void => {
      if (keywords.size >= MAX_KEYWORDS) return
      const isPlain = written.length <= MAX_KEYWORD && PLAIN.test(written)
      const word = isPlain ? written : oneLine(written, MAX_KEYWORD).trim()
      if (word === '') return
      const key = word.toLowerCase()
      if (!keywords.has(key)) keywords.set(key, word)
    }
    for (const name of KEYWORDS) {
      for (const value of this.#values.get(name) ?? []) {
        if (!SEPARATOR.test(value)) add(value)
        else for (const word of value.split(SEPARATOR)) add(word)
      }
    }
    for (const word of this.jsonLd?.keywords ?? []) add(word)
    return [...keywords.values()]
  }

  get siteName(): string {
    return this.#first(SITE_NAMES)
  }

  /** What the scripts of JSON-LD say; undefined where there are none that say anything. */
  get jsonLd(): JsonLdFacts | undefined {
    if (this.#scripts.length > 0) {
      this.#jsonLd = readJsonLd(this.#scripts)
      this.#scripts.length = 0
    }
    return this.#jsonLd
  }

  /** BCP 47 tag in lower case, empty where there is none that looks like one. */
  get lang(): string {
    const tag = tagOf(this.#lang) || tagOf(this.#contentLanguage.split(',', 1)[0]!)
    if (tag !== '') return tag
    for (const name of LANGUAGES) {
      const named = tagOf(this.#values.get(name)?.[0] ?? '')
      if (named !== '') return named
    }
    const linked = (this.jsonLd?.lang ?? '').toLowerCase()
    return LANGUAGE.test(linked) ? linked : ''
  }

  get bases(): readonly string[] {
    return this.#bases
  }

  get canonicals(): readonly string[] {
    return this.#canonicals
  }

  get feeds(): readonly string[] {
    return this.#feeds
  }

  #add(key: string, content: string): void {
    const values = this.#values.get(key)
    if (values === undefined) this.#values.set(key, [content.slice(0, MAX_VALUE)])
    else if (values.length < MAX_VALUES) values.push(content.slice(0, MAX_VALUE))
  }

  #first(names: readonly string[]): string {
    for (const name of names) {
      for (const value of this.#values.get(name) ?? []) if (value.trim() !== '') return value
    }
    return ''
  }
}

function tagOf(given: string): string {
  if (given === '') return ''
  const tag = given.trim().toLowerCase().replaceAll('_', '-')
  return LANGUAGE.test(tag) ? tag : ''
}

const ADDRESS = /^(?:https?:|www\.|\/)/i
const BY = /^(?:by\s|作者\s*[:：])\s*/i

function namesOf(values: readonly string[]): string[] {
  const names = new Set<string>()
  for (const value of values) {
    const name = oneLine(value, MAX_AUTHOR).trim().replace(BY, '')
    if (name !== '' && !ADDRESS.test(name) && names.size < MAX_AUTHORS) names.add(name)
  }
  return [...names]
}
