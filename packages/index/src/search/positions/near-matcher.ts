/**
 * Parts near each other, each a term or made of parts itself. The stretches of a part are listed before those of the
 * whole, so that every part is gone through once a document. What counts as a match, and how wide it is, is Lucene's
 * SpanNearQuery (NearSpansOrdered, NearSpansUnordered), to the order of equal stretches.
 */
import type { NearShape } from './near-shape.js'
import { MAX_STEPS, type PositionMatcher } from './position-matcher.js'
import { SpanQueue } from './span-queue.js'
import { Spans } from './spans.js'
import type { TermPositions } from './term-positions.js'

/** Finds what a {@link NearShape} describes; the distance of a match is the width that Lucene gives it. */
export class NearMatcher implements PositionMatcher {
  readonly #root: Part
  /** Steps that each part may take in a document: one that has used them up goes on with what it has listed. */
  readonly #share: number
  #document = 0

  constructor(shape: NearShape) {
    const terms = new Map<number, TermPart>()
    this.#root = createPart(shape, terms)
    this.#share = Math.ceil(MAX_STEPS / countParts(shape))
  }

  find(document: TermPositions, found: Spans, limit: number): number {
    const run: Run = { document, number: ++this.#document, share: this.#share, steps: 0 }
    this.#root.list(run, found, limit)
    return run.steps
  }

  maxFrequency(counts: Int32Array): number {
    return this.#root.maxFrequency(counts)
  }
}

/** One document. */
interface Run {
  readonly document: TermPositions
  readonly number: number
  readonly share: number
  /** Steps taken by all parts. */
  steps: number
}

/** A part of a query. */
abstract class Part {
  /** Its stretches in the document at hand, by start and end, for the part that it belongs to. */
  readonly spans = new Spans()

  /** Adds at most `limit` stretches to `out`, which is empty. */
  abstract list(run: Run, out: Spans, limit: number): void

  /** Stretches in a document, at most. */
  abstract maxSpans(counts: Int32Array): number

  maxFrequency(counts: Int32Array): number {
    return this.maxSpans(counts)
  }

  /** Fills `spans`. @returns whether there are any */
  load(run: Run): boolean {
    this.spans.length = 0
    this.list(run, this.spans, Infinity)
    return this.spans.length > 0
  }
}

function countParts(shape: NearShape): number {
  if (shape.kind === 'term') return 1
  let count = 1
  for (const part of shape.parts) if (part.kind !== 'term') count += countParts(part)
  return count
}

/** @param terms the parts that are terms, which are listed once however often the query has them */
function createPart(shape: NearShape, terms: Map<number, TermPart>): Part {
  if (shape.kind === 'term') {
    const part = terms.get(shape.term) ?? new TermPart(shape.term)
    terms.set(shape.term, part)
    return part
  }
  const parts = shape.parts.map((part) => createPart(part, terms))
  if (shape.kind === 'any') return new AnyPart(parts)
  return shape.inOrder ? new OrderedPart(parts, shape.slop) : new UnorderedPart(parts, shape.slop)
}

/** A term: one position a stretch. */
class TermPart extends Part {
  readonly #term: number
  #loaded = 0

  constructor(term: number) {
    super()
    this.#term = term
  }

  override load(run: Run): boolean {
    if (this.#loaded === run.number) return this.spans.length > 0
    this.#loaded = run.number
    return super.load(run)
  }

  list({ document }: Run, out: Spans, limit: number): void {
    const count = Math.min(document.counts[this.#term]!, limit)
    const positions = document.list(this.#term)
    for (let i = 0; i < count; i++) out.push(positions[i]!, positions[i]! + 1, 0)
  }

  maxSpans(counts: Int32Array): number {
    return counts[this.#term]!
  }
}

/** Whatever one of several parts finds. */
class AnyPart extends Part {
  readonly #parts: readonly Part[]
  readonly #queue: SpanQueue

  constructor(parts: readonly Part[]) {
    super()
    this.#parts = parts
    this.#queue = new SpanQueue(parts.map((part) => part.spans))
  }

  list(run: Run, out: Spans, limit: number): void {
    const queue = this.#queue
    queue.clear()
    for (let i = 0; i < this.#parts.length; i++) if (this.#parts[i]!.load(run)) queue.push(i)
    let steps = 0
    while (queue.size > 0 && out.length < limit && steps < run.share) {
      out.push(queue.start, queue.end, queue.distance)
      steps += queue.depth
      queue.next()
    }
    run.steps += steps
  }

  maxSpans(counts: Int32Array): number {
    return sumOfSpans(this.#parts, counts)
  }
}

/** Parts one behind the other, with at most `slop` positions between them. */
class OrderedPart extends Part {
  readonly #parts: readonly Part[]
  readonly #slop: number
  readonly #at: Int32Array

  constructor(parts: readonly Part[], slop: number) {
    super()
    this.#parts = parts
    this.#slop = slop
    this.#at = new Int32Array(parts.length)
  }

  list(run: Run, out: Spans, limit: number): void {
    for (const part of this.#parts) if (!part.load(run)) return
    run.steps += this.#align(run.share, out, limit)
  }

  /** @returns the steps taken, hardly more than `share` */
  #align(share: number, out: Spans, limit: number): number {
    const parts = this.#parts
    const at = this.#at
    at.fill(0)
    const first = parts[0]!.spans
    let steps = 0
    for (let i = 0; i < first.length && out.length < limit; i++) {
      let end = first.ends[i]!
      let gaps = 0
      for (let p = 1; p < parts.length; p++) {
        // Parts move on as little as they can, and never back.
        const { starts, ends, length } = parts[p]!.spans
        const before = at[p]!
        let j = before
        while (j < length && starts[j]! < end) j++
        at[p] = j
        steps += j - before + 1
        if (j === length || steps > share) return steps
        gaps += starts[j]! - end
        end = ends[j]!
      }
      if (gaps <= this.#slop) out.push(first.starts[i]!, end, gaps)
    }
    return steps
  }

  /** Every stretch of the first part begins one match at most. */
  maxSpans(counts: Int32Array): number {
    return this.#parts[0]!.maxSpans(counts)
  }
}

/** Parts in any order, which may overlap, with at most `slop` positions of their stretch not covered. */
class UnorderedPart extends Part {
  readonly #parts: readonly Part[]
  readonly #slop: number
  readonly #queue: SpanQueue

  constructor(parts: readonly Part[], slop: number) {
    super()
    this.#parts = parts
    this.#slop = slop
    this.#queue = new SpanQueue(parts.map((part) => part.spans))
  }

  list(run: Run, out: Spans, limit: number): void {
    for (const part of this.#parts) if (!part.load(run)) return
    run.steps += this.#sweep(run.share, out, limit)
  }

  /** @returns the steps taken, hardly more than `share` */
  #sweep(share: number, out: Spans, limit: number): number {
    const queue = this.#queue
    queue.clear()
    let steps = 0
    let covered = 0
    let end = 0
    for (let i = 0; i < this.#parts.length; i++) {
      const { spans } = this.#parts[i]!
      queue.push(i)
      covered += spans.ends[0]! - spans.starts[0]!
      end = Math.max(end, spans.ends[0]!)
    }
    while (out.length < limit && steps < share) {
      const { start } = queue
      steps += queue.depth
      if (end - start - covered <= this.#slop) out.push(start, end, end - start)
      covered -= queue.end - start
      const part = queue.next()
      // All parts are needed: where one has no more stretches there is no further match.
      if (queue.size < this.#parts.length) break
      const { starts, ends } = this.#parts[part]!.spans
      const at = queue.at(part)
      covered += ends[at]! - starts[at]!
      end = Math.max(end, ends[at]!)
    }
    return steps
  }

  /** Each match but the last moves a part on. */
  maxSpans(counts: Int32Array): number {
    return sumOfSpans(this.#parts, counts)
  }

  /** The width of a match is 1 at least. */
  override maxFrequency(counts: Int32Array): number {
    return this.maxSpans(counts) / 2
  }
}

function sumOfSpans(parts: readonly Part[], counts: Int32Array): number {
  let sum = 0
  for (const part of parts) sum += part.maxSpans(counts)
  return sum
}
