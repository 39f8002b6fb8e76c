/** The data folder that a command works on, by flag, environment or configuration file. */
import { type IndexConfig, indexOptions, loadConfig } from '@spindle/core'
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

/** How texts become an index. @throws SpindleError `CONFIG_INVALID` */
export function loadIndexConfig({ config: file }: Pick<DataFlags, 'config'>): Promise<IndexConfig> {
  return loadConfig(indexOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    section: 'index',
  })
}
