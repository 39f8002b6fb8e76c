/** Addresses of the documents of one commit, each read once: an evaluation meets the same pages again and again. */
import { PageField } from '@spindle/core'
import type { IndexReader } from '@spindle/index'

/** See the head of this file. Some 100 bytes a page that was asked for. */
export class PageAddresses {
  readonly #known = new Map<number, readonly string[]>()
  readonly #reader: IndexReader

  constructor(reader: IndexReader) {
    this.#reader = reader
  }

  /** The address that a page is found under, and the others that it has. */
  async of(docId: number): Promise<readonly string[]> {
    const known = this.#known.get(docId)
    if (known !== undefined) return known
    const document = await this.#reader.document(docId)
    const others = document.get(PageField.alsoAt)
    const addresses = [document.get(PageField.url) ?? '', ...(others === undefined ? [] : others.split('\n'))]
    this.#known.set(docId, addresses)
    return addresses
  }
}
