/** A bound for the mean of a measure, `map>=.3`: an evaluation that does not keep it has failed. */
import { SpindleError } from '@spindle/core'
import type { Evaluation } from './evaluate-run.js'
import { type Measure, parseMeasure } from './measure.js'

/** See the head of this file. */
export interface Gate {
  readonly measure: Measure
  /** Least value of the mean. */
  readonly least: number
}

/**
 * Reads `measure>=number`.
 * @throws SpindleError `BAD_PARAMETER`
 */
export function parseGate(text: string): Gate {
  const [, name = '', bound = ''] = /^\s*([^<>=\s]+)\s*>=\s*(\d*\.?\d+)\s*$/.exec(text) ?? []
  const least = Number(bound)
  if (name === '' || !(least <= 1)) {
    throw new SpindleError('BAD_PARAMETER', `"${text}" is no gate: write a measure and its least mean, as "map>=.3".`)
  }
  return { measure: parseMeasure(name), least }
}

/** Rounding of the mean that a gate forgives. */
const ROUNDING = 1e-9

/** The gates that an evaluation does not pass, with the means that it reaches. */
export function failedGates(
  gates: readonly Gate[],
  { means }: Evaluation,
): { readonly gate: Gate; readonly mean: number }[] {
  return gates
    .map((gate) => ({ gate, mean: means.get(gate.measure.name) ?? Number.NaN }))
    .filter(({ gate, mean }) => !(mean >= gate.least - ROUNDING))
}
