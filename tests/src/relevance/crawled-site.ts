/** A documentation site as its searcher meets it: crawled by the product's command, asked through what answers the search page. */
import { join } from 'node:path'
import { nullLogger } from '@spindle/core'
import { type Document, IndexSearcher, MatchAllQuery } from '@spindle/index'
import { LocalIndexBackend, type SearchResponse } from '@spindle/server'
import type { Test } from 'tap'
import { serveSite } from '../support/site-server.js'
import { spindle } from '../support/spindle-process.js'

/** A crawled site. */
export interface CrawledSite {
  /** Every page that can be found. */
  readonly documents: readonly Document[]
  search(query: string, size?: number): Promise<SearchResponse>
}

/** Serves a folder, crawls it from a page and opens its index; all of it goes when the test ends. */
export async function crawlSite(t: Test, name: string, folder: string, start: string): Promise<CrawledSite> {
  const site = await serveSite(folder)
  const data = join(t.testdir(), name)
  const run = await spindle('crawl', `${site.url}${start}`, '--delay', '0', '--json', '--data', data)
  await site.close()
  t.equal(run.code, 0, run.stderr)
  const path = join(data, 'index')
  const backend = await LocalIndexBackend.open(path, { logger: nullLogger, searchTimeout: 10_000, cache: false })
  t.teardown(() => backend.close())
  return {
    documents: await allDocuments(path),
    search: (query, size = 10) =>
      backend.search({ query, page: 1, size, filters: { site: [], type: [], lang: [] }, leniency: 'all' }),
  }
}

async function allDocuments(path: string): Promise<Document[]> {
  const searcher = await IndexSearcher.open(path)
  const hits = await searcher.search(new MatchAllQuery())
  const documents: Document[] = []
  for await (const hit of hits) documents.push(hit.document)
  await searcher.close()
  return documents
}
