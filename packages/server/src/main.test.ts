import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { nullLogger } from '@spindle/core'
import t from 'tap'
import { buildApp } from './app.js'
import { startServer } from './main.js'
import { LocalIndexBackend } from './search/local-index-backend.js'
import type { SearchBackend } from './search/search-backend.js'
import { indexPages, openApp, TEST_CONFIG, until } from './test-support/site-fixture.js'

/** Sends bytes over a real connection; resolves with all that comes back until the other side closes. */
function exchange(
  port: number,
  text: string | ((write: (text: string) => void) => void),
): Promise<{ reply: string; ms: number }> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => {
      if (typeof text === 'string') socket.write(text)
      else text((part) => socket.writable && socket.write(part))
    })
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      reply += part
    })
    socket.on('close', () => resolve({ reply, ms: performance.now() - start }))
    socket.on('error', (error) => (reply === '' ? reject(error) : resolve({ reply, ms: performance.now() - start })))
  })
}

const silk = { url: 'http://a.example/1', title: 'Silk', body: 'silk road', lang: 'en' }

t.test('an index that comes late is served without a restart, and every commit after it', async (t) => {
  const data = t.testdir()
  const { app, backend, close } = await openApp(data, { crawlProgress: () => ({ pages: 7 }) })
  t.teardown(close)
  const get = (url: string) => app.inject({ url })
  const ready = await get('/readyz')
  t.equal(ready.statusCode, 503)
  t.same(ready.json(), { status: 'waiting', reason: 'INDEX_NOT_FOUND' })
  t.equal(ready.headers['retry-after'], '3')
  for (const url of ['/', '/search?q=silk', '/search?q=']) {
    const page = await get(url)
    t.equal(page.statusCode, 503, url)
    t.equal(page.headers['retry-after'], '3')
    t.match(page.body, '<meta http-equiv="refresh" content="3">')
    t.match(page.body, 'Read so far: 7 pages.')
  }
  t.match((await get('/api/v1/search?q=silk')).json(), { error: { code: 'INDEX_NOT_READY' } })
  t.equal((await get('/livez')).statusCode, 200)
  t.equal((await get('/healthz')).json().status, 'waiting')

  await mkdir(join(data, 'index'))
  t.equal((await get('/readyz')).statusCode, 503, 'an empty folder is no index yet')
  await indexPages(data, [silk])
  await until(() => backend.status().state === 'ready', 'the first commit')
  t.equal((await get('/readyz')).statusCode, 200)
  t.equal((await get('/api/v1/search?q=silk')).json().total, 1)
  t.match((await get('/')).body, '1 page can be found here')

  const generation = backend.status().generation
  await indexPages(data, [{ ...silk, url: 'http://a.example/2' }])
  await until(() => backend.status().generation > generation, 'the second commit')
  t.equal((await get('/api/v1/search?q=silk')).json().total, 2)
  await indexPages(data, [{ ...silk, body: 'changed', title: 'changed' }])
  await until(() => backend.status().numDocs === 2 && backend.status().generation > generation + 1, 'the third commit')
  t.equal((await get('/api/v1/search?q=silk')).json().total, 1, 'a page that changed is not found by its old words')
})

t.test('searches go on while commits come', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk])
  const { app, backend, close } = await openApp(data)
  t.teardown(close)
  let writing = true
  const writer = (async () => {
    for (let i = 2; i <= 15; i++) await indexPages(data, [{ ...silk, url: `http://a.example/${i}` }])
    writing = false
  })()
  let searches = 0
  let last = 0
  while (writing) {
    const reply = await app.inject({ url: '/api/v1/search?q=silk' })
    if (reply.statusCode !== 200) t.fail(`status ${reply.statusCode}: ${reply.body}`)
    const { total } = reply.json()
    if (total < last) t.fail(`${total} hits after ${last}`)
    last = total
    searches++
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await writer
  t.ok(searches > 10, `${searches} searches`)
  await until(() => backend.status().numDocs === 15, 'the last commit')
})

t.test('a damaged index never ends the server, and a good one is served again', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk])
  const files = (await readdir(join(data, 'index'))).filter((name) => !name.includes('lock'))
  t.ok(files.length > 1)
  let known = 0
  for (const name of files) {
    const path = join(data, 'index', name)
    const bytes = await readFile(path)
    if (bytes.length === 0) continue
    await truncate(path, bytes.length >> 1)
    const { app, backend, close } = await openApp(data)
    const { state } = backend.status()
    const reply = await app.inject({ url: '/api/v1/search?q=silk' })
    if (state === 'ready') t.match(reply.json(), { total: 1 }, `${name} is not needed`)
    else {
      known++
      t.equal(reply.statusCode, 503, `${name}: ${state}`)
      const page = await app.inject({ url: '/' })
      t.equal(page.statusCode, 503)
      t.notMatch(page.body, data, 'no path is shown to visitors')
      t.match((await app.inject({ url: '/healthz' })).json().index, { state, detail: /.+/ })
      await writeFile(path, bytes)
      await until(() => backend.status().state === 'ready', `recovery of ${name}`)
      t.equal((await app.inject({ url: '/api/v1/search?q=silk' })).json().total, 1)
    }
    await close()
    await writeFile(path, bytes)
  }
  t.ok(known > 0, `${known} of ${files.length} files were noticed`)
})

t.test('a file damaged while serving gives the right hits or none', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk, { ...silk, url: 'http://a.example/2', body: 'raw silk' }])
  const files = (await readdir(join(data, 'index'))).filter((name) => !name.includes('lock'))
  const { app, backend, close } = await openApp(data)
  t.teardown(close)
  const good = (await app.inject({ url: '/api/v1/search?q=silk' })).json().hits
  t.equal(good.length, 2)
  for (const name of files) {
    const path = join(data, 'index', name)
    const bytes = await readFile(path)
    if (bytes.length === 0) continue
    const flipped = Buffer.from(bytes)
    for (let i = 40; i < flipped.length - 20; i += 7) flipped[i] = flipped[i]! ^ 0x55
    for (const damage of [flipped, bytes.subarray(0, bytes.length >> 1)]) {
      await writeFile(path, damage)
      const reply = await app.inject({ url: '/api/v1/search?q=silk' })
      if (reply.statusCode === 200) t.same(reply.json().hits, good, name)
      else t.match(reply.json(), { error: { code: /^(SEARCH_FAILED|INDEX_NOT_READY)$/ } }, name)
      await writeFile(path, bytes)
      await until(() => backend.status().state === 'ready', `recovery of ${name}`)
      t.same((await app.inject({ url: '/api/v1/search?q=silk' })).json().hits, good, `${name} restored`)
    }
  }
})

t.test('what is open goes on being served when the folder vanishes, and a new index takes its place', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk])
  const { app, backend, close } = await openApp(data)
  t.teardown(close)
  await rm(join(data, 'index'), { recursive: true })
  await until(() => backend.status().state === 'degraded', 'the loss to be seen')
  t.equal((await app.inject({ url: '/readyz' })).statusCode, 200)
  t.equal((await app.inject({ url: '/readyz' })).json().status, 'degraded')
  const reply = await app.inject({ url: '/api/v1/search?q=silk' })
  t.ok(reply.statusCode === 503 || reply.json().total === 1, 'the old hits or an honest refusal')
  await indexPages(data, [silk, { ...silk, url: 'http://b.example/' }])
  await until(() => backend.status().state === 'ready' && backend.status().numDocs === 2, 'the new index')
  t.equal((await app.inject({ url: '/api/v1/search?q=silk' })).json().total, 2)
})

t.test('slow and broken clients on real connections', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk])
  const { app, close } = await openApp(data, {
    limits: { headers: 300, request: 500, check: 50, keepAlive: 300, idle: 2000, requests: 3 },
  })
  t.teardown(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  const slowHeaders = await exchange(port, (write) => {
    write('GET / HTTP/1.1\r\n')
    const timer = setInterval(() => write('X-A: b\r\n'), 100)
    setTimeout(() => clearInterval(timer), 8000).unref()
  })
  t.match(slowHeaders.reply, 'HTTP/1.1 408')
  t.match(slowHeaders.reply, '"REQUEST_TIMEOUT"')
  t.ok(slowHeaders.ms < 4000, `${slowHeaders.ms.toFixed(0)} ms`)

  const slowBody = await exchange(port, (write) => {
    write('POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n')
    const timer = setInterval(() => write('x'), 50)
    setTimeout(() => clearInterval(timer), 8000).unref()
  })
  t.match(slowBody.reply, 'HTTP/1.1 405')
  t.ok(slowBody.ms < 4000, `${slowBody.ms.toFixed(0)} ms`)

  t.match((await exchange(port, 'nonsense\r\n\r\n')).reply, /^HTTP\/1\.1 400.*"BAD_REQUEST"/s)
  t.match(
    (await exchange(port, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).reply,
    /^HTTP\/1\.1 431.*"HEADERS_TOO_LARGE"/s,
  )
  t.match((await exchange(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).reply, /^HTTP\/1\.1 400/, 'no host')
  t.match(
    (await exchange(port, 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')).reply,
    /^HTTP\/1\.1 200/,
    'an idle connection is closed',
  )
  const many = await exchange(port, (write) => {
    const timer = setInterval(() => write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'), 20)
    setTimeout(() => clearInterval(timer), 2000).unref()
  })
  t.ok(many.ms < 2000, 'a connection ends after its last request, whatever the client does')
  t.equal(many.reply.match(/HTTP\/1\.1 200/g)?.length, 3)

  const ending = 'Connection: close\r\n\r\n'
  const cases: [request: string, reply: RegExp, what: string][] = [
    ['GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n', /^HTTP\/1\.1 400/, 'a folded header'],
    [
      'GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n',
      /^HTTP\/1\.1 400.*"BAD_REQUEST"/s,
      'two hosts',
    ],
    ['GET /livez HTTP/1.1\r\n', /^HTTP\/1\.1 400.*"BAD_REQUEST"/s, 'no host'],
    ['GET /livez HTTP/1.0\r\n', /^HTTP\/1\.1 200/, 'no host, as HTTP/1.0 allows'],
    ['GET http://localhost/livez HTTP/1.1\r\nHost: evil.example\r\n', /^HTTP\/1\.1 200/, 'an absolute address'],
    ['GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 421/, 'one of another host'],
    ['GET http://evil.example?q=a HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 421/, 'the same without a path'],
    ['GET * HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 404/, 'no address'],
    ['GET /livez HTTP/2.0\r\nHost: localhost\r\n', /^HTTP\/1\.1 400.*"BAD_REQUEST"/s, 'a version that is not spoken'],
    ['GET /livez\r\n', /^HTTP\/1\.1 400/, 'no version'],
    [
      'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n',
      /^HTTP\/1\.1 405.*\r\nAllow: GET, HEAD\r\n/s,
      'a proxy request',
    ],
    [
      'POST /search HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n',
      /^HTTP\/1\.1 405/,
      'no body is invited',
    ],
    ['GET /livez HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n', /^HTTP\/1\.1 200/, 'an expectation'],
    [
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n',
      /^HTTP\/1\.1 400/,
      'two lengths',
    ],
    [
      'GET /search?q=a%0d%0aX-Evil:%20b HTTP/1.1\r\nHost: localhost\r\n',
      /^(?!.*^X-Evil)HTTP\/1\.1 200/ims,
      'a header in a query',
    ],
  ]
  for (const [request, expected, what] of cases) {
    const { reply } = await exchange(port, request + ending)
    t.match(reply, expected, what)
    t.match(reply, 'X-Content-Type-Options: nosniff', what)
    t.notMatch(reply, /node_modules|\.js:/, what)
  }
})

t.test('clients that ask in advance and do not read are cut off', async (t) => {
  const data = t.testdir()
  await indexPages(
    data,
    Array.from({ length: 100 }, (_, i) => ({ url: `http://a.example/${i}`, title: `Silk ${i}`, body: 'silk road' })),
  )
  const inner = await LocalIndexBackend.open(join(data, 'index'), { logger: nullLogger, searchTimeout: 2000 })
  let searches = 0
  const counting: SearchBackend = {
    status: () => inner.status(),
    search(request) {
      searches++
      return inner.search(request)
    },
    suggest: (text, signal) => inner.suggest(text, signal),
    close: () => inner.close(),
  }
  const app = await buildApp({ backend: counting, config: TEST_CONFIG })
  t.teardown(async () => {
    await app.close()
    await inner.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const page = 'GET /search?q=silk&size=100 HTTP/1.1\r\nHost: localhost\r\n\r\n'

  const last = page.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  const { reply } = await exchange(port, page.repeat(5) + last)
  t.equal(reply.match(/^HTTP\/1\.1 200/gm)?.length, 6, 'a few requests in advance are answered in order')
  searches = 0
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(page.repeat(200))
    return socket
  })
  const open = (): Promise<number> => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
  await until(async () => (await open()) === sockets.length || searches >= sockets.length, 'their connections')
  await until(async () => (await open()) === 0, 'the end of their connections')
  t.ok(searches <= 16 * sockets.length, `${searches} searches of ${200 * sockets.length} were begun`)
  t.equal((await app.inject({ url: '/api/v1/search?q=road' })).statusCode, 200)
  for (const socket of sockets) socket.destroy()
})

t.test('a server that is told to stop finishes what it has begun', async (t) => {
  const data = t.testdir()
  await indexPages(data, [silk])
  const inner = await LocalIndexBackend.open(join(data, 'index'), { logger: nullLogger, searchTimeout: 2000 })
  const slow: SearchBackend = {
    status: () => inner.status(),
    async search(request) {
      await new Promise((resolve) => setTimeout(resolve, 400))
      return inner.search(request)
    },
    suggest: (text, signal) => inner.suggest(text, signal),
    close: () => inner.close(),
  }
  const app = await buildApp({ backend: slow, config: TEST_CONFIG })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const reply = exchange(port, 'GET /api/v1/search?q=silk HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  const start = performance.now()
  await app.close()
  t.ok(performance.now() - start < 4500, `closing took ${(performance.now() - start).toFixed(0)} ms`)
  t.match((await reply).reply, /^HTTP\/1\.1 200.*"total":1/s)
  await t.rejects(exchange(port, 'GET / HTTP/1.1\r\n\r\n'), { code: 'ECONNREFUSED' })
  await inner.close()
})

t.test('an address that cannot be listened on is told in one sentence', async (t) => {
  const data = t.testdir()
  const config = { ...TEST_CONFIG, data }
  const first = await startServer({ config, logger: nullLogger })
  const port = Number(new URL(first.url).port)
  t.match(first.url, /^http:\/\/localhost:\d+\/$/)
  await t.rejects(startServer({ config: { ...config, port }, logger: nullLogger }), {
    code: 'SERVER_ADDRESS',
    message: `Port ${port} on 127.0.0.1 is taken by another program: stop that one, or choose another port with --port.`,
  })
  await t.rejects(startServer({ config: { ...config, host: '203.0.113.1' }, logger: nullLogger }), {
    code: 'SERVER_ADDRESS',
  })
  await first.close()
})
