/** Settings of `spindle crawl`: one table for the configuration file, `SPINDLE_…` variables and flags. */
import { booleanOption, type OptionTable, textOption, wholeOption } from '@spindle/core'
import { ORDER_NAMES } from '../frontier/crawl-order.js'
import { type FetchConfig, fetchOptions } from './fetch-config.js'
import { PRESET_NAMES, type PresetName } from './presets.js'
import { type ScopeConfig, scopeOptions } from './scope-config.js'

/** The settings; undefined where a default depends on other things. */
export interface CrawlConfig extends FetchConfig, ScopeConfig {
  readonly data: string
  readonly seeds: readonly string[]
  readonly preset: PresetName | undefined
  readonly depth: number | undefined
  readonly maxPages: number | undefined
  readonly concurrency: number
  readonly delay: number | undefined
  readonly userAgent: string | undefined
  readonly ordered: boolean
  readonly strategy: string | undefined
  readonly recrawl: boolean
  /** Milliseconds. */
  readonly olderThan: number | undefined
  readonly acceptRemovals: boolean
  readonly index: boolean
  readonly log: string | undefined
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of an age. */
function parseAge(value: unknown): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(String(value)) ?? []
  return count === undefined ? undefined : Number(count) * UNITS[unit]!
}

/** The table for `loadConfig`. */
export const crawlOptions: OptionTable<CrawlConfig> = {
  data: textOption('data', 'the path of a folder'),
  seeds: {
    default: [],
    expects: 'a list of start addresses (in a variable: separated by blanks)',
    parse(value) {
      const list = typeof value === 'string' ? value.split(/\s+/).filter((part) => part !== '') : value
      return Array.isArray(list) && list.every((part) => typeof part === 'string') ? (list as string[]) : undefined
    },
  },
  preset: {
    default: undefined,
    expects: PRESET_NAMES.join(' or '),
    parse: (value) => PRESET_NAMES.find((name) => name === value),
  },
  depth: wholeOption<number | undefined>(undefined, 0, 1000),
  maxPages: wholeOption<number | undefined>(undefined, 1, 1_000_000_000),
  concurrency: wholeOption(16, 1, 256),
  delay: wholeOption<number | undefined>(undefined, 0, 3_600_000),
  userAgent: {
    default: undefined,
    expects:
      'one line of printable ASCII characters that begins with a name, as in MyBot/1.0 (+https://example.org/bot)',
    parse: (value) => (typeof value === 'string' && /^[\w.-]+[\x20-\x7e]{0,200}$/.test(value) ? value : undefined),
  },
  ordered: booleanOption(false),
  strategy: {
    default: undefined,
    expects: ORDER_NAMES.join(' or '),
    parse: (value) => ORDER_NAMES.find((name) => name === value),
  },
  recrawl: booleanOption(false),
  olderThan: { default: undefined, expects: 'an age such as 30m, 12h or 7d', parse: parseAge },
  acceptRemovals: booleanOption(false),
  index: booleanOption(true),
  log: textOption<string | undefined>(undefined, 'the path of a file'),
  ...scopeOptions,
  ...fetchOptions,
}
