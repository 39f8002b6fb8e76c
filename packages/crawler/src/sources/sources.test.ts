import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DataDir } from '@spindle/core'
import t from 'tap'
import { serveSampleSite, storedSampleSite } from './sample-site.js'
import { readSeedsFile } from './seeds-file.js'

t.test('seeds file: comments, blank lines, line ends, byte order mark', async (t) => {
  const path = join(t.testdir(), 'seeds.txt')
  writeFileSync(
    path,
    '\uFEFF# first\r\nhttp://A.example\r\n\n  https://b.example/x#part # why\nhttp://c.example/%7eme\n',
  )
  t.same(await readSeedsFile(path), ['http://a.example/', 'https://b.example/x', 'http://c.example/~me'])
  writeFileSync(path, 'http://a.example\nnot an address\n')
  await t.rejects(readSeedsFile(path), { code: 'SEED_INVALID', message: /Line 2 of .*"not an address"/ })
  await t.rejects(readSeedsFile(`${path}.none`), { code: 'SEED_INVALID', message: /--seeds/ })
})

t.test('sample site: pages without a charset, others as they are', async (t) => {
  const site = await serveSampleSite()
  t.teardown(() => site.close())
  const start = await fetch(site.startUrl)
  t.equal(start.status, 200)
  t.equal(start.headers.get('content-type'), 'text/html')
  t.match(await start.text(), /<html/i)
  const robots = await fetch(`${site.url}robots.txt`)
  t.match(robots.headers.get('content-type'), /^text\/plain/)
  const query = await fetch(`${site.url}courses/index.html?term=spring`)
  t.equal(query.headers.get('content-type'), 'text/html')
  await query.text()
  const chinese = await fetch(`${site.url}life/${encodeURIComponent('社团招新')}.html`)
  t.equal(chinese.status, 200)
  await chinese.text()
  const none = await fetch(`${site.url}none.html`)
  t.equal(none.status, 404)
})

t.test('sample site: keeps its address for a data folder', async (t) => {
  const data = t.testdir()
  t.equal(await storedSampleSite(new DataDir(data)), undefined)
  const first = await serveSampleSite({ data })
  t.equal(await storedSampleSite(new DataDir(data)), first.url)
  const shared = await serveSampleSite({ data })
  t.match(shared, { url: first.url, isShared: true }, 'another process of ours that serves it is good enough')
  await shared.close()
  await first.close()
  const again = await serveSampleSite({ data })
  t.equal(again.url, first.url)
  t.equal(again.startUrl, `${first.url}index.html`)
  const other = await serveSampleSite({ data: join(data, 'other') })
  t.not(other.url, first.url, 'a second folder gets another port while the first is in use')
  await other.close()
  await again.close()
  const squatter = createServer((_request, response) => response.end('something else'))
  await new Promise<void>((resolve) => squatter.listen(Number(new URL(first.url).port), '127.0.0.1', resolve))
  const mine = join(data, 'mine')
  await new DataDir(mine).create()
  writeFileSync(join(mine, 'sample-site.json'), JSON.stringify({ port: Number(new URL(first.url).port) }))
  await t.rejects(serveSampleSite({ data: mine }), { code: 'SERVER_ADDRESS', message: /--fresh/ })
  squatter.closeAllConnections()
  await new Promise((resolve) => squatter.close(resolve))
})
