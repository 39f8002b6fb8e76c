/** The data folder that a command works on, by flag, environment or configuration file. */
import { loadConfig } from '@spindle/core'
import { type CrawlConfig, crawlOptions } from './crawl-config.js'

/** Flags that every command has. */
export interface DataFlags {
  readonly config?: string
  readonly data?: string
}

/** The settings of the crawl in it. @throws SpindleError `CONFIG_INVALID` */
export function loadDataConfig({ config: file, data }: DataFlags): Promise<CrawlConfig> {
  return loadConfig(crawlOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    flags: { data },
    section: 'crawl',
  })
}
