/** The kinds of options that programs have in common, for their tables ({@link OptionTable}). */
import type { OptionSpec } from './config.js'

/** Some text that is not blank. */
export function textOption<T extends string | undefined>(fallback: T, expects: string): OptionSpec<T | string> {
  return { default: fallback, expects, parse: (v) => (typeof v === 'string' && v.trim() !== '' ? v : undefined) }
}

/** A whole number in a range, both ends included. */
export function wholeOption<T extends number | undefined>(
  fallback: T,
  min: number,
  max: number,
): OptionSpec<T | number> {
  return {
    default: fallback,
    expects: `a whole number from ${min} to ${max}`,
    parse(value) {
      const n = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
      return typeof n === 'number' && Number.isInteger(n) && n >= min && n <= max ? n : undefined
    },
  }
}

/** Yes or no. */
export function booleanOption(fallback: boolean): OptionSpec<boolean> {
  return {
    default: fallback,
    expects: 'true or false',
    parse: (v) => (v === true || v === 'true' ? true : v === false || v === 'false' ? false : undefined),
  }
}
