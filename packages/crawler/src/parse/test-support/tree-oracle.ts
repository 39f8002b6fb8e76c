/**
 * Links, title and text of a page by way of parse5's tree: slower, but with all of the HTML standard's tree construction in it.
 * The page reader, which has no tree, is held equal to this. For tests only.
 */

import { type DefaultTreeAdapterTypes, html, parse } from 'parse5'
import { BLOCK, CELL, ELEMENT_BITS, FORM } from '../element-table.js'
import { FormControls } from '../form-controls.js'
import { LinkCollector } from '../link-collector.js'
import { parseMetaRefresh } from '../meta-refresh.js'
import { PageText } from '../page-text.js'
import { cleanText, oneLine } from '../text-builder.js'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

/** What the oracle says of a page. */
export interface OraclePage {
  readonly title: string
  readonly text: string
  readonly links: readonly string[]
  readonly anchors: readonly string[]
}

const HIDDEN = new Set(['script', 'style', 'noembed', 'noframes', 'iframe', 'textarea'])
const HIDDEN_EVERYWHERE = new Set(['script', 'style'])

/** Reads a page by its tree. */
export function readByTree(page: string, url: string): OraclePage {
  const document = parse(page, { scriptingEnabled: false })
  const links = new LinkCollector(100_000)
  const pageText = new PageText()
  const controls = new FormControls()
  let title = ''
  let base: string | undefined
  let noscripts = 0
  const stack: { node: Node; leaving: boolean }[] = []
  const pushChildren = (children: readonly Node[]): void => {
    for (let i = children.length - 1; i >= 0; i--) stack.push({ node: children[i]!, leaving: false })
  }
  pushChildren(document.childNodes)
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, leaving } = step
    if (node.nodeName === '#text') {
      const { value } = node as DefaultTreeAdapterTypes.TextNode
      if (controls.open) continue
      pageText.append(value)
      if (links.anchorOpen) links.anchorText(value)
      continue
    }
    if (!('tagName' in node)) continue
    const element = node as Element
    const inHtml = element.namespaceURI === html.NS.HTML
    const name = element.tagName
    const id = inHtml ? html.getTagID(name) : 0
    const bits = inHtml ? ELEMENT_BITS[id]! : 0
    if ((bits & (BLOCK | CELL)) !== 0) pageText.boundary((bits & BLOCK) !== 0)
    if ((bits & (BLOCK | CELL)) !== 0 && links.anchorOpen) links.anchorGap()
    if (inHtml && ((bits & FORM) !== 0 || controls.open)) {
      if (leaving) controls.end(id)
      else controls.start(id)
    }
    if (leaving) {
      if (name === 'a') {
        links.closeAnchor()
        pageText.link(false)
      }
      if (name === 'noscript') noscripts--
      if (inHtml) pageText.end(id)
      continue
    }
    if (inHtml && name === 'template') continue
    const get = (wanted: string): string | undefined => element.attrs.find((attr) => attr.name === wanted)?.value
    if (inHtml && name === 'title') {
      if (title.trim() === '') title = textOf(element)
      continue
    }
    if (name === 'a' || (inHtml && name === 'area')) {
      const href = get('href')
      const rel = (get('rel') ?? '').toLowerCase().split(/\s+/)
      const number = href === undefined ? -1 : links.add(href, name as 'a', rel.includes('nofollow'))
      if (name === 'a') {
        links.openAnchor(number)
        pageText.link(inHtml && href !== undefined)
      } else links.label(number, get('alt') ?? '')
    } else if (inHtml && name === 'img') {
      const alt = get('alt') ?? ''
      if (alt !== '' && links.anchorOpen) links.pictureText(alt)
    } else if (inHtml && (name === 'frame' || name === 'iframe')) {
      const src = get('src')
      if (src !== undefined) links.add(src, name, false)
    } else if (inHtml && name === 'base' && base === undefined) {
      const href = get('href')
      if (href !== undefined && /^https?:/.test(URL.canParse(href, url) ? new URL(href, url).protocol : '')) {
        base = new URL(href, url).href
      }
    } else if (inHtml && name === 'meta' && get('http-equiv')?.toLowerCase() === 'refresh' && noscripts === 0) {
      const target = parseMetaRefresh(get('content') ?? '')
      if (target !== undefined) links.add(target, 'refresh', false)
    } else if (inHtml && name === 'noscript') noscripts++
    if ((inHtml ? HIDDEN : HIDDEN_EVERYWHERE).has(name)) continue
    if (inHtml) pageText.begin(id, element.attrs)
    stack.push({ node, leaving: true })
    pushChildren(element.childNodes)
  }
  const resolved = links.resolve(base ?? url, 'utf-8').links
  return {
    title: oneLine(cleanText(title), 500).trim(),
    text: pageText.finish(title),
    links: resolved.map((link) => link.url),
    anchors: resolved.map((link) => link.text),
  }
}

function textOf(element: Element): string {
  let text = ''
  for (const child of element.childNodes)
    if (child.nodeName === '#text') text += (child as DefaultTreeAdapterTypes.TextNode).value
  return text
}
