/** The data folder that a command works on, by flag, environment or configuration file. */
import { DataDir, dictionaryPath, indexOptions, loadConfig } from '@spindle/core'
import type { CrawlPlace } from '../crawl.js'
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

/** How texts become an index. @param data the data folder. @throws SpindleError `CONFIG_INVALID` */
export async function loadIndexSettings(
  { config: file }: Pick<DataFlags, 'config'>,
  data: string,
): Promise<Required<Pick<CrawlPlace, 'stemming'>> & { readonly dictionary: string }> {
  const stemming = await loadConfig(indexOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    section: 'index',
  })
  return { stemming, dictionary: dictionaryPath(stemming, new DataDir(data)) }
}
