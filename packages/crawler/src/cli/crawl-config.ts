/** Settings of `spindle crawl`: one table for the configuration file, `SPINDLE_…` variables and flags. */
import type { OptionSpec, OptionTable } from '@spindle/core'

/** The settings; undefined where a default depends on other things. */
export interface CrawlConfig {
  readonly data: string
  readonly seeds: readonly string[]
  readonly depth: number | undefined
  readonly maxPages: number | undefined
  readonly scope: 'host' | 'any'
  readonly concurrency: number
  readonly delay: number | undefined
  readonly userAgent: string | undefined
  readonly ordered: boolean
  readonly index: boolean
  readonly log: string | undefined
}

function whole<T extends number | undefined>(fallback: T, min: number, max: number): OptionSpec<T | number> {
  return {
    default: fallback,
    expects: `a whole number from ${min} to ${max}`,
    parse(value) {
      const n = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
      return typeof n === 'number' && Number.isInteger(n) && n >= min && n <= max ? n : undefined
    },
  }
}

function text<T extends string | undefined>(fallback: T, expects: string): OptionSpec<T | string> {
  return { default: fallback, expects, parse: (v) => (typeof v === 'string' && v.trim() !== '' ? v : undefined) }
}

function yesNo(fallback: boolean): OptionSpec<boolean> {
  return {
    default: fallback,
    expects: 'true or false',
    parse: (v) => (v === true || v === 'true' ? true : v === false || v === 'false' ? false : undefined),
  }
}

/** The table for `loadConfig`. */
export const crawlOptions: OptionTable<CrawlConfig> = {
  data: text('data', 'the path of a folder'),
  seeds: {
    default: [],
    expects: 'a list of start addresses (in a variable: separated by blanks)',
    parse(value) {
      const list = typeof value === 'string' ? value.split(/\s+/).filter((part) => part !== '') : value
      return Array.isArray(list) && list.every((part) => typeof part === 'string') ? (list as string[]) : undefined
    },
  },
  depth: whole<number | undefined>(undefined, 0, 1000),
  maxPages: whole<number | undefined>(undefined, 1, 1_000_000_000),
  scope: {
    default: 'host',
    expects: 'host (the hosts of the start addresses) or any (every host)',
    parse: (value) => (value === 'host' || value === 'any' ? value : undefined),
  },
  concurrency: whole(16, 1, 256),
  delay: whole<number | undefined>(undefined, 0, 3_600_000),
  userAgent: {
    default: undefined,
    expects:
      'one line of printable ASCII characters that begins with a name, as in MyBot/1.0 (+https://example.org/bot)',
    parse: (value) => (typeof value === 'string' && /^[\w.-]+[\x20-\x7e]{0,200}$/.test(value) ? value : undefined),
  },
  ordered: yesNo(false),
  index: yesNo(true),
  log: text<string | undefined>(undefined, 'the path of a file'),
}
