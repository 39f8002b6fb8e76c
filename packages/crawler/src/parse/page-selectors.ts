/**
 * CSS selectors that say which parts of a page are its text: a setting of single sites. Only what can be decided by an element and
 * those around it is understood – names, classes, ids, attributes, descendants, children, :not() and :is() – so that no page can
 * make a selector slow.
 */

import { createRequire } from 'node:module'
import type { compile } from 'css-select'
import type { parse, Selector } from 'css-what'
import { type DefaultTreeAdapterTypes, html } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Selectors of a site. */
export interface PageSelectors {
  /** the text of a page is what these find; all of it where there are none, or where they find nothing */
  readonly select: readonly string[]
  /** what these find is not text of the page */
  readonly ignore: readonly string[]
}

/** Longest selector, UTF-16 units. */
export const MAX_SELECTOR = 500
/** Loaded when the first selector is read: most crawls have none. */
const load = createRequire(import.meta.url)
const TYPES: ReadonlySet<string> = new Set(['attribute', 'child', 'descendant', 'tag', 'universal'])
const PSEUDOS: ReadonlySet<string> = new Set(['is', 'matches', 'not', 'where'])

/** What is wrong with a selector; undefined for a good one. */
export function faultOfSelector(text: string): string | undefined {
  if (text.trim() === '' || text.length > MAX_SELECTOR) return `must be 1 to ${MAX_SELECTOR} characters long`
  try {
    const { parse: parseSelector } = load('css-what') as { parse: typeof parse }
    return faultOfAll(parseSelector(text))
  } catch (error) {
    return (error as Error).message
  }
}

function faultOfAll(selectors: readonly (readonly Selector[])[]): string | undefined {
  for (const part of selectors.flat()) {
    if (part.type === 'pseudo' && PSEUDOS.has(part.name) && Array.isArray(part.data)) {
      const fault = faultOfAll(part.data)
      if (fault !== undefined) return fault
    } else if (!TYPES.has(part.type)) {
      const what = 'name' in part ? `:${part.name}` : part.type
      return `${what} is not understood: use names, .class, #id, [attribute], descendants, children (>), :not() and :is()`
    }
  }
  return undefined
}

/** Tells whether an element is meant. */
export type ElementTest = (element: Element) => boolean

/**
 * Selectors as one test.
 * @param selectors each without a fault by {@link faultOfSelector}
 */
export function compileSelectors(selectors: readonly string[]): ElementTest {
  if (selectors.length === 0) return () => false
  const options = { adapter }
  const { compile: compileSelector } = load('css-select') as { compile: typeof compile }
  return compileSelector<Node, Element>(selectors.join(', '), options) as ElementTest
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function childrenOf(node: Node): Node[] {
  return 'childNodes' in node ? (node.childNodes as Node[]) : []
}

function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value
}

/** parse5's tree for css-select, as far as the selectors above ask. */
const adapter = {
  isTag: isElement,
  getName: ({ tagName, namespaceURI }: Element) => (namespaceURI === html.NS.HTML ? tagName : tagName.toLowerCase()),
  getAttributeValue: attributeOf,
  hasAttrib: (element: Element, name: string) => attributeOf(element, name) !== undefined,
  getChildren: childrenOf,
  getParent: ({ parentNode }: Element) => parentNode as Node | null,
  getSiblings: (node: Node) => [node],
  getText: () => '',
  removeSubsets: (nodes: Node[]) => nodes,
  existsOne: (test: ElementTest, nodes: Node[]) => nodes.some((node) => isElement(node) && test(node)),
  findOne: (test: ElementTest, nodes: Node[]) => nodes.filter(isElement).find(test) ?? null,
  findAll: (test: ElementTest, nodes: Node[]) => nodes.filter(isElement).filter(test),
}
