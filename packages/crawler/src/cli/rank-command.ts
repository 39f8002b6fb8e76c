/** `spindle rank`: the pages of a crawl that are linked best, or link best; hubs are good start addresses. */
import { DataDir, loadConfig, type OptionTable, SpindleError, wholeOption } from '@spindle/core'
import { Crawl } from '../crawl.js'
import { bestPages, RANKINGS, type Ranking } from '../link-graph/best-pages.js'
import { crawlOptions } from './crawl-config.js'
import { toScopeSettings } from './scope-config.js'

/** What the command line says. */
export interface RankFlags {
  readonly config?: string
  readonly data?: string
  readonly by?: string
  readonly limit?: string
  readonly compute?: boolean
  readonly urls?: boolean
  readonly json?: boolean
}

interface RankPage {
  readonly by: Ranking
  readonly limit: number
}

const NAMES = Object.keys(RANKINGS) as Ranking[]
const pageOptions: OptionTable<RankPage> = {
  by: { default: 'pagerank', expects: NAMES.join(', '), parse: (value) => NAMES.find((name) => name === value) },
  limit: wholeOption(20, 1, 1_000_000),
}

/** @returns the exit code */
export async function rankCommand(flags: RankFlags): Promise<number> {
  const { config: file, data: folder, compute = false, urls = false, json = false, ...rest } = flags
  const config = await loadConfig(crawlOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    flags: { data: folder },
    section: 'crawl',
  })
  const { by, limit } = await loadConfig<RankPage>(pageOptions, { env: {}, flags: rest })
  const place = await new DataDir(config.data).check()
  if (compute) await computeRanks(config.data, toScopeSettings(config).normalize)
  const pages = await bestPages(place.index, by, limit)
  if (pages.length === 0) {
    throw new SpindleError(
      'INDEX_NOT_READY',
      `No page in ${config.data} has been ranked by its links: let a crawl come to its end, or give --compute.`,
    )
  }
  for (const page of pages) {
    const line = json ? JSON.stringify(page) : urls ? page.url : `${page.value.toFixed(3).padStart(9)}  ${page.url}`
    process.stdout.write(`${line}\n`)
  }
  return 0
}

async function computeRanks(data: string, normalize: Parameters<Crawl['applyLinks']>[0]): Promise<void> {
  const crawl = await Crawl.open({ data })
  try {
    const report = await crawl.applyLinks(normalize, true)
    if (report === undefined) return
    const { pages, links, renewed } = report
    process.stderr.write(
      `Ranked ${pages} pages by ${links} links; ${renewed} of them are called otherwise than before.\n`,
    )
  } finally {
    await crawl.close()
  }
}
