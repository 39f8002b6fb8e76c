/**
 * The documents of many terms as one bit set. Lists that are in memory are read at once; of others, those that lie side
 * by side in the file are loaded together: the terms of a prefix are one stretch of it.
 */
import { BitSet } from '@spindle/core'
import { Postings, type PostingsContext } from '../../codec/postings.js'
import type { TermCursor } from '../../codec/term-dictionary.js'
import { TermEntry } from '../../codec/term-entry.js'
import type { SegmentReader } from '../../reading/segment-reader.js'
import type { TermSink } from '../automaton/term-walk.js'
import type { SearchLimits } from '../scorer/search-limits.js'

/** Lists that are put off, and their bytes, at most. */
const MAX_LISTS = 1024
const MAX_BYTES = 1 << 18
/** Bytes between two lists that are loaded along rather than asked for twice. */
const MAX_GAP = 4096
/** What another list costs, in postings read. */
const LIST_COST = 64

/** Collects the documents of terms of one field of one segment; deleted ones are among them. */
export class TermUnion implements TermSink {
  readonly docs: BitSet
  readonly #segment: SegmentReader
  readonly #limits: SearchLimits
  readonly #context: PostingsContext
  readonly #block = new Int32Array(128)
  readonly #waiting: TermEntry[] = []
  #waitingBytes = 0

  constructor(segment: SegmentReader, field: string, limits: SearchLimits) {
    this.docs = new BitSet(segment.maxDoc)
    this.#segment = segment
    this.#limits = limits
    this.#context = { info: segment.fieldInfo(field)!, maxDoc: segment.maxDoc, norms: null }
  }

  add({ entry }: TermCursor): boolean {
    return this.addEntry(entry)
  }

  /** As `add`. */
  addEntry(entry: TermEntry): boolean {
    if (entry.singleDoc >= 0) {
      this.docs.set(entry.singleDoc)
      return false
    }
    const copy = new TermEntry()
    copy.docFreq = entry.docFreq
    copy.totalTermFreq = entry.totalTermFreq
    copy.postingsStart = entry.postingsStart
    copy.postingsLength = entry.postingsLength
    this.#waiting.push(copy)
    this.#waitingBytes += entry.postingsLength
    return this.#waiting.length >= MAX_LISTS || this.#waitingBytes >= MAX_BYTES
  }

  /** The documents of all terms that `expand` adds. */
  async of(expand: (union: this) => Promise<void>): Promise<{ docs: BitSet; count: number }> {
    await expand(this)
    await this.flush()
    return { docs: this.docs, count: this.docs.count() }
  }

  async flush(): Promise<void> {
    const lists = this.#waiting
    for (let from = 0; from < lists.length; ) {
      const start = lists[from].postingsStart
      let end = start + lists[from].postingsLength
      let to = from + 1
      for (; to < lists.length && end - start < MAX_BYTES; to++) {
        const { postingsStart, postingsLength } = lists[to]
        if (postingsStart < start || postingsStart > end + MAX_GAP) break
        end = Math.max(end, postingsStart + postingsLength)
      }
      const range = this.#segment.data.postings.loaded ?? (await this.#segment.data.postings.load(start, end - start))
      for (; from < to; from++) {
        if (!this.#read(new Postings(this.#context, lists[from], range, null, false))) return this.#drop()
        if (this.#limits.sliceOver) await this.#limits.yield()
      }
    }
    this.#drop()
  }

  /** @returns false where the limits say that it is enough */
  #read(postings: Postings): boolean {
    const { docs } = this
    const block = this.#block
    for (let b = 0; b < postings.blockCount; b++) {
      const length = postings.decodeDocs(b, block)
      for (let i = 0; i < length; i++) docs.set(block[i])
      if (!this.#limits.expand(length)) return false
    }
    return this.#limits.expand(LIST_COST)
  }

  #drop(): void {
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }
}
