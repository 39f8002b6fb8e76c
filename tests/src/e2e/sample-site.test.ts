/** The whole line through the product's own commands: crawl the sample site, search it in the terminal and over HTTP. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serveSampleSite } from '@spindle/crawler'
import t, { type Test } from 'tap'
import { SpindleProcess, spindle } from '../support/spindle-process.js'

/** Counts promised in data/README.md. */
const COMPLETE = 96
/** Four addresses with a query bring the pages that are there without one. */
const DUPLICATES = 4
const INDEXED = 91

/** Query → the page that comes first, and the number of pages found where data/README.md says "only". */
const FIRST: [query: string, page: string, total?: number][] = [
  ['上海', 'news/2025-10-exchange.html', 1],
  ['海上', 'news/2025-11-sailing.html', 1],
  ['"lamp oil"', 'history/timeline.html', 1],
  ['"oil lamp"', 'research/groups/textile-heritage.html', 1],
  ['囍', 'notices/2025-papercut.html', 1],
  ['停水通知', 'notices/2025-water.html'],
  ['교환학생', 'notices/2025-korean-welcome.html', 1],
  ['中秋音樂會', 'notices/2025-mid-autumn.html'],
  ['中秋音乐会', 'notices/2025-mid-autumn.html'],
  ['芒种', 'notices/2026-calendar.html', 1],
  ['倒排索引', 'courses/cs305.html'],
  ['"倒排索引"', 'courses/cs305.html', 1],
  ['开放时间', 'library/hours.html'],
  ['借阅规则', 'library/borrowing.html'],
  ['night heron', 'courses/bi240.html'],
  ['inter-library loan', 'library/interlibrary-loan.html'],
  ['C++20', 'it/cluster.html'],
  ['read_water_level', 'research/groups/river-sensing.html', 1],
  ['telescope', 'news/2026-02-telescope.html'],
  ['title:telescope', 'news/2026-02-telescope.html', 1],
  ['机不停梭', 'history/motto.html'],
  ['机不停梭 -title:校訓', 'history/founding.html'],
]

/** Words of pages that must never be reached. */
const UNREACHABLE = ['"榫卯"', '"蒲公英"', 'quillwort', '"夜里收伞"']

interface Answer {
  readonly total: number
  readonly hits: {
    readonly url: string
    readonly title: string
    readonly titleHtml: string
    readonly snippetHtml: string
    readonly score: number
  }[]
}

const path = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : (new URL(url).pathname + new URL(url).search).slice(1)

let data = ''
t.before(async () => {
  data = join(t.testdir(), 'data')
})

t.test('a crawl of the sample site ends with every page that may be reached, and nothing else', async (t) => {
  const run = await spindle('crawl', '--json', '--data', data)
  t.equal(run.code, 0, run.stderr)
  const events = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const done = events.at(-1)
  t.match(done, {
    type: 'done',
    reason: 'finished',
    waiting: 0,
    complete: { fetched: INDEXED, duplicate: DUPLICATES, noindex: COMPLETE - INDEXED - DUPLICATES },
    error: { 'http-404': 1 },
    skipped: { nofollow: 3, robots: 2, 'other-scheme': 3, 'off-host': 1 },
  })
  const fetched = events.filter((event) => event.type === 'fetched').map((event) => path(event.url))
  t.equal(new Set(fetched).size, COMPLETE, 'each page once')
  for (const page of ['life/guest-book.html', 'life/board-poem.html', 'private/minutes.html']) {
    t.notOk(fetched.includes(page), `${page} is not reached`)
  }
  t.ok(fetched.includes('private/open-day.html'), 'a longer Allow wins')
  t.ok(fetched.includes(encodeURI('life/社团招新.html')), 'a Chinese file name')
  t.strictSame(
    events.filter((event) => event.type === 'error').map((event) => [path(event.url), event.reason]),
    [['news/2025-lost-page.html', 'http-404']],
  )
})

t.test('in the terminal, the right page comes first', async (t) => {
  for (const [query, page, total] of FIRST.slice(0, 3)) {
    const { code, stdout } = await spindle('search', query, '--json', '--data', data)
    const answer = JSON.parse(stdout) as Answer
    t.equal(code, 0)
    t.equal(path(answer.hits[0]?.url), page, query)
    t.equal(answer.total, total, query)
  }
  const shown = await spindle('search', '上海', '--data', data)
  t.match(shown.stdout, /2025-10-exchange\.html/)
  t.match(shown.stdout, /1 result/)
})

async function server(t: Test): Promise<string> {
  const serve = new SpindleProcess(['serve', '--port', '0', '--data', data])
  t.teardown(() => serve.stop())
  const [, address] = await serve.waitFor(/(http:\/\/(?:localhost|127\.0\.0\.1):\d+)\//)
  return address!
}

t.test('over HTTP, every query of the sample site finds its page', async (t) => {
  const address = await server(t)
  const ask = async (query: string): Promise<Answer> => {
    const response = await fetch(`${address}/api/v1/search?q=${encodeURIComponent(query)}`)
    t.equal(response.status, 200, query)
    return (await response.json()) as Answer
  }
  for (const [query, page, total] of FIRST) {
    const answer = await ask(query)
    t.equal(path(answer.hits[0]?.url), page, query)
    t.match(`${answer.hits[0]?.titleHtml} ${answer.hits[0]?.snippetHtml}`, /<em>/, `${query}: the words are marked`)
    if (total !== undefined) t.equal(answer.total, total, `${query}: nowhere else`)
  }
  for (const query of UNREACHABLE) t.equal((await ask(query)).total, 0, query)

  const korean = (await ask('교환학생')).hits[0]!
  t.match(korean.title + korean.snippetHtml, /[가-힣]{2}/, 'EUC-KR is readable')
  const gbk = (await ask('囍')).hits[0]!
  t.match(gbk.snippetHtml, /囍/, 'GBK is readable')
  t.notMatch(gbk.snippetHtml, /\uFFFD/)

  const page = await fetch(`${address}/search?q=${encodeURIComponent('上海')}`)
  const html = await page.text()
  t.match(html, /2025-10-exchange\.html/)
  t.match(html, /<em>上海<\/em>/)
  const health = await fetch(`${address}/readyz`)
  t.equal(health.status, 200)
  await health.body?.cancel()
})

t.test('the pages with a canonical link elsewhere are in the index, the one with noindex is not', async (t) => {
  const address = await server(t)
  const urls = new Set<string>()
  for (let page = 1; page <= 4; page++) {
    const response = await fetch(`${address}/api/v1/search?q=type:html&size=50&page=${page}`)
    const answer = (await response.json()) as Answer
    t.equal(answer.total, INDEXED)
    for (const hit of answer.hits) urls.add(path(hit.url)!)
  }
  t.equal(urls.size, INDEXED, 'each file once')
  t.notOk(
    [...urls].some((url) => url.includes('?')),
    'under its own address',
  )
  t.ok(urls.has('history/timeline.html'), 'canonical on another host')
  t.ok(urls.has('history/motto.html'), 'canonical with a file address')
  t.notOk(urls.has('news/archive.html'), 'noindex')
})

t.test('a second crawl fetches nothing and says so', async (t) => {
  const before = await stat(join(data, 'pages', 'pages.log'))
  const run = await spindle('crawl', '--json', '--data', data)
  t.equal(run.code, 0)
  const events = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(events.filter((event) => event.type === 'fetched').length, 0)
  t.match(run.stderr, /--fresh/, 'and tells how to crawl again')
  t.equal((await stat(join(data, 'pages', 'pages.log'))).size, before.size)
  t.ok((await readdir(join(data, 'index'))).some((name) => name.startsWith('segments_')))
})

t.test('a site of one’s own takes the place of the sample site, and is not lost to --fresh', async (t) => {
  const own = await serveSampleSite({
    folder: t.testdir({ 'index.html': '<title>Own site</title><p>telescope garden' }),
  })
  t.teardown(() => own.close())
  const run = await spindle('crawl', own.startUrl, '--json', '--data', data)
  t.equal(run.code, 0, run.stderr)
  t.match(run.stderr, /sample site .* make room/)
  const { stdout } = await spindle('search', 'telescope', '--json', '--data', data)
  t.strictSame(
    (JSON.parse(stdout) as Answer).hits.map((hit) => hit.url),
    [own.startUrl],
    'no page of the sample site is left',
  )
  const fresh = await spindle('crawl', '--fresh', '--data', data)
  t.equal(fresh.code, 2)
  t.match(fresh.stderr, /^spindle crawl: .*give the start addresses.*\n$/)
  const seeds = join(t.testdir({ 'seeds.txt': '# nothing yet\n' }), 'seeds.txt')
  const none = await spindle('crawl', '--seeds', seeds, '--data', data)
  t.equal(none.code, 2)
  t.match(none.stderr, /holds no start address/)
})
