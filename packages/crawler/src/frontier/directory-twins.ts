/**
 * A folder of a web site often answers under several addresses: `/sub`, `/sub/`, `/sub/index.html`. Where the bytes are the same,
 * the page is stored and indexed under the address that was fetched first. Addresses that differ in anything else, a query
 * included, are pages of their own.
 */
import type { FinishedUrl, Workload } from './workload.js'

/** File names that servers answer a folder's address with. */
const INDEX_FILE = /\/(?:index|default)\.(?:[xs]?html?|php|aspx?|jsp)$/i
/** An ending as of a file; such an address is no folder's. */
const FILE = /\.[a-z][a-z0-9]{0,5}$/i
/** Addresses remembered until they are surely on disk: several times what a batch and the fetches in flight hold. */
const RECENT = 2048

/** The folder that an address stands for, without its last slash; undefined where it names a file or has a query. */
export function directoryOf(url: string): string | undefined {
  if (url.includes('?')) return undefined
  if (url.endsWith('/')) return url.slice(0, -1)
  const index = INDEX_FILE.exec(url)
  if (index !== null) return url.slice(0, index.index)
  return FILE.test(url.slice(url.lastIndexOf('/'))) ? undefined : url
}

/** Knows which addresses of folders are stored already. */
export class DirectoryTwins {
  readonly #workload: Workload
  readonly #recent = new Map<string, string>()

  constructor(workload: Workload) {
    this.#workload = workload
  }

  /**
   * The other address under which the same page of the same folder is stored, or undefined; then the page is stored under
   * this one.
   */
  async find({ url, content }: Pick<FinishedUrl, 'url' | 'content'>): Promise<string | undefined> {
    const directory = directoryOf(url)
    if (directory === undefined || content === undefined) return undefined
    const key = `${content} ${directory}`
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent === url ? undefined : recent
    // Before anything is waited for: the twin may be on its way as well.
    this.#recent.set(key, url)
    if (this.#recent.size > RECENT) this.#recent.delete(this.#recent.keys().next().value!)
    const stored = await this.#workload.findTwin(url, content)
    if (stored !== undefined) this.#recent.set(key, stored)
    return stored
  }
}
