import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { crawl } from '../test-support/site-crawl.js'
import { page } from '../test-support/test-site.js'
import { isScannedUrl, MAX_SCANNED, scannedUrls, scanSize } from './range-scan.js'

t.test('the addresses of ranges', async (t) => {
  const scan = { ranges: ['192.0.2.6/30', '2001:db8::ffff:fffe/127', '198.51.100.9'], ports: [80, 8080] }
  t.equal(scanSize(scan), 14)
  t.same(scannedUrls(scan), [
    'http://192.0.2.4/',
    'http://192.0.2.4:8080/',
    'http://192.0.2.5/',
    'http://192.0.2.5:8080/',
    'http://192.0.2.6/',
    'http://192.0.2.6:8080/',
    'http://192.0.2.7/',
    'http://192.0.2.7:8080/',
    'http://[2001:db8::ffff:fffe]/',
    'http://[2001:db8::ffff:fffe]:8080/',
    'http://[2001:db8::ffff:ffff]/',
    'http://[2001:db8::ffff:ffff]:8080/',
    'http://198.51.100.9/',
    'http://198.51.100.9:8080/',
  ])
  for (const url of scannedUrls(scan)) t.ok(isScannedUrl(url, scan), url)
  for (const url of ['http://192.0.2.8/', 'http://192.0.2.5:81/', 'http://192.0.2.5/a', 'http://name.test/'])
    t.notOk(isScannedUrl(url, scan), url)
  const all = { ranges: ['0.0.0.0/0', '::/0'], ports: [80] }
  t.ok(scanSize(all) > 2 ** 120)
  t.equal(scannedUrls(all).length, MAX_SCANNED, 'bounded whatever is asked for')
})

t.test('S014: a scanned range is crawled where something answers, and scanned again', async (t) => {
  const host = { '127.77.0.2': 'first', '127.77.0.5': 'second' }
  let asked = 0
  let port = 0
  for (const [address, title] of Object.entries(host)) {
    const server = createServer((request, response) => {
      asked++
      if (request.url === '/robots.txt') return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(title, ['/more', 'http://127.77.0.9/']))
    })
    server.listen(port, address)
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
    t.teardown(() => void server.close())
  }
  const scan = { ranges: ['127.77.0.0/29'], ports: [port] }
  const settings = { seeds: [], site: { ranges: scan.ranges }, scan }
  const { report, of, workload } = await crawl('', settings)
  t.equal(report.reason, 'finished')
  t.same({ ...report.error, ...report.unavailable }, {}, 'what is not there is no failure')
  t.equal(report.skipped['no-server'], 6)
  for (const address of Object.keys(host)) t.equal(await of(`http://${address}:${port}/`), 'fetched')
  t.equal(await of('http://127.77.0.9/'), 'off-range')
  const before = asked
  t.equal((await crawl('', { ...settings, workload })).report.fetched, 0, 'each is asked once a crawl')
  t.equal(asked, before)
  t.equal(
    (await crawl('', { ...settings, workload, recrawl: {} })).report.skipped['no-server'],
    6,
    'and in each recrawl',
  )
})
