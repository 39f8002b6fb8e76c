/**
 * What a page says of itself in JSON-LD: articles, pages, products, breadcrumbs by the vocabulary of schema.org. Only what is on
 * top, in a graph or the main thing of a page is read, so that the date of a comment is not taken for that of the article. Bounded:
 * long scripts are left out, deep ones are read to a depth, and of many things the first ones count.
 */

/** UTF-16 units of the scripts of a page that are read. */
export const MAX_JSON_LD = 256 * 1024
const MAX_SCRIPTS = 16
const MAX_DEPTH = 6
const MAX_THINGS = 200
const MAX_VALUES = 64
const MAX_TEXT = 100_000
const CONTROLS = /\p{Cc}/gu

/** Kinds of things, the better they describe a page the earlier. */
const ARTICLES =
  /^(?:\w*Article|\w*Posting|Report|Review|Recipe|HowTo|Course|Book|Movie|Dataset|SoftwareApplication|\w*Product|\w*Event|JobPosting|VideoObject|Question|QAPage)$/
const PAGES = /^(?:\w*Page|WebSite|CreativeWork)$/

/** What was found. Texts as they are written there. */
export interface JsonLdFacts {
  /** kinds of the things that describe the page, as `NewsArticle` */
  readonly types: readonly string[]
  readonly headline: string
  readonly description: string
  readonly articleBody: string
  readonly published: string | undefined
  readonly modified: string | undefined
  readonly lang: string
  readonly authors: readonly string[]
  readonly keywords: readonly string[]
  /** names of the steps that lead to the page, the outermost first */
  readonly breadcrumb: readonly string[]
}

type Thing = Readonly<Record<string, unknown>>

/** Reads the scripts of a page; undefined where there is nothing in them. */
export function readJsonLd(scripts: readonly string[]): JsonLdFacts | undefined {
  const things: Thing[] = []
  for (const script of scripts.slice(0, MAX_SCRIPTS)) collect(parse(script), 0, things)
  if (things.length === 0) return undefined
  // The sort keeps the order of equals.
  const ranked = things.filter((thing) => rank(thing) < OTHER).sort((a, b) => rank(a) - rank(b))
  const first = (name: string): string => firstOf(ranked, (thing) => text(thing[name]))
  const trail = things.find((thing) => typesOf(thing).includes('BreadcrumbList'))
  return {
    types: [...new Set(ranked.flatMap(typesOf))].slice(0, 8),
    headline: first('headline') || first('name'),
    description: first('description'),
    articleBody: first('articleBody') || first('text'),
    published: first('datePublished') || first('dateCreated') || first('uploadDate') || undefined,
    modified: first('dateModified') || undefined,
    lang: first('inLanguage') || firstOf(ranked, (thing) => text(asThing(thing.inLanguage)?.alternateName)),
    authors: list(ranked, 'author', names) ?? list(ranked, 'creator', names) ?? [],
    keywords: list(ranked, 'keywords', keywordsOf) ?? [],
    breadcrumb: trail === undefined ? [] : stepsOf(trail),
  }
}

/** What people put around scripts, for the sake of older browsers and of XML. */
const WRAPPERS: readonly (readonly [begin: string, end: string])[] = [
  ['<!--', '-->'],
  ['//<![CDATA[', '//]]>'],
  ['/*<![CDATA[*/', '/*]]>*/'],
  ['<![CDATA[', ']]>'],
]

/** A script as it is written: wrapped, with a semicolon behind it, with line breaks within texts. */
function parse(script: string): unknown {
  let json = script.trim()
  for (const [begin, end] of WRAPPERS) {
    if (json.startsWith(begin)) json = json.slice(begin.length).trim()
    if (json.endsWith(end)) json = json.slice(0, -end.length).trim()
  }
  if (json.endsWith(';')) json = json.slice(0, -1)
  try {
    return JSON.parse(json)
  } catch {
    // below
  }
  try {
    return JSON.parse(json.replace(CONTROLS, ' '))
  } catch {
    return undefined
  }
}

/** The things on top, in graphs, and what is the main thing of another. */
function collect(value: unknown, depth: number, things: Thing[]): void {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const one of value) {
      if (things.length >= MAX_THINGS) return
      collect(one, depth + 1, things)
    }
    return
  }
  const thing = asThing(value)
  if (thing === undefined || things.length >= MAX_THINGS) return
  things.push(thing)
  for (const name of ['@graph', 'mainEntity', 'mainEntityOfPage', 'breadcrumb']) collect(thing[name], depth + 1, things)
}

const OTHER = 2

function rank(thing: Thing): number {
  const types = typesOf(thing)
  if (types.some((type) => ARTICLES.test(type))) return 0
  return types.some((type) => PAGES.test(type)) ? 1 : OTHER
}

function typesOf(thing: Thing): string[] {
  const type = thing['@type']
  const types = Array.isArray(type) ? type.slice(0, 8) : [type]
  return types
    .filter((one): one is string => typeof one === 'string' && one.length <= 100)
    .map((one) => one.replace(/^.*[/:#]/, ''))
}

function asThing(value: unknown): Thing | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Thing) : undefined
}

/** A text, or the first of several, or the value of one with a language. */
function text(value: unknown): string {
  const one = Array.isArray(value) ? value[0] : value
  if (typeof one === 'string') return one.slice(0, MAX_TEXT).trim()
  const inner = asThing(one)?.['@value']
  return typeof inner === 'string' ? inner.slice(0, MAX_TEXT).trim() : ''
}

function firstOf(things: readonly Thing[], read: (thing: Thing) => string): string {
  for (const thing of things) {
    const found = read(thing)
    if (found !== '') return found
  }
  return ''
}

/** The values of the first thing that has any. */
function list(things: readonly Thing[], name: string, read: (value: unknown) => string[]): string[] | undefined {
  for (const thing of things) {
    const value = thing[name]
    const values = (Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value])
      .flatMap(read)
      .filter((one) => one !== '')
    if (values.length > 0) return values.slice(0, MAX_VALUES)
  }
  return undefined
}

function names(value: unknown): string[] {
  const thing = asThing(value)
  return [thing === undefined ? text(value) : text(thing.name)]
}

function keywordsOf(value: unknown): string[] {
  const thing = asThing(value)
  return thing === undefined ? text(value).split(/[,，、;；]/) : [text(thing.name)]
}

function stepsOf(trail: Thing): string[] {
  const items = Array.isArray(trail.itemListElement) ? trail.itemListElement.slice(0, MAX_VALUES) : []
  const steps = items.map((item: unknown, i) => {
    const thing = asThing(item)
    const position = Number(thing?.position)
    return {
      name: text(thing?.name) || text(asThing(thing?.item)?.name),
      position: Number.isNaN(position) ? i : position,
    }
  })
  return steps
    .filter(({ name }) => name !== '')
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name.slice(0, 200))
}
