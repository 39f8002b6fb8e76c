/** A score function made ready for scoring: one number of a document in, a factor or a score out. */
import { type Explanation, explainMatch, explainProduct, explainSum } from '../explanation.js'
import { type CombineScores, type ScoreFunction, type Shape, shapeOf } from './score-function.js'

/** No score gets greater than this by a function, so that sums and products stay finite. */
const MOST = 1e100

/** What a document without a number gets, so that its score stays as it is; nothing is left of a score that is replaced. */
const NEUTRAL: Readonly<Record<CombineScores, number>> = { multiply: 1, add: 0, replace: 0 }

/** See the head of this file. */
export class FieldFunction {
  readonly field: string
  /** Of documents without a number. */
  readonly ofMissing: number
  readonly combine: CombineScores
  readonly #shape: Shape
  readonly #base: number
  readonly #weight: number
  readonly #missing: number | undefined

  /** @throws RangeError for a parameter out of its range */
  constructor(spec: ScoreFunction, combine: CombineScores) {
    const { field, base = 0, weight = 1, missing } = spec
    for (const part of [base, weight]) {
      if (!(part >= 0 && part < Infinity)) throw new RangeError(`A base or weight must be a finite number ≥ 0: ${part}`)
    }
    if (missing !== undefined && !Number.isFinite(missing)) {
      throw new RangeError(`The number of documents without one must be finite: ${missing}`)
    }
    this.field = field
    this.combine = combine
    this.#shape = shapeOf(spec)
    this.#base = base
    this.#weight = weight
    this.#missing = missing
    this.ofMissing = missing === undefined ? NEUTRAL[combine] : this.of(missing)
  }

  /** Whether rounded numbers will do. */
  get flat(): boolean {
    return this.#shape.flat
  }

  /** The function of a number of a document; NaN: it has none. */
  of(x: number): number {
    if (Number.isNaN(x)) return this.ofMissing
    return Math.min(this.#base + this.#weight * this.#shape.of(x), MOST)
  }

  /** The greatest value for numbers from `min` to `max`. */
  most(min: number, max: number): number {
    return this.of(Math.min(Math.max(this.#shape.peak, min), max))
  }

  /** The score of a document with the score `inner` and the number `x`. */
  score(inner: number, x: number): number {
    const value = this.of(x)
    return this.combine === 'multiply' ? inner * value : this.combine === 'add' ? inner + value : value
  }

  explain(x: number): Explanation {
    if (Number.isNaN(x) && this.#missing === undefined) {
      return explainMatch(this.ofMissing, `no number in ${this.field}: the score stays as it is`)
    }
    const number = Number.isNaN(x) ? this.#missing! : x
    const source = Number.isNaN(x)
      ? `x: of documents without a number in ${this.field}`
      : `x: ${this.field} of the document`
    const shape = explainMatch(this.#shape.of(number), `function: ${this.#shape.formula}`, [
      explainMatch(number, source),
    ])
    const weighted =
      this.#weight === 1
        ? shape
        : explainProduct(this.#weight * shape.value, 'product of', [explainMatch(this.#weight, 'weight'), shape])
    if (this.#base === 0) return weighted
    return explainSum(this.of(number), 'sum of', [explainMatch(this.#base, 'base'), weighted])
  }

  /** For example `0.5 * (x / (x + 10)) of links`. */
  toString(): string {
    const base = this.#base === 0 ? '' : `${this.#base} + `
    const weight = this.#weight === 1 ? '' : `${this.#weight} * `
    return `${base}${weight}(${this.#shape.formula}) of ${this.field}`
  }
}
