/**
 * What judgements call the pages of an index: by their address, records of a file also by their id (the part of their address behind
 * `#`), and pages of a site also by their path (`/help/index.html`), so that judgements hold wherever the site is served from.
 */
import type { Judgements, RankedDocument } from '@spindle/index'
import type { RankedPage } from './local-index-backend.js'

/** See the head of this file. */
export class PageNames {
  readonly #judged = new Set<string>()

  constructor(judgements: Judgements) {
    for (const grades of judgements.values()) for (const name of grades.keys()) this.#judged.add(name)
  }

  /**
   * Pages by the names that judgements give them, others by their address. A name goes to the first page that can have it:
   * another one with the same path on another host is no second right answer.
   */
  ranking(pages: readonly RankedPage[]): RankedDocument[] {
    const taken = new Set<string>()
    return pages.map(({ addresses, score }) => {
      let id = addresses[0] ?? ''
      for (const name of namesOf(addresses)) {
        if (!this.#judged.has(name) || taken.has(name)) continue
        id = name
        break
      }
      taken.add(id)
      return { id, score }
    })
  }
}

function* namesOf(addresses: readonly string[]): Generator<string, void, void> {
  yield* addresses
  for (const address of addresses) {
    const hash = address.indexOf('#')
    if (hash >= 0) yield decoded(address.slice(hash + 1))
    const path = /^https?:\/\/[^/]*(\/[^#]*)/.exec(address)?.[1]
    if (path !== undefined) yield path
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
