/** Pages that are stuffed with the words of a query do not come before honest ones, by the product's own index and ranking. */
import { join } from 'node:path'
import { nullLogger } from '@spindle/core'
import { LocalIndexSink } from '@spindle/crawler'
import t from 'tap'
import { SPAM_PATTERNS } from '../test-support/spam-patterns.js'
import { LocalIndexBackend } from './local-index-backend.js'
import { DEFAULT_RANKING, type Ranking } from './ranking.js'
import { searchRequest } from './search-request.js'

const PARSED = {
  kind: 'html',
  description: '',
  lang: '',
  charset: 'utf-8',
  charsetSource: 'utf8',
  baseUrl: '',
  canonical: undefined,
  robots: { index: true, follow: true },
  published: undefined,
  links: [],
  linksTruncated: false,
} as const

t.test('twenty patterns', async (t) => {
  const path = join(t.testdir(), 'index')
  const sink = await LocalIndexSink.open(path, { crawlId: 'spam' })
  for (const [i, { honest, spam }] of SPAM_PATTERNS.entries()) {
    for (const [kind, page] of Object.entries({ honest, spam })) {
      await sink.put({ url: `http://${kind}.example/${i}`, parsed: { ...PARSED, ...page } } as never)
    }
  }
  await sink.commit({ sequence: 1, offset: 0 })
  await sink.close()

  const honestFirst = async (ranking: Ranking): Promise<string[]> => {
    const backend = await LocalIndexBackend.open(path, { logger: nullLogger, searchTimeout: 20_000, ranking })
    const failed: string[] = []
    for (const [i, { name, query }] of SPAM_PATTERNS.entries()) {
      const [first] = await backend.rank(searchRequest({ q: query }, true).request, 10)
      if (first?.addresses[0] !== `http://honest.example/${i}`) failed.push(`${name} (${first?.addresses[0]})`)
    }
    await backend.close()
    return failed
  }
  const before = await honestFirst({ ...DEFAULT_RANKING, repetition: 0 })
  t.comment(`repetition does not count: ${before.length} of ${SPAM_PATTERNS.length} stuffed pages are first`)
  t.ok(before.length >= 10, 'the patterns do work where nothing is done against them')
  t.same(await honestFirst(DEFAULT_RANKING), [])
})
