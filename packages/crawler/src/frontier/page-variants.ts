/**
 * One page often answers under many addresses: `/sub`, `/sub/`, `/sub/index.html`, `/Sub/`, `/sub/?from=home`, with and without
 * `www.`, by http and https. Which of these differences matter only the answers tell. So addresses that differ in nothing else
 * are variants of each other, and where their bytes are the same the page is stored and indexed once, under the address that
 * was fetched first.
 *
 * Where variant after variant brings the same bytes (a parameter that the server does not look at), the rest of them is not
 * even fetched: {@link PageVariants.foresee}.
 */
import { type FinishedUrl, hostOf, type Workload } from './workload.js'

/** File names that servers answer a folder's address with. */
const INDEX_FILE = /\/(?:index|default)\.(?:[xs]?html?|php|aspx?|jsp)$/i
/** Addresses remembered until they are surely on disk: several times what a batch and the fetches in flight hold. */
const RECENT = 2048
/** Variants that must have brought the same bytes, and none any other, before the next are taken to do so as well. */
export const SAME_VARIANTS = 8
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
  /** Variants that brought these bytes, -1 once one brought others. */
  same: number
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
      this.#watch(variant, recent, content)
      return recent === url ? undefined : recent
    }
    // Before anything is waited for: the twin may be on its way as well.
    this.#recent.set(key, url)
    if (this.#recent.size > RECENT) this.#recent.delete(this.#recent.keys().next().value!)
    this.#watch(variant, url, content)
    const stored = await this.#workload.findTwin(url, content)
    if (stored !== undefined) this.#recent.set(key, stored)
    return stored
  }

  /**
   * The address under which the page of an address is stored without a doubt, before it is fetched: {@link SAME_VARIANTS} of
   * its variants brought the same page. Undefined where it is to be fetched.
   */
  foresee(url: string): string | undefined {
    const group = this.#groups.get(variantOf(url))
    return group === undefined || group.same < SAME_VARIANTS || group.url === url ? undefined : group.url
  }

  #watch(variant: string, url: string, content: number): void {
    const group = this.#groups.get(variant)
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) this.#groups.delete(this.#groups.keys().next().value!)
      this.#groups.set(variant, { content, url, same: 1 })
    } else if (group.same >= 0) group.same = group.content === content ? group.same + 1 : -1
  }
}
