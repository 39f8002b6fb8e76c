/** What a request may be, whatever it asks for: addresses, methods, hosts, headers. */
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { auditPage } from './test-support/page-audit.js'
import { indexPages, openApp, TEST_CONFIG } from './test-support/site-fixture.js'

const PAGES = [{ url: 'https://example.org/', title: 'The Silk Road', body: 'Raw silk went west.', lang: 'en' }]
const data = t.testdir()
await indexPages(data, PAGES)
const server = await openApp(data)
const { app } = server
t.teardown(() => server.close())

function get(url: string, headers: Record<string, string> = {}, on: FastifyInstance = app) {
  return on.inject({ url, headers })
}

t.test('what is not there, and what may not be done', async (t) => {
  const missing = await get('/nothing')
  t.equal(missing.statusCode, 404)
  t.same(auditPage(missing.body).faults, [])
  t.match((await get('/api/v1/nothing')).json(), { error: { code: 'NOT_FOUND', requestId: /.+/ } })
  for (const path of ['/%zz', '/p/%zz', '/%c0%ae', '/assets/%zz']) {
    const reply = await get(path)
    t.equal(reply.statusCode, 400, path)
    t.same(auditPage(reply.body).faults, [])
    t.match(reply.headers['content-security-policy'], "default-src 'none'")
  }
  const traversals = [
    '/assets/../package.json',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/..%5cpackage.json',
    '/assets/%252e%252e/package.json',
    '/assets/....//package.json',
    '/assets/;/../package.json',
    '/assets/.git/config',
    '/assets/C:%5Cx',
    '/assets/spindle.css/',
    '/assets/spindle.css%00',
    '/assets/',
    '/assets',
    '//evil.example/',
    '/views/home.eta',
  ]
  for (const path of traversals) {
    const reply = await get(path)
    t.ok([400, 404].includes(reply.statusCode), `${path}: ${reply.statusCode}`)
    t.notMatch(reply.body, '@spindle/server')
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
    const reply = await app.inject({
      method,
      url: '/search?q=a',
      headers: { 'content-type': 'application/json' },
      ...(method === 'OPTIONS' ? {} : { payload: '['.repeat(50_000) }),
    })
    t.equal(reply.statusCode, 405, method)
    t.equal(reply.headers.allow, 'GET, HEAD')
  }
  t.equal((await app.inject({ method: 'POST', url: '/nothing', payload: 'x' })).statusCode, 404)
  t.equal((await app.inject({ method: 'HEAD', url: '/search?q=silk' })).statusCode, 200)
  t.match((await app.inject({ method: 'DELETE', url: '/api/v1/search' })).json(), {
    error: { code: 'METHOD_NOT_ALLOWED' },
  })
})

t.test('hosts, headers and request numbers', async (t) => {
  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', '192.168.1.7', 'app.localhost']) {
    t.equal((await get('/', { host })).statusCode, 200, host)
  }
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example']) {
    t.equal((await get('/', { host })).statusCode, 421, host)
  }
  const named = await openApp(data, { config: { ...TEST_CONFIG, host: '0.0.0.0', allowedHosts: ['search.example'] } })
  t.equal((await get('/', { host: 'search.example:80' }, named.app)).statusCode, 200)
  t.equal((await get('/', { host: 'other.example' }, named.app)).statusCode, 421)
  await named.close()
  const open = await openApp(data, { config: { ...TEST_CONFIG, host: '0.0.0.0' } })
  t.equal((await get('/', { host: 'any.example' }, open.app)).statusCode, 200)
  await open.close()
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, '1']))
  t.equal((await get('/', many)).statusCode, 431)
  t.equal((await get('/', { 'x-request-id': 'abc-123' })).headers['x-request-id'], 'abc-123')
  t.not((await get('/', { 'x-request-id': 'a b' })).headers['x-request-id'], 'a b')
  for (const headers of [
    { accept: 'image/png' },
    { accept: '*/*;q=0' },
    { 'if-none-match': '"' },
    { range: 'bytes=9-1,x' },
    { 'accept-encoding': 'br;q=9,,,' },
    { 'accept-language': ','.repeat(5000) },
    { origin: 'null' },
  ]) {
    const reply = await get('/search?q=silk', headers as Record<string, string>)
    t.equal(reply.statusCode, 200, JSON.stringify(headers).slice(0, 60))
    t.equal(reply.headers['access-control-allow-origin'], undefined)
  }
})

t.test('health is told in full on this machine only', async (t) => {
  t.same((await get('/livez')).json(), { status: 'ok' })
  t.same((await get('/readyz')).json(), { status: 'ready', reason: null })
  t.match((await get('/healthz')).json(), {
    status: 'ok',
    index: { state: 'ready', numDocs: PAGES.length },
    crawl: null,
  })
  for (const remote of [{ remoteAddress: '10.0.0.1' }, { headers: { 'x-forwarded-for': '1.2.3.4' } }]) {
    t.same((await app.inject({ url: '/healthz', ...remote })).json(), { status: 'ok' })
  }
  t.match((await get('/robots.txt')).body, 'Disallow: /search')
})
