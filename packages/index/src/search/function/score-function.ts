/** Functions of a number of the document (its doc value) that become scores or factors of them. */
import { type NumberBound, numberBound } from '../query/number-bound.js'

/** What all functions have. The result is `base + weight · f(number)`, never below 0. */
interface FunctionOf {
  /** A field of numbers, dates or booleans with doc values; of several numbers of a document the greatest counts. */
  readonly field: string
  /** Added to the function, ≥ 0; 0 where not given. */
  readonly base?: number
  /** Factor of the function, ≥ 0; 1 where not given. */
  readonly weight?: number
  /** The number that documents without one are taken to have. Where not given, the function leaves their score as it is. */
  readonly missing?: number
}

/** The number itself (those below 0 count as 0), or its square root, square, `ln(1 + x)` or `1 / (1 + x)`. */
export interface ValueFunction extends FunctionOf {
  readonly kind: 'value'
  /** `none` where not given. */
  readonly modifier?: 'none' | 'sqrt' | 'square' | 'ln1p' | 'reciprocal'
}

/** `x / (x + pivot)`: from 0 to 1, half of it at the pivot. Great numbers count like large ones. */
export interface SaturationFunction extends FunctionOf {
  readonly kind: 'saturation'
  /** > 0 */
  readonly pivot: number
}

/** `ln(shift + x)`. */
export interface LogarithmFunction extends FunctionOf {
  readonly kind: 'logarithm'
  /** ≥ 1, so that the result is not below 0; 1 where not given. */
  readonly shift?: number
}

/**
 * 1 at the origin and less the farther away the number is: with a distance `d = max(0, |x − origin| − offset)`,
 * exponential `decay ^ (d / scale)`, gauss `decay ^ ((d / scale)²)`, linear `max(0, 1 − (1 − decay) · d / scale)`.
 */
export interface DecayFunction extends FunctionOf {
  readonly kind: 'exponential' | 'gauss' | 'linear'
  /** Where it is 1. The moment at which the query is made where not given: freshness. */
  readonly origin?: NumberBound
  /** Distance (of dates in milliseconds) at which `decay` is reached, > 0. */
  readonly scale: number
  /** Distance within which it stays 1, ≥ 0; 0 where not given. */
  readonly offset?: number
  /** What it is at the distance `scale`, between 0 and 1; 0.5 where not given. */
  readonly decay?: number
}

/** A function of a number of the document. */
export type ScoreFunction = ValueFunction | SaturationFunction | LogarithmFunction | DecayFunction

/** How a function and the score of the query become one. */
export type CombineScores = 'multiply' | 'add' | 'replace'

/** A function made ready: it rises up to the number `peak` and falls behind it. */
export interface Shape {
  readonly formula: string
  readonly peak: number
  /** Whether numbers rounded to 24 bits will do: the function is flat. */
  readonly flat: boolean
  of(x: number): number
}

/** @throws RangeError for a parameter out of its range */
export function shapeOf(spec: ScoreFunction): Shape {
  switch (spec.kind) {
    case 'value':
      return valueShape(spec.modifier ?? 'none')
    case 'saturation': {
      const { pivot } = spec
      check(pivot > 0 && pivot < Infinity, 'A pivot must be a finite number > 0', pivot)
      const of = (x: number): number => (x > 0 ? x / (x + pivot) : 0)
      return { formula: `x / (x + ${pivot})`, peak: Infinity, flat: true, of }
    }
    case 'logarithm': {
      const { shift = 1 } = spec
      check(shift >= 1 && shift < Infinity, 'The shift of a logarithm must be a finite number ≥ 1', shift)
      const of = (x: number): number => Math.log(shift + Math.max(0, x))
      return { formula: `ln(${shift} + x)`, peak: Infinity, flat: true, of }
    }
    default:
      return decayShape(spec)
  }
}

function valueShape(modifier: NonNullable<ValueFunction['modifier']>): Shape {
  const rising = { peak: Infinity, flat: false }
  switch (modifier) {
    case 'none':
      return { ...rising, formula: 'x', of: (x) => Math.max(0, x) }
    case 'sqrt':
      return { ...rising, formula: '√x', of: (x) => Math.sqrt(Math.max(0, x)) }
    case 'square':
      return { ...rising, formula: 'x²', of: (x) => Math.max(0, x) ** 2 }
    case 'ln1p':
      return { ...rising, formula: 'ln(1 + x)', of: (x) => Math.log1p(Math.max(0, x)) }
    case 'reciprocal':
      return { formula: '1 / (1 + x)', peak: -Infinity, flat: false, of: (x) => 1 / (1 + Math.max(0, x)) }
    default:
      throw new RangeError(`There is no modifier ${String(modifier)}`)
  }
}

function decayShape({ kind, field, origin = Date.now(), scale, offset = 0, decay = 0.5 }: DecayFunction): Shape {
  const center = numberBound(field, origin)
  check(Number.isFinite(center), 'The origin of a decay must be a finite number', center)
  check(scale > 0 && scale < Infinity, 'The scale of a decay must be a finite number > 0', scale)
  check(offset >= 0 && offset < Infinity, 'The offset of a decay must be a finite number ≥ 0', offset)
  check(decay > 0 && decay < 1, 'A decay must be between 0 and 1', decay)
  const distance = (x: number): number => Math.max(0, Math.abs(x - center) - offset) / scale
  const shape = { peak: center, flat: false }
  const d = `d = max(0, |x − ${center}| − ${offset}) / ${scale}`
  switch (kind) {
    case 'exponential':
      return { ...shape, formula: `${decay} ^ d, ${d}`, of: (x) => decay ** distance(x) }
    case 'gauss':
      return { ...shape, formula: `${decay} ^ (d²), ${d}`, of: (x) => decay ** (distance(x) ** 2) }
    case 'linear':
      return {
        ...shape,
        formula: `max(0, 1 − ${1 - decay} × d), ${d}`,
        of: (x) => Math.max(0, 1 - (1 - decay) * distance(x)),
      }
    default:
      throw new RangeError(`There is no function of the kind ${String(kind)}`)
  }
}

function check(holds: boolean, rule: string, found: number): void {
  if (!holds) throw new RangeError(`${rule}: ${found}`)
}
