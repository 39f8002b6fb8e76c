/**
 * Whole documentation sites of Debian packages: every reachable page is found, and Chinese, Korean and English queries
 * find what they should. `.ci/run` unpacks the packages; elsewhere the tests are skipped by name.
 */
import { join } from 'node:path'
import { IndexReader, IndexSearcher, QueryParser, SpellChecker } from '@spindle/index'
import t, { type Test } from 'tap'
import { CHINESE_MISSPELLINGS, ENGLISH_MISSPELLINGS, type Misspelling } from '../support/misspellings.js'
import { needs, siteFolder } from '../support/needs.js'
import { serveSite } from '../support/site-server.js'
import { spindle } from '../support/spindle-process.js'

interface Crawled {
  readonly data: string
  readonly urls: readonly string[]
}

/** Serves a folder and crawls it with the product's command. */
async function crawl(t: Test, folder: string, start: string): Promise<Crawled> {
  const site = await serveSite(folder)
  t.teardown(() => site.close())
  const data = join(t.testdir(), 'data')
  const run = await spindle('crawl', `${site.url}${start}`, '--delay', '0', '--json', '--data', data)
  t.equal(run.code, 0, run.stderr)
  const events = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(events.at(-1), { type: 'done', reason: 'finished', waiting: 0 })
  const urls = events
    .filter((event) => event.type === 'fetched' && event.disposition === 'fetched')
    .map((event) => new URL(event.url).pathname.slice(1))
  t.equal(new Set(urls).size, urls.length, 'no page is fetched twice')
  return { data, urls }
}

/** Title and address of the first hits. */
async function search(data: string, text: string): Promise<{ total: number; titles: string[]; bodies: string[] }> {
  const searcher = await IndexSearcher.open(join(data, 'index'))
  try {
    const { analyzers } = searcher.reader
    const query = QueryParser.parse(text, { fields: { title: 2, body: 1 } }, analyzers.default, { analyzers })
    const hits = await searcher.search(query)
    const first = await hits.slice(0, 5)
    return {
      total: hits.length,
      titles: first.map((hit) => hit.document.get('title') ?? ''),
      bodies: first.map((hit) => hit.document.get('body') ?? ''),
    }
  } finally {
    await searcher.close()
  }
}

/** How many of the misspelled queries have the right correction before all others. */
async function corrected(data: string, cases: readonly Misspelling[]): Promise<number> {
  const reader = await IndexReader.open(join(data, 'index'))
  const checker = new SpellChecker(reader, { fields: ['body', 'title'], analyzer: reader.analyzers.default })
  let right = 0
  for (const [typed, meant] of cases) {
    if ((await checker.corrections(typed))[0]?.text === meant) right++
  }
  await reader.close()
  return right
}

const libreOffice = siteFolder('libreoffice-help-zh-cn', 'usr/share/libreoffice/help')
t.test(
  'LibreOffice help in Chinese: a base and a refresh in noscript on every page',
  needs('the package libreoffice-help-zh-cn', libreOffice !== undefined),
  async (t) => {
    const { data, urls } = await crawl(t, libreOffice!, 'zh-CN/text/swriter/main0000.html')
    t.equal(urls.length, 2252)
    const reader = await IndexReader.open(join(data, 'index'))
    t.equal(reader.numDocs, 2252)
    await reader.close()
    for (const [query, title] of [
      ['页眉', /页眉/],
      ['打印机', /打印机/],
      ['条件格式', /条件格式/],
      ['title:打印', /打印/],
    ] as const) {
      const { titles } = await search(data, query)
      for (const found of titles.slice(0, 2)) t.match(found, title, query)
    }
    const one = await search(data, '表')
    t.ok(one.total > 1000, `one character finds ${one.total} pages`)
    for (const body of one.bodies) t.match(body, /表/)
    const phrase = await search(data, '"page style"')
    t.ok(phrase.total > 0)
    for (const body of phrase.bodies) t.match(body, /page\s+style/i)
    const all = await search(data, '打印')
    const not = await search(data, '打印 -预览')
    t.ok(not.total > 0 && not.total < all.total, `${not.total} of ${all.total}`)
    for (const body of not.bodies) t.notMatch(body, /预览/)
    const long = '页眉和页脚的内容可以在页面样式里设置打印机纸张来源表格条件格式'.repeat(40).slice(0, 1000)
    t.ok((await search(data, long)).total > 0, 'a query of 1,000 characters without punctuation answers')
    const right = await corrected(data, CHINESE_MISSPELLINGS)
    t.ok(right >= 18, `${right} of ${CHINESE_MISSPELLINGS.length} misspelled queries are corrected`)
  },
)

const apache = siteFolder('apache2-doc', 'usr/share/doc/apache2-doc')
t.test(
  'Apache documentation: nine languages, EUC-KR and Latin-1 by meta only',
  needs('the package apache2-doc', apache !== undefined),
  async (t) => {
    const { data, urls } = await crawl(t, apache!, 'manual/index.html')
    // Of /howto/ and /howto/index.html, which are the same page, one is stored.
    t.equal(urls.length, 2657)
    const korean = await search(data, '가상호스트')
    t.ok(korean.total > 0)
    for (const body of korean.bodies) {
      t.match(body, /가상호스트/, 'EUC-KR is readable')
      t.notMatch(body, /\uFFFD/)
    }
    const french = await search(data, '"hôtes virtuels"')
    t.ok(french.total > 0, 'Latin-1 is readable')
    const english = await search(data, '"virtual host" +title:examples')
    t.ok(english.total > 0)
    for (const title of english.titles) t.match(title, /example/i)
    const right = await corrected(data, ENGLISH_MISSPELLINGS)
    t.ok(right >= 38, `${right} of ${ENGLISH_MISSPELLINGS.length} misspelled queries are corrected`)
  },
)
