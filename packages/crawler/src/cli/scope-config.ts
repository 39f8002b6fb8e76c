/** Settings of `spindle crawl` that are about addresses: which are in scope, what they are without their noise, how many. */
import { booleanOption, type OptionSpec, type OptionTable, SpindleError, wholeOption } from '@spindle/core'
import { parseRange } from '../scope/address-ranges.js'
import { MAX_SCANNED, scanSize } from '../scope/range-scan.js'
import type { SiteScope } from '../scope/scope-rules.js'
import { MAX_PATTERN, parseUrlPattern } from '../scope/url-pattern.js'
import type { SitemapMode } from '../sources/site-lists.js'
import type { SpiderOptions } from '../spider-options.js'

/** The settings; undefined where the default is that of the spider. */
export interface ScopeConfig {
  readonly scope: SiteScope
  /** Ports of the addresses of ranges. */
  readonly scan: readonly number[] | undefined
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly excludeSuffixes: readonly string[] | undefined
  readonly documents: boolean
  readonly sitemaps: SitemapMode
  readonly stripSessionIds: boolean
  readonly stripTracking: boolean
  readonly sortParameters: boolean
  readonly removeQuery: boolean
  readonly removeParameters: readonly string[]
  readonly keepParameters: readonly string[]
  readonly urlsPerHost: number | undefined
  readonly urlsPerQuery: number | undefined
  readonly hostsPerSite: number | undefined
  readonly pagesPerHost: number | undefined
  readonly bytesPerHost: number | undefined
  readonly bytesPerSite: number | undefined
}

const MAX_COUNT = 1_000_000_000
const MAX_BYTES = 2 ** 50

/** Part of the table for `loadConfig`. */
export const scopeOptions: OptionTable<ScopeConfig> = {
  scope: {
    default: 'host',
    expects:
      'host, domain, prefix, any, or ranges of IP addresses separated by commas, as in 10.20.0.0/16,2001:db8::/32',
    parse: parseScope,
  },
  scan: {
    default: undefined,
    expects: 'ports, as in 80 or 80,8080',
    parse: (value) => {
      const ports = toList(typeof value === 'number' ? String(value) : value, /\s*,\s*/)?.map(Number)
      const areSound = ports?.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)
      return areSound === true && ports!.length > 0 ? [...new Set(ports)] : undefined
    },
  },
  include: patternsOption(),
  exclude: patternsOption(),
  excludeSuffixes: listOption<readonly string[] | undefined>(
    undefined,
    'a list of file name endings such as pdf',
    /^\.?[\w-]{1,11}$/,
    (suffix) => suffix.replace(/^\./, ''),
  ),
  documents: booleanOption(true),
  sitemaps: {
    default: 'robots',
    expects: 'robots (those that robots.txt names), all (/sitemap.xml as well) or off',
    parse: (value) => (value === 'robots' || value === 'all' || value === 'off' ? value : undefined),
  },
  stripSessionIds: booleanOption(true),
  stripTracking: booleanOption(true),
  sortParameters: booleanOption(true),
  removeQuery: booleanOption(false),
  removeParameters: listOption<readonly string[]>(
    [],
    'a list of names of parameters, * is anything',
    /^[^&=?#]{1,100}$/,
  ),
  keepParameters: listOption<readonly string[]>([], 'a list of names of parameters, * is anything', /^[^&=?#]{1,100}$/),
  urlsPerHost: wholeOption<number | undefined>(undefined, 1, MAX_COUNT),
  urlsPerQuery: wholeOption<number | undefined>(undefined, 1, MAX_COUNT),
  hostsPerSite: wholeOption<number | undefined>(undefined, 1, MAX_COUNT),
  pagesPerHost: wholeOption<number | undefined>(undefined, 1, MAX_COUNT),
  bytesPerHost: wholeOption<number | undefined>(undefined, 1, MAX_BYTES),
  bytesPerSite: wholeOption<number | undefined>(undefined, 1, MAX_BYTES),
}

/** What the settings mean for a spider. */
export function toScopeSettings(
  config: ScopeConfig,
): Pick<
  SpiderOptions,
  'site' | 'scan' | 'include' | 'exclude' | 'excludeSuffixes' | 'documents' | 'sitemaps' | 'normalize' | 'limits'
> {
  const { include, exclude, excludeSuffixes, documents, sitemaps, sortParameters, removeQuery } = config
  const { urlsPerHost, urlsPerQuery, hostsPerSite, pagesPerHost, bytesPerHost, bytesPerSite } = config
  return {
    site: config.scope,
    ...toScan(config),
    include,
    exclude,
    ...(excludeSuffixes === undefined ? {} : { excludeSuffixes }),
    documents,
    sitemaps,
    normalize: {
      sessionIds: config.stripSessionIds,
      trackingParameters: config.stripTracking,
      sortParameters,
      removeQuery,
      removeParameters: config.removeParameters,
      keepParameters: config.keepParameters,
    },
    limits: { urlsPerHost, urlsPerQuery, hostsPerSite, pagesPerHost, bytesPerHost, bytesPerSite },
  }
}

/** @throws SpindleError `CONFIG_INVALID` where there is nothing to scan, or too much */
function toScan({ scope, scan: ports }: ScopeConfig): Pick<SpiderOptions, 'scan'> {
  if (ports === undefined) return {}
  if (typeof scope !== 'object') {
    throw new SpindleError(
      'CONFIG_INVALID',
      '--scan asks every address of ranges: give them, as in --scope 10.20.0.0/24.',
    )
  }
  const scan = { ranges: scope.ranges, ports }
  const size = scanSize(scan)
  if (size <= MAX_SCANNED) return { scan }
  throw new SpindleError(
    'CONFIG_INVALID',
    `--scan would ask ${size} addresses, and at most ${MAX_SCANNED} are allowed: give smaller ranges or fewer ports.`,
  )
}

/** A list of patterns, each of which can be read. */
function patternsOption(): OptionSpec<readonly string[]> {
  return {
    default: [],
    expects: `a list of globs or /regular expressions/ for addresses, each at most ${MAX_PATTERN} characters (in a variable: separated by blanks)`,
    parse(value) {
      const list = toList(value, /\s+/)
      return list?.every((text) => faultOf(text) === undefined) === true ? list : undefined
    },
    explain(value) {
      for (const text of toList(value, /\s+/) ?? []) {
        const fault = faultOf(text)
        if (fault !== undefined) return `"${text.slice(0, 80)}" is no pattern: ${fault}`
      }
      return undefined
    },
  }
}

/** What is wrong with a pattern. */
function faultOf(text: string): string | undefined {
  try {
    parseUrlPattern(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function listOption<T extends readonly string[] | undefined>(
  fallback: T,
  expects: string,
  pattern: RegExp,
  clean = (text: string): string => text,
): OptionSpec<T | readonly string[]> {
  return {
    default: fallback,
    expects: `${expects} (in a variable: separated by commas)`,
    parse(value) {
      const list = toList(value, /\s*,\s*/)
      return list?.every((text) => pattern.test(text)) === true ? list.map(clean) : undefined
    },
  }
}

function toList(value: unknown, separator: RegExp): string[] | undefined {
  const list = typeof value === 'string' ? value.split(separator).filter((part) => part !== '') : value
  return Array.isArray(list) && list.every((part) => typeof part === 'string') ? (list as string[]) : undefined
}

function parseScope(value: unknown): SiteScope | undefined {
  if (value === 'host' || value === 'domain' || value === 'prefix' || value === 'any') return value
  const ranges = toList(value, /,/)
  return ranges !== undefined && ranges.length > 0 && ranges.every((range) => parseRange(range) !== undefined)
    ? { ranges }
    : undefined
}
