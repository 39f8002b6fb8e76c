/** Settings of the search server: one table, for the configuration file, `SPINDLE_…` variables and flags alike. */
import type { OptionSpec, OptionTable } from '@spindle/core'

/** Settings of the search server. */
export interface ServerConfig {
  /** The data folder. */
  readonly data: string
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 is any free one. */
  readonly port: number
  /** Host names that requests may carry; none: any, or only loopback names where the server listens on loopback. */
  readonly allowedHosts: readonly string[]
  /** Milliseconds that one search may take. */
  readonly searchTimeout: number
}

function text(fallback: string, expects: string): OptionSpec<string> {
  return { default: fallback, expects, parse: (v) => (typeof v === 'string' && v !== '' ? v : undefined) }
}

function whole(fallback: number, min: number, max: number): OptionSpec<number> {
  return {
    default: fallback,
    expects: `a whole number from ${min} to ${max}`,
    parse(value) {
      const n = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      return typeof n === 'number' && Number.isInteger(n) && n >= min && n <= max ? n : undefined
    },
  }
}

/** The table for `loadConfig`. */
export const serverOptions: OptionTable<ServerConfig> = {
  data: text('data', 'the path of a folder'),
  host: text('127.0.0.1', 'a host name or IP address'),
  port: whole(8080, 0, 65_535),
  allowedHosts: {
    default: [],
    expects: 'a list of host names (in a variable: separated by commas)',
    parse(value) {
      const list = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value
      if (!Array.isArray(list) || !list.every((name) => typeof name === 'string' && name !== '')) return undefined
      return list.map((name: string) => name.toLowerCase())
    },
  },
  searchTimeout: whole(2000, 10, 60_000),
}
