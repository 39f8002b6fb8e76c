/** Settings of `spindle crawl`: one table for the configuration file, `SPINDLE_…` variables and flags. */
import { booleanOption, type OptionTable, textOption, wholeOption } from '@spindle/core'

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
    expects: 'host (the hosts of the start addresses) or any (every host)',
    parse: (value) => (value === 'host' || value === 'any' ? value : undefined),
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
}
