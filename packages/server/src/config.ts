/** Settings of the search server: a table a section, for the configuration file, `SPINDLE_…` variables and flags alike. */
import { booleanOption, type IndexConfig, type OptionTable, textOption, wholeOption } from '@spindle/core'
import { rankingOption } from './search/ranking.js'
import type { SearchConfig } from './search/search-settings.js'

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
  /** Whether answers are kept in memory for whoever asks the same again, until the next commit. */
  readonly cache: boolean
  readonly search: SearchConfig
  /** Section `index`. */
  readonly index: Pick<IndexConfig, 'dictionary'>
}

/** The table of the section `search`. */
export const searchOptions: OptionTable<SearchConfig> = {
  synonyms: textOption(undefined, 'the path of a file'),
  rules: textOption(undefined, 'the path of a file'),
  ranking: rankingOption,
}

/** The table of the section `server`. */
export const serverOptions: OptionTable<Omit<ServerConfig, 'search' | 'index'>> = {
  data: textOption('data', 'the path of a folder'),
  host: textOption('127.0.0.1', 'a host name or IP address'),
  port: wholeOption(8080, 0, 65_535),
  allowedHosts: {
    default: [],
    expects: 'a list of host names (in a variable: separated by commas)',
    parse(value) {
      const list = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value
      if (!Array.isArray(list) || !list.every((name) => typeof name === 'string' && name !== '')) return undefined
      return list.map((name: string) => name.toLowerCase())
    },
  },
  searchTimeout: wholeOption(2000, 10, 60_000),
  cache: booleanOption(true),
}
