/** `spindle keywords`: what pages of the index are about, in a few words each. */
import { DataDir, loadConfig, type OptionTable, PageField, SpindleError, wholeOption } from '@spindle/core'
import {
  CHINESE_FUNCTION_WORDS,
  ENGLISH_FUNCTION_WORDS,
  extractKeywords,
  IndexSearcher,
  MatchAllQuery,
  Term,
  TermQuery,
} from '@spindle/index'
import { crawlOptions } from './crawl-config.js'

/** What the command line says. */
export interface KeywordsFlags {
  readonly config?: string
  readonly data?: string
  readonly limit?: string
  readonly json?: boolean
}

interface KeywordsSettings {
  readonly limit: number
}

const options: OptionTable<KeywordsSettings> = { limit: wholeOption(10, 1, 1000) }
/** A word of the title says more of the page. */
const FIELDS = { [PageField.title]: 3, [PageField.body]: 1 }
const STOP_WORDS = new Set([...ENGLISH_FUNCTION_WORDS, ...CHINESE_FUNCTION_WORDS])

/**
 * @param urls addresses of pages; none: all pages
 * @returns the exit code
 */
export async function keywordsCommand(urls: readonly string[], flags: KeywordsFlags): Promise<number> {
  const { config: file, data: folder, json = false, ...rest } = flags
  const { data } = await loadConfig(crawlOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    flags: { data: folder },
    section: 'crawl',
  })
  const { limit } = await loadConfig<KeywordsSettings>(options, { env: {}, flags: rest })
  const searcher = await IndexSearcher.open((await new DataDir(data).check()).index)
  try {
    const queries =
      urls.length === 0 ? [new MatchAllQuery()] : urls.map((url) => new TermQuery(new Term(PageField.url, url)))
    for (const [i, query] of queries.entries()) {
      let found = false
      for await (const { docId, document } of await searcher.search(query)) {
        found = true
        const keywords = await extractKeywords(searcher.reader, docId, { fields: FIELDS, limit, stopWords: STOP_WORDS })
        const url = document.get(PageField.url)
        const words = keywords.map(({ word }) => word)
        process.stdout.write(json ? `${JSON.stringify({ url, keywords })}\n` : `${url}\t${words.join(', ')}\n`)
      }
      if (!found && urls.length > 0) {
        throw new SpindleError(
          'NOT_FOUND',
          `There is no page ${urls[i]} in the index of ${data}: name one that a search finds.`,
        )
      }
    }
    return 0
  } finally {
    await searcher.close()
  }
}
