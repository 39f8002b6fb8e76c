/** A stored page as a hit: title and best passage with the words of the query marked. */
import { decodeSections, PageField, type PageSection, sectionAt } from '@spindle/core'
import { type Document, type Explanation, highlightWhole, MarkedText, type Query } from '@spindle/index'
import { stripControls } from '../http/query-fields.js'
import { hitSections, MARKED_IN } from './hit-sections.js'
import type { FieldAnalyzers } from './parse-query.js'
import type { SearchHit } from './search-backend.js'
import { cutText } from './search-request.js'
import { snippetLength } from './snippet-length.js'

const MAX_TITLE = 200
/** A passage that ends with a sentence needs no sign that the text goes on. */
const SENTENCE_END = /[.!?。！？…](?:<\/em>)?$/
/** UTF-16 units of a text in which the words of the query are looked for: the length of a book's chapter, 50 ms. */
const MAX_ANALYZED = 1 << 18

function titleHtml(query: Query, title: string, analyzers: FieldAnalyzers): string {
  const shown = cutText(title, MAX_TITLE)
  const { html } = highlightWhole(query, PageField.title, shown, analyzers.forField(PageField.title), MARKED_IN)
  return stripControls(shown.length < title.length ? `${html}…` : html)
}

interface Snippet {
  readonly html: string
  /** Where its first marked word stands in the body. */
  readonly at: number | undefined
  /** What it shows of the body. */
  readonly range: { readonly start: number; readonly end: number }
}

function snippetOf(marked: MarkedText): Snippet {
  const part = marked.best()
  const html = part.html.trim()
  const open = part.cutAfter && !SENTENCE_END.test(html)
  return {
    html: stripControls(`${part.cutBefore ? '…' : ''}${html}${open ? '…' : ''}`),
    at: part.firstMark,
    range: part,
  }
}

/** The address of the page of a PDF that a place in its body lies in: browsers open one at `#page=n` (RFC 8118, §3). */
function addressAt(url: string, sections: readonly PageSection[], at: number | undefined): string {
  const page = at === undefined ? undefined : sectionAt(sections, at)?.page
  return page === undefined || page === 1 ? url : `${url}#page=${page}`
}

/** The lines of an explanation, two spaces a level. */
export function explanationText(root: Explanation): string {
  const lines: string[] = []
  const pending = [{ node: root, depth: 0 }]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { node, depth } = at
    lines.push(`${'  '.repeat(depth)}${node.value.toPrecision(6)}  ${stripControls(node.description)}`)
    for (const detail of [...node.details].reverse()) pending.push({ node: detail, depth: depth + 1 })
  }
  return lines.join('\n')
}

/** What is known of a hit beside its page. */
export interface AboutHit {
  /** Words of the query that the page does not have. */
  readonly missing: readonly string[]
  /** A rule put it here. */
  readonly pinned: boolean
  /** Where it was asked for. */
  readonly explanation: Explanation | undefined
}

/** A page as a hit. */
export function buildHit(
  document: Document,
  score: number,
  query: Query,
  analyzers: FieldAnalyzers,
  { missing, pinned, explanation }: AboutHit,
): SearchHit {
  const field = (name: string): string => document.get(name) ?? ''
  const url = field(PageField.url)
  const title = field(PageField.title)
  const body = field(PageField.body)
  const sections = decodeSections(field(PageField.sections))
  const length = snippetLength(body)
  const marked = new MarkedText(query, PageField.body, body, analyzers.forField(PageField.body), {
    maxLength: length,
    maxAnalyzed: MAX_ANALYZED,
    title,
    ...MARKED_IN,
  })
  const snippet = snippetOf(marked)
  const isPdf = document.get(PageField.type) === 'pdf'
  return {
    id: url,
    url: isPdf ? addressAt(url, sections, snippet.at) : url,
    title,
    titleHtml: titleHtml(query, title, analyzers),
    snippetHtml: snippet.html,
    score,
    site: field(PageField.site),
    type: field(PageField.type),
    lang: document.get(PageField.lang) ?? null,
    date: document.get(PageField.date) ?? null,
    sections: isPdf ? [] : hitSections({ url, sections, body, marked, shown: snippet.range }, query, analyzers),
    alsoAt: document.get(PageField.alsoAt)?.split('\n') ?? [],
    missing,
    pinned,
    ...(explanation === undefined ? {} : { explanation: explanationText(explanation) }),
  }
}
