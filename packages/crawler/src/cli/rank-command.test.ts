import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Crawl } from '../crawl.js'
import { runCommand } from '../test-support/run-command.js'
import { page, serveSite } from '../test-support/test-site.js'

t.test('lists the best pages, and hubs make start addresses', async (t) => {
  const leaves = Array.from({ length: 12 }, (_, i) => `/leaf-${i}`)
  const site = await serveSite(t, {
    '/': page('Home', ['/list', '/about']),
    '/about': page('About', ['/']),
    '/list': page('List', leaves),
    ...Object.fromEntries(leaves.map((path) => [path, page(`Leaf ${path}`, ['/leaf-3', '/'])])),
  })
  const dir = t.testdir()
  const data = join(dir, 'data')
  const none = await runCommand('rank', '--data', data)
  t.match(none, { code: 1, lines: [], err: /INDEX|no index|crawl/i })
  const crawl = await Crawl.open({ data, index: false })
  await crawl.run({ seeds: [site.at('/')], delay: 0 })
  await crawl.close()
  t.equal((await runCommand('rank', '--data', data)).code, 1, 'nothing is indexed yet')
  const first = await runCommand('rank', '--data', data, '--compute', '--json', '--limit', '3')
  t.match(first.err, /Ranked 15 pages by \d+ links/)
  const pages = first.lines.map((line) => JSON.parse(line))
  t.equal(pages.length, 3)
  t.ok(pages[0].value >= pages[1].value && pages[1].value > 1)
  t.equal(pages[0].url, site.at('/'), 'the page that all others link to')
  t.match(pages[0].title, 'Home')
  const hubs = await runCommand('rank', '--data', data, '--by', 'hub', '--urls', '--limit', '1')
  t.same(hubs.lines, [site.at('/list')])
  t.match(
    (await runCommand('rank', '--data', data, '--by', 'authority', '--limit', '1')).lines[0],
    /^ +\d\.\d{3} {2}http/,
  )
  const seeds = join(dir, 'hubs.txt')
  writeFileSync(seeds, hubs.lines.join('\n'))
  const other = join(dir, 'other')
  const crawled = await runCommand('crawl', '--seeds', seeds, '--data', other, '--delay', '0', '--depth', '1', '--json')
  t.equal(crawled.code, 0)
  const found = await runCommand('rank', '--data', other, '--urls', '--limit', '100')
  t.same(found.lines.toSorted(), ['/list', ...leaves].map((path) => site.at(path)).toSorted())
  rmSync(join(data, 'links'), { recursive: true })
  t.same(
    (await runCommand('rank', '--data', data, '--compute', '--json', '--limit', '3')).lines,
    first.lines,
    'the same without the log of links',
  )
  t.match(await runCommand('rank', '--data', data, '--by', 'beauty'), { code: 2, err: /pagerank, hub, authority/ })
})
