/**
 * What an editor decides about the results, whatever their scores: pages that come first for a query, pages that are never shown, and
 * parts of sites that count more or less than others.
 */
import { hostKey, normalizeUrl, PageField, SpindleError } from '@spindle/core'
import {
  BooleanQuery,
  BoostQuery,
  ConstantScoreQuery,
  PrefixQuery,
  type Query,
  Term,
  TermQuery,
  WildcardQuery,
} from '@spindle/index'
import type { FileKind } from './followed-file.js'

/** Pages that count more or less. */
interface Boost {
  readonly pages: Query
  readonly factor: number
}

/** Scores of pinned pages are above this, the first one's the highest; no other score comes near. */
const PINNED = 1e6
/** Each asks the query once more. */
const MAX_BOOSTS = 8
const MAX_ADDRESSES = 1000
const MAX_PINS = 20
const FACTORS = [0.01, 100] as const
const PARTS = ['pins', 'hidden', 'boosts']

/** The rules of one file. */
export class SearchRules {
  readonly #pins: ReadonlyMap<string, readonly string[]>
  readonly #hidden: readonly Query[]
  readonly #boosts: readonly Boost[]

  private constructor(
    pins: ReadonlyMap<string, readonly string[]>,
    hidden: readonly Query[],
    boosts: readonly Boost[],
  ) {
    this.#pins = pins
    this.#hidden = hidden
    this.#boosts = boosts
  }

  /**
   * Reads `{ "pins": { "query": ["address", …] }, "hidden": ["address or glob", …], "boosts": { "glob": factor } }`.
   * @throws SpindleError `SEARCH_RULES_INVALID`
   */
  static parse(text: string, path: string): SearchRules {
    const fault = (what: string): SpindleError =>
      new SpindleError('SEARCH_RULES_INVALID', `The rules of the search in ${path} have a mistake: ${what}.`)
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (error) {
      throw fault(`they are no JSON (${(error as Error).message})`)
    }
    if (!isObject(json)) throw fault('they must be an object')
    for (const name of Object.keys(json)) {
      if (!PARTS.includes(name)) throw fault(`there is no "${name}", only ${PARTS.join(', ')}`)
    }
    const { pins = {}, hidden = [], boosts = {} } = json
    if (!isObject(pins)) throw fault('"pins" must be an object of queries with their pages')
    const pinned = new Map<string, readonly string[]>()
    for (const [query, pages] of Object.entries(pins)) {
      if (!isTexts(pages) || pages.length > MAX_PINS) {
        throw fault(`"pins" of "${query}" must be a list of at most ${MAX_PINS} addresses`)
      }
      pinned.set(asked(query), pages.map(address))
    }
    if (!isTexts(hidden) || hidden.length > MAX_ADDRESSES) {
      throw fault(`"hidden" must be a list of at most ${MAX_ADDRESSES} addresses, in which * stands for anything`)
    }
    if (!isObject(boosts) || Object.keys(boosts).length > MAX_BOOSTS) {
      throw fault(`"boosts" must be an object of at most ${MAX_BOOSTS} addresses with their factors`)
    }
    const [least, most] = FACTORS
    const factors = Object.entries(boosts).map(([pages, factor]) => {
      if (typeof factor === 'number' && factor >= least && factor <= most) return { pages: pagesAt(pages), factor }
      throw fault(`the factor of "${pages}" in "boosts" must be a number from ${least} to ${most}`)
    })
    return new SearchRules(pinned, hidden.map(pagesAt), factors)
  }

  /** The query without hidden pages: what counts, facets and completions are made of. */
  withoutHidden(query: Query): Query {
    if (this.#hidden.length === 0) return query
    return new BooleanQuery([
      { query, occur: 'must' },
      ...this.#hidden.map((pages) => ({ query: pages, occur: 'mustNot' as const })),
    ])
  }

  /** The query with all rules. @param text as it was typed */
  apply(query: Query, text: string): Query {
    const pins = this.pinsOf(text).map((url, i, all) => {
      const page = new ConstantScoreQuery(new TermQuery(new Term(PageField.url, url)))
      return { query: new BoostQuery(page, PINNED * (all.length - i)), occur: 'should' as const }
    })
    const boosted = this.#boosted(query)
    return this.withoutHidden(
      pins.length === 0 ? boosted : new BooleanQuery([{ query: boosted, occur: 'should' }, ...pins]),
    )
  }

  /** Addresses of the pages that come first for a query, in their order. */
  pinsOf(text: string): readonly string[] {
    return this.#pins.get(asked(text)) ?? []
  }

  /** Each page by the first rule that it fits: parts that exclude each other, so the sum of their scores is that of one. */
  #boosted(query: Query): Query {
    if (this.#boosts.length === 0) return query
    const before: { query: Query; occur: 'mustNot' }[] = []
    const parts: Query[] = []
    for (const { pages, factor } of this.#boosts) {
      const part = new BooleanQuery([{ query, occur: 'must' }, { query: pages, occur: 'filter' }, ...before])
      parts.push(new BoostQuery(part, factor))
      before.push({ query: pages, occur: 'mustNot' })
    }
    parts.push(new BooleanQuery([{ query, occur: 'must' }, ...before]))
    return new BooleanQuery(parts.map((part) => ({ query: part, occur: 'should' })))
  }
}

/** A followed file of rules. */
export const SEARCH_RULES_FILE: FileKind<SearchRules> = {
  name: 'file of search rules',
  setting: 'search.rules',
  code: 'SEARCH_RULES_INVALID',
  parse: (text, path) => SearchRules.parse(text, path),
}

/** Queries are the same whatever their case, width and spaces. */
function asked(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
}

function address(text: string): string {
  return normalizeUrl(text) ?? text
}

/** Pages by their address, in which * stands for anything. */
function pagesAt(glob: string): Query {
  const star = glob.indexOf('*')
  if (star < 0) return new TermQuery(new Term(PageField.url, address(glob)))
  const host = /^https?:\/\/[^/*]+\/\*$/.test(glob) ? hostKey(glob) : ''
  if (host !== '') return new TermQuery(new Term(PageField.site, host))
  if (star === glob.length - 1) return new PrefixQuery(PageField.url, glob.slice(0, -1))
  return new WildcardQuery(PageField.url, glob.replace(/[?\\]/g, '\\$&'))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')
}
