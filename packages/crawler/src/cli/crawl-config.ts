/** Settings of `spindle crawl`: one table for the configuration file, `SPINDLE_…` variables and flags. */
import { booleanOption, type OptionSpec, type OptionTable, textOption, wholeOption } from '@spindle/core'
import { parseRange } from '../scope/address-ranges.js'
import type { SiteScope } from '../scope/scope-rules.js'
import { MAX_PATTERN, parseUrlPattern } from '../scope/url-pattern.js'
import { type FetchConfig, fetchOptions } from './fetch-config.js'

/** The settings; undefined where a default depends on other things. */
export interface CrawlConfig extends FetchConfig {
  readonly data: string
  readonly seeds: readonly string[]
  readonly depth: number | undefined
  readonly maxPages: number | undefined
  readonly scope: SiteScope
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly excludeSuffixes: readonly string[] | undefined
  readonly concurrency: number
  readonly delay: number | undefined
  readonly userAgent: string | undefined
  readonly ordered: boolean
  readonly index: boolean
  readonly log: string | undefined
}

/** A list of patterns, each of which can be read. */
const patternsOption: OptionSpec<readonly string[]> = {
  default: [],
  expects: `a list of globs or /regular expressions/ for addresses, each at most ${MAX_PATTERN} characters (in a variable: separated by blanks)`,
  parse(value) {
    const list = typeof value === 'string' ? value.split(/\s+/).filter((part) => part !== '') : value
    return isTexts(list) && list.every(isPattern) ? list : undefined
  },
}

function isPattern(text: string): boolean {
  try {
    parseUrlPattern(text)
    return true
  } catch {
    return false
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'string')
}

function parseScope(value: unknown): SiteScope | undefined {
  if (value === 'host' || value === 'domain' || value === 'prefix' || value === 'any') return value
  const ranges = typeof value === 'string' ? value.split(',') : value
  return isTexts(ranges) && ranges.length > 0 && ranges.every((range) => parseRange(range) !== undefined)
    ? { ranges }
    : undefined
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
  depth: wholeOption<number | undefined>(undefined, 0, 1000),
  maxPages: wholeOption<number | undefined>(undefined, 1, 1_000_000_000),
  scope: {
    default: 'host',
    expects:
      'host, domain, prefix, any, or ranges of IP addresses separated by commas, as in 10.20.0.0/16,2001:db8::/32',
    parse: parseScope,
  },
  include: patternsOption,
  exclude: patternsOption,
  excludeSuffixes: {
    default: undefined,
    expects: 'a list of file name endings such as pdf (in a variable: separated by commas)',
    parse(value) {
      const list = typeof value === 'string' ? value.split(',').map((part) => part.trim().replace(/^\./, '')) : value
      return isTexts(list) && list.every((one) => /^[\w-]{1,11}$/.test(one)) ? list : undefined
    },
  },
  concurrency: wholeOption(16, 1, 256),
  delay: wholeOption<number | undefined>(undefined, 0, 3_600_000),
  userAgent: {
    default: undefined,
    expects:
      'one line of printable ASCII characters that begins with a name, as in MyBot/1.0 (+https://example.org/bot)',
    parse: (value) => (typeof value === 'string' && /^[\w.-]+[\x20-\x7e]{0,200}$/.test(value) ? value : undefined),
  },
  ordered: booleanOption(false),
  index: booleanOption(true),
  log: textOption<string | undefined>(undefined, 'the path of a file'),
  ...fetchOptions,
}
