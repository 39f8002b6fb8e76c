/** Flags that the commands share, and the settings that they amount to. */
import { indexOptions, loadConfig } from '@spindle/core'
import { type ServerConfig, searchOptions, serverOptions } from '../config.js'

/** Flags of every command that has a server; undefined ones are not given. */
export interface ServeFlags {
  readonly data?: string
  readonly host?: string
  readonly port?: string
  readonly config?: string
}

/** The settings that flags, environment and configuration file amount to. */
export async function serverConfig({ config, ...flags }: ServeFlags): Promise<ServerConfig> {
  const source = { ...(config === undefined ? {} : { file: config }), env: process.env, flags }
  const search = await loadConfig(searchOptions, { ...source, section: 'search' })
  const index = await loadConfig(indexOptions, { ...source, section: 'index' })
  return { ...(await loadConfig(serverOptions, { ...source, section: 'server' })), search, index }
}
