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
  readonly #budget: Budget = { steps: 0, document: 0 }

  constructor(shape: NearShape) {
    this.#root = createPart(shape, new Map())
  }

  find(document: TermPositions, found: Spans, limit: number): number {
    this.#budget.steps = MAX_STEPS
    this.#budget.document++
    this.#root.list(document, found, limit, this.#budget)
    return MAX_STEPS - this.#budget.steps
  }

  maxFrequency(counts: Int32Array): number {
    return this.#root.maxFrequency(counts)
  }
}

/** Steps that are left in a document, and the number of the document. */
interface Budget {
  steps: number
  document: number
}

/** A part of a query. */
abstract class Part {
  /** Its stretches in the document at hand, by start and end, for the part that it belongs to. */
  readonly spans = new Spans()

  /** Adds at most `limit` stretches to `out`, which is empty. */
  abstract list(document: TermPositions, out: Spans, limit: number, budget: Budget): void

  /** Stretches in a document, at most. */
  abstract maxSpans(counts: Int32Array): number

  maxFrequency(counts: Int32Array): number {
    return this.maxSpans(counts)
  }

  /** Fills `spans`. @returns whether there are any */
  load(document: TermPositions, budget: Budget): boolean {
    this.spans.length = 0
    this.list(document, this.spans, Infinity, budget)
    return this.spans.length > 0
  }
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

  override load(document: TermPositions, budget: Budget): boolean {
    if (this.#loaded === budget.document) return this.spans.length > 0
    this.#loaded = budget.document
    return super.load(document, budget)
  }

  list(document: TermPositions, out: Spans, limit: number, budget: Budget): void {
    const count = Math.min(document.counts[this.#term]!, limit, budget.steps)
    const positions = document.list(this.#term)
    for (let i = 0; i < count; i++) out.push(positions[i]!, positions[i]! + 1, 0)
    budget.steps -= count
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

  list(document: TermPositions, out: Spans, limit: number, budget: Budget): void {
    const queue = this.#queue
    queue.clear()
    for (let i = 0; i < this.#parts.length; i++) if (this.#parts[i]!.load(document, budget)) queue.push(i)
    while (queue.size > 0 && out.length < limit && budget.steps-- > 0) {
      out.push(queue.start, queue.end, queue.distance)
      queue.next()
    }
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

  list(document: TermPositions, out: Spans, limit: number, budget: Budget): void {
    const parts = this.#parts
    const at = this.#at
    for (let i = 0; i < parts.length; i++) {
      if (!parts[i]!.load(document, budget)) return
      at[i] = 0
    }
    const first = parts[0]!.spans
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
        budget.steps -= j - before + 1
        if (j === length || budget.steps <= 0) return
        gaps += starts[j]! - end
        end = ends[j]!
      }
      if (gaps <= this.#slop) out.push(first.starts[i]!, end, gaps)
    }
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

  list(document: TermPositions, out: Spans, limit: number, budget: Budget): void {
    const queue = this.#queue
    queue.clear()
    let covered = 0
    let end = 0
    for (let i = 0; i < this.#parts.length; i++) {
      const { spans } = this.#parts[i]!
      if (!this.#parts[i]!.load(document, budget)) return
      queue.push(i)
      covered += spans.ends[0]! - spans.starts[0]!
      end = Math.max(end, spans.ends[0]!)
    }
    while (out.length < limit && budget.steps-- > 0) {
      const { start } = queue
      if (end - start - covered <= this.#slop) out.push(start, end, end - start)
      covered -= queue.end - start
      const part = queue.next()
      // All parts are needed: where one has no more stretches there is no further match.
      if (queue.size < this.#parts.length) return
      const { starts, ends } = this.#parts[part]!.spans
      const at = queue.at(part)
      covered += ends[at]! - starts[at]!
      end = Math.max(end, ends[at]!)
    }
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
