/**
 * One page often answers under many addresses: `/sub`, `/sub/`, `/sub/index.html`, `/Sub/`, `/sub/?from=home`, with and without
 * `www.`, by http and https. Which of these differences matter only the answers tell. So addresses that differ in nothing else
 * are variants of each other, and where their bytes are the same the page is stored once, under the address that was fetched
 * first – and again only under one that is wanted more, for that is the one under which it is to be found.
 *
 * Where variant after variant brings the same bytes (a parameter that the server does not look at), the rest of them is not
 * even fetched, but for one now and then: {@link PageVariants.foresee}.
 */
import { isPreferred } from '../dedup/page-addresses.js'
import { type FinishedUrl, hostOf, type Workload } from './workload.js'

/** File names that servers answer a folder's address with. */
const INDEX_FILE = /\/(?:index|default)\.(?:[xs]?html?|php|aspx?|jsp)$/i
/** Addresses remembered until they are surely on disk: several times what a batch and the fetches in flight hold. */
const RECENT = 2048
/** Variants that must have brought the same bytes, and none any other, before the next are taken to do so as well. */
export const SAME_VARIANTS = 8
/** … and those with the same path and names of parameters among them. */
const SAME_OF_SHAPE = 2
/** The second, the sixteenth, the 128th … variant that could go without is fetched all the same. */
const LOOK_FACTOR = 8
/** Shapes told apart in a group. */
const MAX_SHAPES = 64
/** Groups of variants watched at a time. */
const MAX_GROUPS = 4096

/** What all variants of an address have in common; equal for two addresses exactly where they are variants. */
export function variantOf(url: string): string {
  const query = url.indexOf('?')
  const address = query < 0 ? url : url.slice(0, query)
  const isHttp = address.startsWith('http')
  const start = address.indexOf('//') + 2
  const host = isHttp ? hostOf(address) : ''
  let path = address.slice(start + host.length)
  path = path
    .replace(INDEX_FILE, '/')
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
  // Only web servers are known to answer to both cases alike.
  return isHttp ? host.replace(/^www\./, '') + path.toLowerCase() : path
}

interface Group {
  readonly content: number
  /** The address that the page is stored under. */
  readonly url: string
  /** The one that is wanted most. */
  best: string
  /** Variants that brought these bytes, -1 once one brought others. */
  same: number
  /** The same by path and names of parameters: that one parameter does nothing says little of another one. */
  readonly shapes: Map<string, number>
  /** Variants that could go without a fetch … */
  foreseen: number
  /** … and the number of the next one that is fetched all the same. */
  nextLook: number
}

/** Path and names of parameters in order, as they are written. */
function shapeOf(url: string): string {
  const query = url.indexOf('?')
  if (query < 0) return url
  const names = url.slice(query + 1).split('&')
  return `${url.slice(0, query)}?${names.map((part) => part.split('=', 1)[0]).join('&')}`
}

/** Knows which variants are stored already. */
export class PageVariants {
  readonly #workload: Workload
  readonly #recent = new Map<string, string>()
  readonly #groups = new Map<string, Group>()

  constructor(workload: Workload) {
    this.#workload = workload
  }

  /** The variant under which the same page is stored, or undefined; then the page is stored under this address. */
  async find({ url, content }: Pick<FinishedUrl, 'url' | 'content'>): Promise<string | undefined> {
    if (content === undefined) return undefined
    const variant = variantOf(url)
    const key = `${content} ${variant}`
    const recent = this.#recent.get(key)
    if (recent !== undefined) {
      this.#watch(variant, url, recent, content)
      return recent === url ? undefined : recent
    }
    // Before anything is waited for: the twin may be on its way as well.
    this.#recent.set(key, url)
    if (this.#recent.size > RECENT) this.#recent.delete(this.#recent.keys().next().value!)
    this.#watch(variant, url, url, content)
    const stored = await this.#workload.findTwin(url, content)
    if (stored !== undefined) this.#recent.set(key, stored)
    return stored
  }

  /**
   * The address under which the page of an address is stored without a doubt, before it is fetched: {@link SAME_VARIANTS} of
   * its variants brought the same page, some of them of its own shape. Undefined where it is to be fetched; that is also so now
   * and then, for what was the same for a while (a message of a server in trouble) may not stay so.
   */
  foresee(url: string): string | undefined {
    const group = this.#groups.get(variantOf(url))
    if (group === undefined || group.same < SAME_VARIANTS || group.url === url) return undefined
    if ((group.shapes.get(shapeOf(url)) ?? 0) < SAME_OF_SHAPE || isPreferred(url, group.best)) return undefined
    if (++group.foreseen < group.nextLook) return group.url
    group.nextLook *= LOOK_FACTOR
    return undefined
  }

  #watch(variant: string, url: string, stored: string, content: number): void {
    let group = this.#groups.get(variant)
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) this.#groups.delete(this.#groups.keys().next().value!)
      group = { content, url: stored, best: url, same: 0, shapes: new Map(), foreseen: 0, nextLook: 2 }
      this.#groups.set(variant, group)
    }
    if (group.same < 0) return
    if (group.content !== content) {
      group.same = -1
      group.shapes.clear()
      return
    }
    group.same++
    if (isPreferred(url, group.best)) group.best = url
    if (group.shapes.size < MAX_SHAPES) {
      const shape = shapeOf(url)
      group.shapes.set(shape, (group.shapes.get(shape) ?? 0) + 1)
    }
  }
}
