/** A real index of a few pages in a temporary folder, and an app over it. For tests only. */
import { join } from 'node:path'
import { encodeSections, nullLogger, PageField, type PageSection } from '@spindle/core'
import { pageCombinedFields } from '@spindle/crawler'
import { ChineseAnalyzer, Document, Field, IndexWriter, Term } from '@spindle/index'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, buildApp } from '../app.js'
import type { ServerConfig } from '../config.js'
import { LocalIndexBackend } from '../search/local-index-backend.js'
import { DEFAULT_RANKING, type Ranking } from '../search/ranking.js'

/** A page to index. */
export interface FixturePage {
  readonly url: string
  readonly title: string
  readonly body: string
  readonly lang?: string
  readonly type?: string
  readonly date?: string
  readonly sections?: readonly PageSection[]
}

/** Settings of a server under test. */
export const TEST_CONFIG: ServerConfig = {
  data: 'data',
  host: '127.0.0.1',
  port: 0,
  allowedHosts: [],
  searchTimeout: 2000,
  cache: true,
  search: { synonyms: undefined, ranking: DEFAULT_RANKING },
  index: { dictionary: undefined },
}

/** Adds pages to the index of a data folder in one commit; a page whose address is there replaces the old one. */
export async function indexPages(data: string, pages: readonly FixturePage[]): Promise<void> {
  const writer = await IndexWriter.open(join(data, 'index'), {
    analyzer: new ChineseAnalyzer(),
    combinedFields: pageCombinedFields(),
  })
  try {
    for (const page of pages) {
      const document = new Document()
      document.add(Field.keyword(PageField.url, page.url))
      document.add(Field.text(PageField.title, page.title))
      document.add(Field.text(PageField.body, page.body))
      if (URL.canParse(page.url)) document.add(Field.keyword(PageField.site, new URL(page.url).host))
      document.add(Field.keyword(PageField.type, page.type ?? 'html'))
      if (page.lang !== undefined) document.add(Field.keyword(PageField.lang, page.lang))
      if (page.date !== undefined) document.add(Field.keyword(PageField.date, page.date))
      if (page.sections !== undefined) {
        document.add(Field.unIndexed(PageField.sections, encodeSections(page.sections)))
      }
      const moment = Date.parse(page.date ?? '')
      if (!Number.isNaN(moment)) document.add(Field.date(PageField.published, moment, { stored: false }))
      await writer.updateDocument(new Term(PageField.url, page.url), document)
    }
    await writer.commit()
  } finally {
    await writer.close()
  }
}

/** An app over the index of a data folder, looking for new commits often. */
export async function openApp(
  data: string,
  options: Partial<AppOptions> & {
    readonly expansionLimit?: number
    readonly synonyms?: string
    readonly rules?: string
    readonly ranking?: Ranking
  } = {},
): Promise<{ app: FastifyInstance; backend: LocalIndexBackend; close(): Promise<void> }> {
  const { expansionLimit, synonyms, rules, ranking, ...rest } = options
  const backend = await LocalIndexBackend.open(join(data, 'index'), {
    logger: rest.logger ?? nullLogger,
    synonyms,
    rules,
    ranking,
    searchTimeout: TEST_CONFIG.searchTimeout,
    interval: 20,
    ...(expansionLimit === undefined ? {} : { expansionLimit }),
  })
  const app = await buildApp({ backend, config: TEST_CONFIG, ...rest })
  return {
    app,
    backend,
    async close() {
      await app.close()
      await backend.close()
    },
  }
}

/** Waits until a condition holds; fails after some time. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 30_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
