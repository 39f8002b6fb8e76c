import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { PageNames } from '../search/page-names.js'
import { searchRequest } from '../search/search-request.js'
import { indexPages, TEST_CONFIG } from '../test-support/site-fixture.js'
import { main } from './main.js'
import { openBackend } from './open-backend.js'

const PAGES = [
  { url: 'https://a.example/silk.html', title: 'Silk', body: 'Silk is spun of the threads of moths.' },
  { url: 'https://a.example/tea.html', title: 'Tea', body: 'Tea grows on hills. It came by the silk road.' },
  {
    url: 'https://a.example/porcelain.html',
    title: 'Porcelain',
    body: 'Made of kaolin, and broken by silk merchants.',
  },
  { url: 'file:///records.jsonl#r%2F1', title: '宣纸', body: '宣纸产于泾县，用青檀皮制成。' },
]
const QUERIES = '1\tsilk\n2\t宣紙\n3\tchinaware\n4\tnobody judged this\n'
const QRELS =
  '1 0 /tea.html 1\n1 0 https://a.example/silk.html 2\n1 0 /porcelain.html 0\n2 0 r/1 1\n3 0 /porcelain.html 1\n'

async function prepare(t: Test): Promise<{ folder: string; files: string[] }> {
  const folder = t.testdir({ 'queries.tsv': QUERIES, 'qrels.trec': QRELS })
  await mkdir(join(folder, 'data', 'index'), { recursive: true })
  await indexPages(join(folder, 'data'), PAGES)
  const files = ['--queries', join(folder, 'queries.tsv'), '--qrels', join(folder, 'qrels.trec')]
  return { folder, files: [...files, '--data', join(folder, 'data')] }
}

/** Runs the command in this process. */
async function evaluate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' }
  const { stdout, stderr } = process
  const writes = [stdout.write, stderr.write]
  stdout.write = ((text: string) => {
    texts.out += text
    return true
  }) as typeof stdout.write
  stderr.write = ((text: string) => {
    texts.err += text
    return true
  }) as typeof stderr.write
  try {
    return { code: await main(['eval', ...args]), ...texts }
  } finally {
    stdout.write = writes[0]!
    stderr.write = writes[1]!
  }
}

t.test('pages by address, path or record id are measured, written as a run and held to gates', async (t) => {
  const { folder, files } = await prepare(t)
  const run = join(folder, 'run.txt')
  const { code, out, err } = await evaluate(...files, '--run', run, '--json', '--gate', 'mrr>=.6', '--gate', 'p@1>=.6')
  t.equal(code, 0, err)
  const report = JSON.parse(out)
  t.match(report, { queries: 4, relevant: 4, unseen: 1, passed: true })
  t.equal(report.means.mrr, 2 / 3, 'what nobody judged does not count, what was not found does')
  t.equal(report.means['p@1'], 2 / 3)
  t.match(
    report.byQuery.map(({ query, mrr }: { query: string; mrr: number }) => [query, mrr]),
    [
      ['1', 1],
      ['2', 1],
      ['3', 0],
    ],
  )
  t.ok(report.times.p50 > 0 && report.times.p50 <= report.times.p95)
  const lines = (await readFile(run, 'utf8')).trim().split('\n')
  const cells = lines.map((line) => line.split(' '))
  t.same(
    cells.map(([query, , , rank]) => `${query} ${rank}`),
    ['1 1', '1 2', '1 3', '2 1'],
  )
  t.match(lines[0], /^1 Q0 https:\/\/a\.example\/silk\.html 1 \d+\.\d+ spindle$/)
  t.equal(cells[3]![2], 'r/1')

  const failed = await evaluate(...files, '--gate', 'mrr>=.99')
  t.equal(failed.code, 1)
  t.equal(failed.err, 'spindle eval: mrr is 0.6667, which is below the gate of 0.99.\n')
  t.match(failed.out, /^4 queries, 3 of them with 4 relevant pages\nNot found, or not in the index: 1 of these pages\n/)
  t.match(failed.out, /^mrr {17} +0\.6667$/m)
})

t.test('two configurations, and a run of another engine', async (t) => {
  const { folder, files } = await prepare(t)
  await writeFile(join(folder, 'synonyms.txt'), 'chinaware, porcelain\n')
  const config = join(folder, 'with.json')
  const plain = join(folder, 'without.json')
  await writeFile(config, JSON.stringify({ search: { synonyms: join(folder, 'synonyms.txt') } }))
  await writeFile(plain, '{}')
  const { code, out, err } = await evaluate(
    ...files,
    '--config',
    config,
    '--baseline',
    plain,
    '--measures',
    'mrr',
    '--json',
  )
  t.equal(code, 0, err)
  const [comparison] = JSON.parse(out).comparisons
  t.match(comparison, { measure: 'mrr', after: 1, better: 1, worse: 0, equal: 2 })
  t.same(comparison.changes, [{ query: '3', before: 0, after: 1 }])

  const other = join(folder, 'other.run')
  await writeFile(other, '1 Q0 /porcelain.html 1 9 x\n1 Q0 /tea.html 2 8 x\n2 Q0 r/1 1 1 x\n')
  const table = await evaluate(...files, '--baseline', other, '--measures', 'mrr,ndcg@10', '--each')
  t.equal(table.code, 0, table.err)
  t.match(table.out, /^mrr +0\.6667 +0\.5000 +\+0\.1667 +1 +0 +2 /m)
  t.match(table.out, /^Queries that changed most in mrr:\n1 +1\.0000 +0\.5000 +\+0\.5000$/m)
  t.match(table.out, /^query +mrr +ndcg@10\n1 +1\.0000/m)
})

t.test('what is wrong is told with file and line', async (t) => {
  const { folder, files } = await prepare(t)
  const broken = join(folder, 'broken.trec')
  await writeFile(broken, '1 0 a 1\n1 0 b good\n')
  const faults: [string[], number, RegExp][] = [
    [[...files, '--qrels', broken], 2, /^Line 2 of .*broken\.trec is no judgement \("1 0 b good"\): write /],
    [[...files, '--queries', join(folder, 'none')], 2, /none cannot be read \(ENOENT/],
    [[...files, '--run', folder], 2, /^The run cannot be written to /],
    [[...files, '--measures', 'map,f1'], 2, /^"f1" is no measure: choose one of map, /],
    [[...files, '--gate', 'map>.3'], 2, /^"map>\.3" is no gate/],
    [[...files, '--depth', '0'], 2, /^--depth is "0": give a whole number from 1 to 10000/],
    [[...files, '--data', join(folder, 'nothing')], 1, /./],
    [files.slice(0, 2), 2, /^spindle eval: required option '--qrels <file>' not specified; see spindle eval --help/],
  ]
  for (const [args, code, message] of faults) {
    const found = await evaluate(...args)
    t.equal(found.code, code, found.err)
    t.match(found.err, message)
    t.equal(found.out, '')
  }
})

t.test('what is measured is what the search page shows, in its order', async (t) => {
  const { folder } = await prepare(t)
  await writeFile(join(folder, 'synonyms.txt'), 'chinaware, porcelain\n')
  const backend = await openBackend({
    data: join(folder, 'data'),
    searchTimeout: 10_000,
    cache: false,
    search: { ...TEST_CONFIG.search, synonyms: join(folder, 'synonyms.txt') },
    index: TEST_CONFIG.index,
  })
  t.teardown(() => backend.close())
  for (const text of ['silk', 'silk tea', 'chinaware', '"silk road"', '宣紙', 'site:a.example silk', 'nothing', '']) {
    const { request } = searchRequest({ q: text }, true)
    const { hits } = await backend.search(request)
    const ranked = await backend.rank(request, 10)
    t.same(
      ranked.map(({ addresses, score }) => [addresses[0], score]),
      hits.map(({ url, score }) => [url, score]),
      text,
    )
  }
})

t.test('names of pages', async (t) => {
  const names = new PageNames(
    new Map([
      [
        '1',
        new Map([
          ['/a', 1],
          ['http://x.example/b', 1],
          ['12', 1],
          ['100%', 1],
        ]),
      ],
    ]),
  )
  const ids = (...pages: string[][]) =>
    names.ranking(pages.map((addresses) => ({ addresses, score: 1 }))).map(({ id }) => id)
  t.same(ids(['http://x.example/a'], ['http://y.example/a']), ['/a', 'http://y.example/a'], 'a name is one page')
  t.same(ids(['http://x.example/c', 'http://x.example/b']), ['http://x.example/b'], 'by another address of the page')
  t.same(ids(['file:///r.csv#12'], ['file:///r.csv#13'], ['file:///r.csv#100%']), ['12', 'file:///r.csv#13', '100%'])
  t.same(ids(['http://x.example/a?x=1']), ['http://x.example/a?x=1'], 'a query is a part of the path')
})
