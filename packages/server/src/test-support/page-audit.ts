/** Reads a page of ours the way a browser would and lists what must never be in it. For tests only. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const FORBIDDEN = new Set([
  'script',
  'iframe',
  'object',
  'embed',
  'base',
  'img',
  'style',
  'math',
  'template',
  'foreignobject',
  'animate',
  'set',
  'use',
  'image',
  'video',
  'audio',
  'marquee',
  'isindex',
  'textarea',
])

/** The elements of a page by name, in document order. */
export interface PageAudit {
  readonly elements: readonly Element[]
  /** What an attacker would like to see: scripts, handlers, odd links, inline styles. */
  readonly faults: readonly string[]
  all(name: string): Element[]
  text(element: Node): string
}

/** The value of an attribute. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value
}

/** The text of a node and all below it. */
export function textOf(root: Node): string {
  let text = ''
  const pending: Node[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeName === '#text') text += (node as DefaultTreeAdapterTypes.TextNode).value
    if ('childNodes' in node) for (const child of [...node.childNodes].reverse()) pending.push(child)
  }
  return text
}

/** The one script that our pages load. */
function isOurScript(element: Element): boolean {
  return (
    element.tagName === 'script' &&
    /^\/assets\/suggest\.js\?v=[\w-]+$/.test(attribute(element, 'src') ?? '') &&
    element.childNodes.length === 0
  )
}

/** Audits the HTML of one page. */
export function auditPage(html: string): PageAudit {
  const elements: Element[] = []
  const faults: string[] = []
  const document = parse(html, { onParseError: (error) => faults.push(`parse error ${error.code}`) })
  const pending: Node[] = [document]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('childNodes' in node) for (const child of [...node.childNodes].reverse()) pending.push(child)
    if (!('tagName' in node)) continue
    elements.push(node)
    if (FORBIDDEN.has(node.tagName.toLowerCase()) && !isOurScript(node)) faults.push(`<${node.tagName}>`)
    for (const { name, value } of node.attrs) {
      if (name.startsWith('on') || name === 'style' || name === 'srcdoc')
        faults.push(`${node.tagName} ${name}=${value}`)
      if ((name === 'href' || name === 'action') && !/^(https?:\/\/|\/(?!\/)|#)/.test(value)) {
        faults.push(`${node.tagName} ${name}=${value}`)
      }
    }
    if (node.tagName === 'em' && node.attrs.length > 0) faults.push('em with attributes')
  }
  return { elements, faults, all: (name) => elements.filter((e) => e.tagName === name), text: textOf }
}
