/** The parts of a page that answer a query best, where it is long enough that they are worth a link of their own. */
import { PageField, type PageSection } from '@spindle/core'
import { highlightWhole, type MarkedText, type Query } from '@spindle/index'
import { stripControls } from '../http/query-fields.js'
import type { FieldAnalyzers } from './parse-query.js'
import type { HitSection } from './search-backend.js'
import { snippetLength } from './snippet-length.js'

/** Words are asked of the combined field, and marked in the texts that it is made of. */
export const MARKED_IN = { combinedFields: [PageField.all] } as const

const MAX_SECTIONS = 3
/** Share of the best one's score that another one needs. */
const SHARE = 0.5
/** Length of a page, in snippets, from which on a part is worth a link: what a screen shows in either script. */
const LONG = 6

/** A part that an address leads to. */
interface Target {
  readonly anchor: string
  readonly heading: string
  readonly start: number
  readonly end: number
  readonly headingEnd: number
}

/** A page that was found. */
export interface FoundPage {
  readonly url: string
  /** of the body, in order */
  readonly sections: readonly PageSection[]
  readonly body: string
  /** the body with the words of the query */
  readonly marked: MarkedText
  /** what its own snippet shows of the body */
  readonly shown: { readonly start: number; readonly end: number }
}

export function hitSections(
  { url, sections, body, marked, shown }: FoundPage,
  query: Query,
  analyzers: FieldAnalyzers,
): HitSection[] {
  const targets = body.length < snippetLength(body) * LONG || url.includes('#') ? [] : targetsOf(sections, body)
  if (targets.length < 2) return []
  const scores = marked.score(targets)
  const best = Math.max(...scores)
  const chosen = targets
    .map((target, i) => ({ target, score: scores[i]! }))
    .filter(({ score }) => score > 0 && score >= best * SHARE)
    .sort((a, b) => b.score - a.score || a.target.start - b.target.start)
    .slice(0, MAX_SECTIONS)
  return chosen.map(({ target }) => {
    const length = snippetLength(body.slice(target.headingEnd, target.end)) >> 1
    const part = marked.within({ start: target.headingEnd, end: target.end }, length)
    const before = body.slice(target.headingEnd, part.start).trim() === '' ? '' : '…'
    const after = body.slice(part.end, target.end).trim() === '' ? '' : '…'
    const at = part.firstMark
    const isShown = at !== undefined && at >= shown.start && at < shown.end
    const heading = highlightWhole(query, PageField.body, target.heading, analyzers.forField(PageField.body), MARKED_IN)
    return {
      url: `${url}#${fragment(target.anchor)}`,
      heading: target.heading,
      headingHtml: stripControls(heading.html),
      // The snippet of the page has it already.
      snippetHtml: isShown ? '' : stripControls(before + part.html.trim() + after),
    }
  })
}

/** A part without a name of its own belongs to the one before it; the heading of the whole page leads nowhere else. */
function targetsOf(sections: readonly PageSection[], body: string): Target[] {
  const targets: Target[] = []
  const named = sections.filter(({ anchor, heading }) => heading === undefined || anchor !== undefined)
  for (const [i, { start, anchor, heading, level }] of named.entries()) {
    if (heading === undefined || anchor === undefined || (level === 1 && i === 0)) continue
    const end = named[i + 1]?.start ?? body.length
    const line = body.indexOf('\n', start)
    targets.push({ anchor, heading, start, end, headingEnd: line < 0 || line > end ? end : line })
  }
  return targets
}

/** A name as the fragment of an address. */
function fragment(name: string): string {
  try {
    return encodeURI(name).replace(/#/g, '%23')
  } catch {
    return ''
  }
}
