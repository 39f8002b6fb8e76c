/** Settings of `spindle crawl` that are about fetching: proxies, certificates, cookies, bandwidth, single sites. */
import { booleanOption, type OptionTable, textOption } from '@spindle/core'
import { parseRate } from '../fetch/bandwidth.js'
import { ProxyRules } from '../fetch/proxy.js'
import { parseAuthorities, parseSites, type Sites } from '../fetch/site-settings.js'
import type { SpiderFetchOptions } from '../spider-options.js'

/** The settings; undefined where a default depends on other things. */
export interface FetchConfig {
  /** Bytes a second. */
  readonly bandwidth: number | undefined
  readonly cookies: boolean
  readonly proxy: string | undefined
  readonly noProxy: string | undefined
  /** Certificate authorities, PEM. */
  readonly ca: string | undefined
  readonly sites: Sites | undefined
}

/** Part of the table for `loadConfig`. */
export const fetchOptions: OptionTable<FetchConfig> = {
  bandwidth: {
    default: undefined,
    expects: 'bytes a second, as in 500000, 500k or 2M',
    parse: (value) => (typeof value === 'string' || typeof value === 'number' ? parseRate(String(value)) : undefined),
  },
  cookies: booleanOption(true),
  proxy: textOption<string | undefined>(undefined, 'the address of a proxy as in http://example.org:3128, or none'),
  noProxy: textOption<string | undefined>(undefined, 'names and networks separated by commas'),
  ca: {
    default: undefined,
    expects: 'the path of a file of certificate authorities (PEM)',
    parse: (value) => (typeof value === 'string' ? parseAuthorities(value) : undefined),
    explain: (value) => explained((fail) => typeof value === 'string' && parseAuthorities(value, fail)),
  },
  sites: {
    default: undefined,
    expects: 'an object of settings by address, as in { "https://intranet.example/": { … } }',
    parse: (value) => parseSites(readJson(value), process.env),
    explain: (value) => explained((fail) => parseSites(readJson(value), process.env, fail)),
  },
}

/** @throws SpindleError `CONFIG_INVALID` for something that is no proxy */
export function toFetchOptions({ bandwidth, cookies, proxy, noProxy, ca, sites }: FetchConfig): SpiderFetchOptions {
  return {
    bandwidth,
    cookies,
    proxy: ProxyRules.from({ proxy, noProxy, env: process.env }),
    ca,
    ...(sites === undefined ? {} : { sites }),
  }
}

/** Origins whose certificates are not checked. */
export function insecureOrigins(sites: Sites = new Map()): string[] {
  return [...sites].filter(([, { insecure }]) => insecure === true).map(([origin]) => origin)
}

function explained(check: (fail: (problem: string) => void) => unknown): string | undefined {
  let problem: string | undefined
  check((found) => {
    problem = found
  })
  return problem
}

/** A variable holds the object as JSON. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
