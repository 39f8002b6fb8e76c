/** Documents that hold the terms that a query needs, before anything is known of positions. */
import type { Presence } from '../positions/presence.js'
import type { PostingsCursor } from './postings-cursor.js'
import { NO_MORE_DOCS } from './scorer.js'
import type { SearchLimits } from './search-limits.js'

/** A place in an ascending list of documents; a cursor over postings is one. */
export interface DocumentCursor {
  /** Current document; −1 before the first call of `advance`. */
  readonly doc: number
  /** Moves to the first document ≥ `target`, which it returns, or {@link NO_MORE_DOCS}; stays where it is there already. */
  advance(target: number): number
}

/** A cursor with the number of documents it stands on, at most. */
export interface OpenPresence {
  readonly docs: DocumentCursor
  readonly cost: number
}

/**
 * Opens a condition on a segment.
 * @param openTerm a new cursor for a term, null where the segment does not hold it
 * @returns null where nothing meets the condition
 */
export function openPresence(
  presence: Presence,
  openTerm: (term: number) => PostingsCursor | null,
  limits: SearchLimits,
): OpenPresence | null {
  if (typeof presence === 'number') {
    const cursor = openTerm(presence)
    return cursor === null ? null : { docs: cursor, cost: cursor.postings.docFreq }
  }
  const all = 'all' in presence
  const parts: OpenPresence[] = []
  for (const part of all ? presence.all : presence.any) {
    const opened = openPresence(part, openTerm, limits)
    if (opened !== null) parts.push(opened)
    else if (all) return null
  }
  if (parts.length < 2) return parts[0] ?? null
  parts.sort((a, b) => a.cost - b.cost)
  const cursors = parts.map(({ docs }) => docs)
  if (all) return { docs: new AllCursor(cursors, limits), cost: parts[0]!.cost }
  let cost = 0
  for (const part of parts) cost += part.cost
  return { docs: new AnyCursor(cursors, limits), cost }
}

/** Documents that all parts have: leapfrog, the rarest leading. */
class AllCursor implements DocumentCursor {
  doc = -1
  readonly #parts: readonly DocumentCursor[]
  readonly #limits: SearchLimits

  constructor(parts: readonly DocumentCursor[], limits: SearchLimits) {
    this.#parts = parts
    this.#limits = limits
  }

  advance(target: number): number {
    if (this.doc >= target) return this.doc
    const parts = this.#parts
    const lead = parts[0]!
    let doc = lead.advance(target)
    let i = 1
    while (i < parts.length && doc !== NO_MORE_DOCS) {
      const other = parts[i]!.advance(doc)
      if (other === doc) i++
      else {
        doc = lead.advance(other)
        i = 1
        this.#limits.spend(1)
      }
    }
    this.doc = doc
    return doc
  }
}

/** Documents that at least one part has. All parts stand at the current document or behind it. */
class AnyCursor implements DocumentCursor {
  doc = -1
  readonly #parts: readonly DocumentCursor[]
  readonly #docs: Int32Array
  readonly #limits: SearchLimits

  constructor(parts: readonly DocumentCursor[], limits: SearchLimits) {
    this.#parts = parts
    this.#docs = new Int32Array(parts.length).fill(-1)
    this.#limits = limits
  }

  advance(target: number): number {
    if (this.doc >= target) return this.doc
    const docs = this.#docs
    let first = NO_MORE_DOCS
    for (let i = 0; i < docs.length; i++) {
      let doc = docs[i]!
      if (doc < target) {
        doc = this.#parts[i]!.advance(target)
        docs[i] = doc
      }
      if (doc < first) first = doc
    }
    this.#limits.spend(docs.length >> 3)
    this.doc = first
    return first
  }
}
