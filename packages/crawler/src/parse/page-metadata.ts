/** What a page's head says about it: base, canonical, language, description, robots, date of publication. */

import type { Token } from 'parse5'
import { DATE_NAMES, parseDate } from './published-date.js'

/** Values kept of one kind; a page with more is playing games. */
const MAX_VALUES = 64
/** Of `<link rel="alternate" type="…">`. */
const FEED_TYPE = /^\s*application\/(?:rss|atom)\+xml\s*(?:;|$)/i

/** Collects the values as they come; which of them counts is decided when the page is read. */
export class PageMetadata {
  /** contents of the meta elements for robots */
  readonly robots: string[] = []
  readonly #robotsToken: string
  readonly #bases: string[] = []
  readonly #canonicals: string[] = []
  readonly #feeds: string[] = []
  readonly #dates = new Map<string, string>()
  #lang = ''
  #contentLanguage = ''
  #description = ''
  #ogDescription = ''
  #ogTitle = ''
  #time = ''

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

  time(attrs: readonly Token.Attribute[]): void {
    if (this.#time !== '') return
    for (const { name, value } of attrs) {
      if (name === 'datetime') this.#time = parseDate(value) ?? ''
    }
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
    } else if (key === 'description') {
      if (this.#description === '') this.#description = content
    } else if (key === 'og:description') {
      if (this.#ogDescription === '') this.#ogDescription = content
    } else if (key === 'og:title') {
      if (this.#ogTitle === '') this.#ogTitle = content
    } else if (DATE_NAMES.includes(key) && !this.#dates.has(key)) {
      const date = parseDate(content)
      if (date !== undefined) this.#dates.set(key, date)
    }
  }

  get description(): string {
    return this.#description.trim() === '' ? this.#ogDescription : this.#description
  }

  get ogTitle(): string {
    return this.#ogTitle
  }

  /** BCP 47 tag in lower case, empty where there is none that looks like one. */
  get lang(): string {
    for (const given of [this.#lang, this.#contentLanguage.split(',')[0]!]) {
      const tag = given.trim().toLowerCase().replaceAll('_', '-')
      if (/^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,6}$/.test(tag)) return tag
    }
    return ''
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

  /** ISO 8601; a meta element outranks `<time>`. */
  get published(): string | undefined {
    for (const name of DATE_NAMES) {
      const date = this.#dates.get(name)
      if (date !== undefined) return date
    }
    return this.#time === '' ? undefined : this.#time
  }
}
