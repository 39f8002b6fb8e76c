/**
 * Parts of a page that its author or the operator marked: by attributes (`data-spindle-ignore`, `-body`, `-meta`, `-filter`, and the
 * same names of `data-pagefind-…`), by comments (`<!--googleoff: index-->`, `<!--htdig_noindex-->`, `<!--noindex-->` and their ends),
 * by selectors. Such pages are read by parse5's tree; what is no text of them is cut out of their source, tags left in place, and
 * the reader of all pages reads the rest. Most pages have no such marks and never come here.
 */

import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { endsText, MARK_PREFIXES } from './mark-names.js'
import { compileSelectors, type PageSelectors } from './page-selectors.js'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** What a page marks as its own, or as a value to filter by. */
export interface MarkedValue {
  readonly name: string
  readonly value: string
}

/** A page without the parts that are no text of it. */
export interface MarkedPage {
  readonly page: string
  readonly meta: readonly MarkedValue[]
  readonly filters: readonly MarkedValue[]
}

/** Selectors look no further up than this; what lies deeper goes with what is around it. */
const MAX_DEPTH = 512
/** Tags, or what looks like one, that are read by the tree, which takes one or two kilobytes each; behind them the page is as it is. */
const MAX_TAGS = 100_000
const MAX_VALUES = 64
const MAX_VALUE = 1000
/** Nodes that are looked at for the texts of values, of a page. */
const MAX_LOOKED_AT = 500_000
/** Comments that end what {@link endsText} begins. */
const ON = /^\s*(?:googleon:\s*(?:index|all)|\/htdig_noindex|\/noindex)\s*$/i
/** Elements whose content is no text in any case, or whose content must stay: the name of the page. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  'head',
  'script',
  'style',
  'template',
  'noembed',
  'noframes',
  'iframe',
])

/** Values of one kind while they are collected. */
interface Values {
  readonly found: MarkedValue[]
  /** nodes that may still be looked at */
  left: number
}

interface Piece {
  readonly start: number
  readonly end: number
  readonly ignored: boolean
  readonly inBody: boolean
}

interface Step {
  readonly node: Node
  readonly depth: number
  readonly ignored: boolean
  /** nothing within is taken, values neither */
  readonly silent: boolean
  readonly inBody: boolean
}

/** Takes out of a page what is no text of it. Linear in the page's length. */
export function applyMarks(page: string, selectors?: PageSelectors): MarkedPage {
  const isBody = compileSelectors(selectors?.select ?? [])
  const isIgnored = compileSelectors(selectors?.ignore ?? [])
  const meta: Values = { found: [], left: MAX_LOOKED_AT }
  const filters: Values = { found: [], left: MAX_LOOKED_AT }
  const pieces: Piece[] = []
  let hasBody = false
  let off = false
  const end = endOfTags(page)
  const document = parse(page.slice(0, end), { sourceCodeLocationInfo: true, scriptingEnabled: false })
  const stack: Step[] = [{ node: document, depth: 0, ignored: false, silent: false, inBody: false }]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, depth, ignored } = step
    if (node.nodeName === '#comment') {
      const { data } = node as DefaultTreeAdapterTypes.CommentNode
      if (endsText(data)) off = true
      else if (ON.test(data)) off = false
      continue
    }
    const place = 'sourceCodeLocation' in node ? node.sourceCodeLocation : undefined
    if (node.nodeName === '#text') {
      if (place) pieces.push(pieceOf(place, ignored || off, step.inBody))
      continue
    }
    let { silent, inBody } = step
    let hidden = ignored
    if ('tagName' in node) {
      if (LEFT_ALONE.has(node.tagName)) continue
      const within = depth <= MAX_DEPTH
      const ignore = marked(node, 'ignore')
      if (ignore !== undefined || (within && isIgnored(node))) hidden = true
      if (ignore?.trim().toLowerCase() === 'all') silent = true
      if (marked(node, 'body') !== undefined || (within && isBody(node))) hasBody = inBody = true
      if (!silent) {
        take(node, 'meta', meta)
        take(node, 'filter', filters)
      }
      // A picture's text goes with it.
      if (place && node.tagName === 'img') pieces.push(pieceOf(place, hidden || off, inBody))
    }
    if (!('childNodes' in node)) continue
    for (let i = node.childNodes.length - 1; i >= 0; i--) {
      stack.push({ node: node.childNodes[i]!, depth: depth + 1, ignored: hidden, silent, inBody })
    }
  }
  if (end < page.length) pieces.push({ start: end, end: page.length, ignored: off, inBody: false })
  return { page: without(page, pieces, hasBody), meta: meta.found, filters: filters.found }
}

/** Where the tag begins that is one too many, or the page ends. */
function endOfTags(page: string): number {
  let at = -1
  for (let tags = 0; tags <= MAX_TAGS; tags++) {
    at = page.indexOf('<', at + 1)
    if (at < 0) return page.length
  }
  return at
}

function pieceOf(place: { startOffset: number; endOffset: number }, ignored: boolean, inBody: boolean): Piece {
  return { start: place.startOffset, end: place.endOffset, ignored, inBody }
}

function without(page: string, pieces: readonly Piece[], hasBody: boolean): string {
  const cut = pieces.filter(({ ignored, inBody }) => ignored || (hasBody && !inBody)).sort((a, b) => a.start - b.start)
  const parts: string[] = []
  let from = 0
  for (const { start, end } of cut) {
    if (start > from) parts.push(page.slice(from, start))
    from = Math.max(from, end)
  }
  parts.push(page.slice(from))
  return parts.join('')
}

function marked({ attrs }: Element, name: string): string | undefined {
  if (attrs.length === 0) return undefined
  for (const prefix of MARK_PREFIXES) {
    const attr = attrs.find((one) => one.name === prefix + name)
    if (attr !== undefined) return attr.value
  }
  return undefined
}

/** `author`: the element's text; `image[src]`: one of its attributes; `kind:tutorial`: what is written there, to the end. */
function take(element: Element, name: string, values: Values): void {
  let rest = marked(element, name)?.slice(0, MAX_VALUE).trim() ?? ''
  while (rest !== '' && values.found.length < MAX_VALUES && values.left-- > 0) {
    const written = /^([\w-]+)\s*:\s*(.*)$/s.exec(rest)
    const comma = rest.indexOf(',')
    const part = written !== null || comma < 0 ? rest : rest.slice(0, comma)
    rest = part === rest ? '' : rest.slice(comma + 1).trim()
    const attribute = /^([\w-]+)\[([\w:-]+)\]$/.exec(part.trim())
    if (written !== null) add(written[1]!, written[2]!, values)
    else if (attribute !== null) {
      add(attribute[1]!, element.attrs.find((one) => one.name === attribute[2]!.toLowerCase())?.value ?? '', values)
    } else if (/^[\w-]+$/.test(part.trim())) add(part.trim(), textOf(element, values), values)
  }
}

function add(name: string, value: string, { found }: Values): void {
  const text = value.replace(/\s+/g, ' ').trim()
  if (text !== '') found.push({ name: name.toLowerCase(), value: text.slice(0, MAX_VALUE) })
}

function textOf(root: Element, values: Values): string {
  let text = ''
  const stack: Node[] = [root]
  for (let node = stack.pop(); node !== undefined && text.length < MAX_VALUE; node = stack.pop()) {
    if (--values.left < 0) break
    if (node.nodeName === '#text') text += (node as DefaultTreeAdapterTypes.TextNode).value
    else if ('childNodes' in node) for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!)
  }
  return text
}
