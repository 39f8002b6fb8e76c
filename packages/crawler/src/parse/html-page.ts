/**
 * One page for programs that look at single pages: opened by its address, then asked for its links, pictures and forms. Built on the
 * parser of the crawl for links and text, on parse5's tree for the rest; nothing here is on the way of a crawl.
 */

import { resolveUrl } from '@spindle/core'
import { type DefaultTreeAdapterTypes, html, parse } from 'parse5'
import type { FetchResult } from '../fetch/fetch-result.js'
import { decodeText } from './decode-text.js'
import { parsePage } from './parse-page.js'
import type { PageImage, PageLink, ParsedPage } from './parsed-page.js'
import { oneLine } from './text-builder.js'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** What a page is fetched by; the package's `Fetcher` is one. */
export interface PageSource {
  fetch(url: string): Promise<FetchResult>
}

/** Told the parts of a page in their order, as the parser puts them in order: every element that begins ends. */
export interface PageCallback {
  text?(text: string): void
  comment?(text: string): void
  /** an element that has no content, such as `br` */
  simpleTag?(name: string, attributes: ReadonlyMap<string, string>): void
  startTag?(name: string, attributes: ReadonlyMap<string, string>): void
  endTag?(name: string): void
}

/** A field of a form. */
export interface FormField {
  readonly name: string
  /** of an input its type, else `select`, `textarea` or `button` */
  readonly type: string
  readonly value: string
  /** what stands beside it */
  readonly label: string
  /** of a select */
  readonly options: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
}

/** A form. */
export interface PageForm {
  readonly name: string
  /** where it is sent, absolute */
  readonly action: string
  readonly method: 'get' | 'post' | 'dialog'
  readonly fields: readonly FormField[]
}

const MAX_REDIRECTS = 10
const MAX_TEXT = 500
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const VOID: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
)

/** See the head of this file. Until `open` has ended, and for what holds no text, all lists are empty. */
export class HTMLPage {
  readonly #http: PageSource
  #response: FetchResult | undefined
  #parsed: ParsedPage | undefined
  #images: PageImage[] = []
  #forms: PageForm[] = []

  constructor(http: PageSource) {
    this.#http = http
  }

  /**
   * Fetches a page, redirects followed, and reads it whatever its status.
   * @param callback told its parts
   * @throws FetchError
   */
  async open(url: string, callback?: PageCallback): Promise<this> {
    let response = await this.#http.fetch(url)
    for (
      let hops = 0;
      hops < MAX_REDIRECTS && REDIRECTS.has(response.status) && response.location !== undefined;
      hops++
    ) {
      const { location } = response
      response.release()
      response = await this.#http.fetch(location)
    }
    this.#response = response
    const { contentType, charsetLabel, body } = response
    this.#parsed = parsePage({ url: response.url, contentType, charsetLabel, body }) ?? undefined
    this.#images = []
    this.#forms = []
    if (this.#parsed?.kind === 'html') this.#walk(decodeText(body, charsetLabel, true).text, callback)
    response.release()
    return this
  }

  /** What the page was fetched by. */
  getHTTP(): PageSource {
    return this.#http
  }

  /** The answer that was read, the last one of a row of redirects. */
  getResponse(): FetchResult | undefined {
    return this.#response
  }

  /** Title, text and all else that a crawl takes from a page; undefined where there is no text. */
  getPage(): ParsedPage | undefined {
    return this.#parsed
  }

  getLinks(): readonly PageLink[] {
    return this.#parsed?.links ?? []
  }

  /** All pictures in order, with their words, which may be empty. */
  getImages(): readonly PageImage[] {
    return this.#images
  }

  /** A picture by its number from 0. */
  getImage(number: number): PageImage | undefined {
    return this.#images[number]
  }

  getForms(): readonly PageForm[] {
    return this.#forms
  }

  #walk(text: string, callback: PageCallback | undefined): void {
    const { baseUrl } = this.#parsed!
    const document = parse(text, { scriptingEnabled: false })
    const labels = labelsOf(document)
    const fields: FormField[][] = []
    const stack: { readonly node: Node; readonly leaving: boolean; readonly form: number }[] = [
      { node: document, leaving: false, form: -1 },
    ]
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      const { node, leaving } = step
      let { form } = step
      if (leaving) {
        callback?.endTag?.(node.nodeName)
        continue
      }
      if (node.nodeName === '#text') callback?.text?.((node as DefaultTreeAdapterTypes.TextNode).value)
      else if (node.nodeName === '#comment') callback?.comment?.((node as DefaultTreeAdapterTypes.CommentNode).data)
      if (!('childNodes' in node)) continue
      if (isElement(node)) {
        const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]))
        if (VOID.has(node.tagName)) callback?.simpleTag?.(node.tagName, attributes)
        else {
          callback?.startTag?.(node.tagName, attributes)
          stack.push({ node, leaving: true, form })
        }
        if (node.namespaceURI === html.NS.HTML) {
          if (node.tagName === 'img') this.#addImage(attributes, baseUrl)
          else if (node.tagName === 'form') {
            const found: FormField[] = []
            form = fields.push(found) - 1
            this.#forms.push(formOf(attributes, baseUrl, found))
          } else if (form >= 0) addField(node, attributes, labels, fields[form]!)
        }
      }
      for (let i = node.childNodes.length - 1; i >= 0; i--) {
        stack.push({ node: node.childNodes[i]!, leaving: false, form })
      }
    }
  }

  #addImage(attributes: ReadonlyMap<string, string>, base: string): void {
    const url = resolveUrl((attributes.get('src') ?? '').trim(), base)
    if (url !== undefined && attributes.has('src')) {
      this.#images.push({ url, alt: oneLine(attributes.get('alt') ?? '', MAX_TEXT).trim() })
    }
  }
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function formOf(attributes: ReadonlyMap<string, string>, base: string, fields: readonly FormField[]): PageForm {
  const method = (attributes.get('method') ?? '').trim().toLowerCase()
  return {
    name: attributes.get('name') ?? attributes.get('id') ?? '',
    action: resolveUrl((attributes.get('action') ?? '').trim(), base) ?? base,
    method: method === 'post' || method === 'dialog' ? method : 'get',
    fields,
  }
}

function addField(
  element: Element,
  attributes: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
  fields: FormField[],
): void {
  const { tagName } = element
  if (tagName !== 'input' && tagName !== 'select' && tagName !== 'textarea' && tagName !== 'button') return
  const isButton = tagName === 'button'
  const options = tagName === 'select' ? optionsOf(element) : []
  const chosen = options.find(({ selected }) => selected) ?? options[0]
  fields.push({
    name: attributes.get('name') ?? '',
    type: tagName === 'input' ? (attributes.get('type') ?? 'text').trim().toLowerCase() : tagName,
    value: attributes.get('value') ?? (tagName === 'textarea' ? textOf(element) : (chosen?.value ?? '')),
    label: isButton ? line(textOf(element)) : (labels.get(attributes.get('id') ?? '') ?? labelAround(element)),
    options,
  })
}

function optionsOf(select: Element): FormField['options'] {
  return elementsIn(select)
    .filter(({ tagName }) => tagName === 'option')
    .map((option) => {
      const text = line(textOf(option))
      const value = option.attrs.find(({ name }) => name === 'value')?.value ?? text
      return { value, text, selected: option.attrs.some(({ name }) => name === 'selected') }
    })
}

/** Texts of labels by the id that they are for. */
function labelsOf(document: Node): Map<string, string> {
  const labels = new Map<string, string>()
  for (const element of elementsIn(document)) {
    if (element.tagName !== 'label') continue
    const target = element.attrs.find(({ name }) => name === 'for')?.value
    if (target !== undefined && !labels.has(target)) labels.set(target, line(textOf(element)))
  }
  return labels
}

/** How far up a label is looked for. */
const MAX_STEPS = 8

function labelAround(element: Element): string {
  let node: Node | null = element.parentNode
  for (let steps = 0; node !== null && isElement(node) && steps < MAX_STEPS; steps++) {
    if (node.tagName === 'label') return line(textOf(node))
    node = node.parentNode
  }
  return ''
}

function elementsIn(root: Node): Element[] {
  const elements: Element[] = []
  const stack: Node[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node)) elements.push(node)
    if ('childNodes' in node) for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!)
  }
  return elements
}

/** The beginning of the text of an element, without that of lists to choose from. */
function textOf(root: Element): string {
  let text = ''
  const stack: Node[] = [root]
  for (let node = stack.pop(); node !== undefined && text.length < MAX_TEXT * 4; node = stack.pop()) {
    if (node.nodeName === '#text') text += (node as DefaultTreeAdapterTypes.TextNode).value
    else if ('childNodes' in node && (node === root || (node.nodeName !== 'select' && node.nodeName !== 'textarea'))) {
      for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!)
    }
  }
  return text
}

function line(text: string): string {
  return oneLine(text, MAX_TEXT).trim()
}
