import t from 'tap'
import { crawl } from '../test-support/site-crawl.js'
import { page, serveSite } from '../test-support/test-site.js'
import { HostAliases, LOOK, PROOFS } from './host-aliases.js'

const BARE = 'http://example.org'
const SECURE = 'https://example.org'
const WWW = 'https://www.example.org'

t.test('a host that leads to another one, address by address, is taken for it', async (t) => {
  const aliases = new HostAliases()
  for (let i = 1; i < PROOFS; i++) aliases.redirected(`${BARE}/${i}`, `${WWW}/${i}`)
  t.equal(aliases.resolve(`${BARE}/x`), `${BARE}/x`, 'not seen often enough')
  aliases.redirected(`${BARE}/q?a=1`, `${WWW}/q?a=1`)
  t.equal(aliases.resolve(`${BARE}/x?y=1`), `${WWW}/x?y=1`)
  t.equal(aliases.resolve(`${WWW}/x`), `${WWW}/x`)
  t.equal(aliases.resolve('http://other.example/x'), 'http://other.example/x')
  const asked = Array.from({ length: LOOK * 3 }, (_, i) => aliases.resolve(`${BARE}/${i}`))
  t.equal(asked.filter((url) => url.startsWith(BARE)).length, 3, 'some are asked all the same')
  aliases.answered(`${BARE}/own`)
  t.equal(aliases.resolve(`${BARE}/x`), `${BARE}/x`, 'it has a page of its own')
  for (let i = 0; i < 2 * PROOFS; i++) aliases.redirected(`${BARE}/${i}`, `${WWW}/${i}`)
  t.equal(aliases.resolve(`${BARE}/x`), `${BARE}/x`, 'and is not believed again')
})

t.test('in two steps; not to other sites, paths or in circles', async (t) => {
  const steps = new HostAliases()
  for (let i = 0; i < PROOFS; i++) {
    steps.redirected(`${BARE}/${i}`, `${SECURE}/${i}`)
    steps.redirected(`${SECURE}/${i}`, `${WWW}/${i}`)
  }
  t.equal(steps.resolve(`${BARE}/x`), `${WWW}/x`)
  const others = new HostAliases()
  for (let i = 0; i < PROOFS; i++) {
    others.redirected(`${BARE}/${i}`, `https://other.example/${i}`)
    others.redirected(`${SECURE}/${i}`, `${WWW}/`)
    others.redirected(`${WWW}/${i}`, `${WWW}/${i}/`)
    others.redirected(`file:///a/${i}`, `file:///b/${i}`)
  }
  for (const origin of [BARE, SECURE, WWW]) t.equal(others.resolve(`${origin}/x`), `${origin}/x`)
  const circle = new HostAliases()
  for (let i = 0; i < PROOFS; i++) {
    circle.redirected(`${BARE}/${i}`, `${SECURE}/${i}`)
    circle.redirected(`${SECURE}/${i}`, `${BARE}/${i}`)
  }
  t.match(circle.resolve(`${BARE}/x`), /^https?:\/\/example\.org\/x$/)
})

t.test('a crawl asks for the pages of a site with two names once', async (t) => {
  const paths = Array.from({ length: 60 }, (_, i) => `/p${i}`)
  const seen: string[] = []
  const site = await serveSite(t, {}, (request, response) => {
    const { host = '', url = '' } =
      request.headers.host === undefined ? {} : { host: request.headers.host, url: request.url ?? '' }
    if (url === '/robots.txt') return void response.writeHead(404).end()
    seen.push(host + url)
    if (!host.startsWith('www.')) return void response.writeHead(301, { location: `http://www.${host}${url}` }).end()
    const links = url === '/' ? paths.map((path) => `http://${host.slice(4)}${path}`) : []
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Page ${url}`, links))
  })
  const { port } = new URL(site.origin)
  const [bare, www] = ['alias.test', 'www.alias.test'].map((name) => `http://${name}:${port}`)
  const { of, report } = await crawl(`${bare}/`, {
    // Both are named, or the one would be an address of this machine that a page leads to.
    seeds: [`${bare}/`, `${www}/`],
    fetch: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    concurrency: 4,
  })
  t.equal(report.pages, paths.length + 1)
  t.same(report.error, {})
  const toBare = seen.filter((address) => address.startsWith('alias.test')).length
  t.ok(toBare < 25, `${toBare} of ${paths.length} pages asked under the name that leads elsewhere`)
  t.equal(seen.length - toBare, paths.length + 1, 'each page once')
  t.equal(await of(`${www}/p59`), 'fetched')
  t.equal(await of(`${bare}/p59`), 'redirect')
})
