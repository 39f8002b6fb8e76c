/** Proxies: requests, tunnels, who is asked directly, what a proxy refuses; and the cap on the bandwidth. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { Bandwidth, parseRate } from './bandwidth.js'
import { ProxyRules } from './proxy.js'
import { AUTHORITY, GOOD, KEY } from './test-support/certificates.js'
import { failure, fetchError, freePort, httpServer, LOCAL, localFetcher, names, noise } from './test-support/servers.js'

/**
 * A proxy that leads every name to this machine.
 * @param credentials that it wants, as `user:password`
 */
async function proxyServer(t: Test, credentials?: string, secure = false) {
  const requests: string[] = []
  const allows = ({ headers }: IncomingMessage): boolean =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url} ${request.headers.host}`)
    if (!allows(request)) response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
    else response.end('by the proxy')
  }
  const server = secure ? createHttpsServer({ key: KEY, cert: GOOD }, onRequest) : createServer(onRequest)
  server.on('tlsClientError', () => {})
  server.on('connect', (request: IncomingMessage, socket) => {
    requests.push(`${request.method} ${request.url}`)
    socket.on('error', () => {})
    if (!allows(request)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n')
      return
    }
    const [host, port] = request.url?.split(':') ?? []
    if (host === 'closed.test') {
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
      return
    }
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

async function secureServer(t: Test): Promise<number> {
  const server = createHttpsServer({ key: KEY, cert: GOOD }, (request, response) => {
    response.end(`secure ${request.headers['proxy-authorization'] ?? ''}`)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

t.test('requests by a proxy, and tunnels', async (t) => {
  const proxy = await proxyServer(t, 'me:p@ss')
  const secure = await secureServer(t)
  // Names are the proxy's business.
  const { resolve, asked } = names({ localhost: ['127.0.0.1'] })
  const options = { resolve, ca: AUTHORITY, mayBePrivate: () => false }
  const withCredentials = ProxyRules.from({ proxy: proxy.url.replace('//', '//me:p%40ss@') })
  const fetcher = localFetcher(t, { ...options, proxy: withCredentials })
  t.equal((await fetcher.fetch('http://site.test:81/a?b')).body.toString(), 'by the proxy')
  const { body } = await fetcher.fetch(`https://secure.test:${secure}/`)
  t.equal(body.toString(), 'secure ', 'the credentials stay with the proxy')
  t.strictSame(proxy.requests, ['GET http://site.test:81/a?b site.test:81', `CONNECT secure.test:${secure}`])
  t.equal(asked.size, 0)
  t.equal(
    (await failure(fetcher.fetch(`https://wrong.test:${secure}/`))).reason,
    'tls-error',
    'certificates are checked',
  )
  t.equal((await failure(fetcher.fetch('https://closed.test/'))).reason, 'proxy-error')
  for (const url of ['http://10.0.0.1/', 'https://10.0.0.1/', 'http://[fd00::1]/', 'http://169.254.169.254/'])
    t.equal((await failure(fetcher.fetch(url))).reason, 'blocked-address', url)
  t.equal((await failure(fetcher.fetch(`http://localhost:${secure}/`))).reason, 'blocked-address', 'this machine')
  t.notOk(proxy.requests.some((request) => /10\.0|fd00|169|localhost/.test(request)))

  const stranger = localFetcher(t, { ...options, proxy: ProxyRules.from({ proxy: proxy.url }) })
  for (const url of ['http://site.test/', 'https://secure.test/']) {
    const { reason, detail } = await fetchError(stranger.fetch(url))
    t.strictSame([reason, detail], ['proxy-error', 'the proxy wants a user and a password'], url)
  }
  const gone = ProxyRules.from({ proxy: `http://127.0.0.1:${await freePort()}` })
  const lost = localFetcher(t, { ...options, proxy: gone })
  for (const url of ['http://site.test/', 'https://secure.test/'])
    t.strictSame(await failure(lost.fetch(url)), { reason: 'proxy-error', retryable: true }, url)
})

t.test('a proxy that speaks TLS', async (t) => {
  const proxy = await proxyServer(t, 'me:pw', true)
  const secure = await secureServer(t)
  const { port } = new URL(proxy.url)
  const { resolve } = names({ 'secure.test': ['127.0.0.1'] })
  const rules = ProxyRules.from({ proxy: `https://me:pw@secure.test:${port}` })
  const fetcher = localFetcher(t, { resolve, proxy: rules, ca: AUTHORITY })
  t.equal((await fetcher.fetch('http://far.test/')).body.toString(), 'by the proxy')
  t.equal((await fetcher.fetch(`https://secure.test:${secure}/`)).body.toString(), 'secure ')
  const stranger = localFetcher(t, { resolve, proxy: rules })
  t.equal((await failure(stranger.fetch(`https://secure.test:${secure}/`))).reason, 'proxy-error', 'not to be trusted')
  t.equal((await failure(stranger.fetch('http://far.test/'))).reason, 'tls-error')
})

t.test('which hosts are asked directly', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end('direct'))
  const proxy = await proxyServer(t)
  const rules = ProxyRules.from({ env: { http_proxy: proxy.url, NO_PROXY: 'near.test,10.0.0.0/8' } })
  const fetcher = localFetcher(t, { proxy: rules, ...names({ 'www.near.test': ['127.0.0.1'] }) })
  t.equal((await fetcher.fetch(`${origin}/`)).body.toString(), 'direct', 'this machine')
  t.equal((await fetcher.fetch(`http://www.near.test:${new URL(origin).port}/`)).body.toString(), 'direct')
  t.equal((await fetcher.fetch('http://far.test/')).body.toString(), 'by the proxy')

  const asks = (settings: Parameters<typeof ProxyRules.from>[0], url: string) =>
    ProxyRules.from(settings)?.proxyFor(new URL(url))?.origin
  const env = { HTTP_PROXY: 'http://a.test:3128', https_proxy: 'http://u:p@b.test:8080/', NO_PROXY: '' }
  t.equal(asks({ env }, 'http://x.test/'), 'http://a.test:3128')
  t.equal(asks({ env }, 'https://x.test/'), 'http://b.test:8080')
  t.equal(asks({ env, proxy: 'c.test:1' }, 'https://x.test/'), 'http://c.test:1', 'the setting counts more')
  t.equal(asks({ env, proxy: 'none' }, 'https://x.test/'), undefined)
  t.equal(asks({ env: {} }, 'http://x.test/'), undefined)
  t.equal(asks({ env: { HTTPS_PROXY: 'b.test' } }, 'http://x.test/'), undefined)
  const noProxy = '.one.test, *.two.test three.test:81,192.168.0.0/16,[fd00::]/8,172.16.5.4'
  const direct = (url: string) => asks({ proxy: 'http://p.test', noProxy }, url) === undefined
  for (const url of ['one.test', 'a.one.test', 'two.test', 'b.two.test', 'three.test:81', '192.168.9.9', '172.16.5.4'])
    t.equal(direct(`http://${url}/`), true, url)
  for (const url of ['127.0.0.1:1', 'localhost', 'a.localhost', '[::1]', 'one.test.', '[fd00::1]', '2130706433'])
    t.equal(direct(`http://${url}/`), true, url)
  for (const url of ['someone.test', 'three.test', 'one.test.org', '192.169.0.1', '[fe80::1]', '172.16.5.5'])
    t.equal(direct(`http://${url}/`), false, url)
  t.equal(asks({ proxy: 'http://p.test', noProxy: '*' }, 'http://x.test/'), undefined)
  for (const proxy of ['socks5://p.test', 'http://', 'ftp://p.test', 'not a host'])
    t.throws(() => ProxyRules.from({ proxy }), { code: 'CONFIG_INVALID' }, proxy)
  t.throws(() => ProxyRules.from({ env: { HTTP_PROXY: 'http://u:secret@[' } }), { message: /^((?!secret).)*$/ })
})

t.test('a cap on the bandwidth, by a clock of the test', (t) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.comment(`SEED=${seed}`)
  let state = seed >>> 0
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const RATE = 100_000
  let now = 5000
  const bandwidth = new Bandwidth(RATE, () => now)
  // Connections that read a piece, wait as they are told, and read the next.
  const ready = Array.from({ length: 8 }, () => now)
  const read: { at: number; bytes: number }[] = []
  for (let i = 0; i < 2000; i++) {
    const next = ready.indexOf(Math.min(...ready))
    now = Math.max(now, ready[next]!)
    const bytes = 1 + Math.floor(random() * 16_384)
    read.push({ at: now, bytes })
    ready[next] = now + bandwidth.take(bytes)
  }
  const total = read.reduce((sum, { bytes }) => sum + bytes, 0)
  const seconds = (now - 5000) / 1000
  // What has come may be ahead of the cap by a burst and one piece of each connection.
  const ahead = 8 * 16_384 + RATE / 10
  t.ok(total <= RATE * seconds + ahead, `${total} bytes in ${seconds} s`)
  t.ok(total >= RATE * seconds * 0.99, 'and is not slower than it')
  for (let from = 5000; from < now - 1000; from += 500) {
    const inSecond = read.filter(({ at }) => at >= from && at < from + 1000).reduce((sum, { bytes }) => sum + bytes, 0)
    t.ok(inSecond <= RATE + ahead, `smooth: ${inSecond} bytes in a second`)
  }
  now += 3_600_000
  t.equal(bandwidth.take(RATE / 10), 0, 'an idle hour')
  t.ok(bandwidth.take(RATE) >= 999, 'saves up a tenth of a second, no more')
  const rates: [text: string, rate: number | undefined][] = [
    ['500000', 500_000],
    ['500k', 512_000],
    ['2M', 2_097_152],
    ['1.5m', 1_572_864],
    [' 1G ', 1_073_741_824],
    ['0', undefined],
    ['-1', undefined],
    ['fast', undefined],
    ['2 MB', undefined],
    ['', undefined],
  ]
  for (const [text, rate] of rates) t.equal(parseRate(text), rate, text)
  t.end()
})

t.test('a cap on the bandwidth, seen by a server', async (t) => {
  const PAGE = 60_000
  const RATE = 200_000
  const body = noise(PAGE)
  const served: number[] = []
  const origin = await httpServer(t, (_request, response) => {
    served.push(performance.now())
    response.end(body)
  })
  const fetcher = localFetcher(t, { ...LOCAL, bandwidth: RATE, timeouts: { total: 2_000, idle: 1_500 } })
  const started = performance.now()
  // The waits are ours: they are longer than what a server is given.
  const pages = await Promise.all(Array.from({ length: 10 }, (_, i) => fetcher.fetch(`${origin}/${i}`)))
  const seconds = (performance.now() - started) / 1000
  for (const page of pages) t.ok(page.body.equals(body))
  t.ok(seconds >= (10 * PAGE) / RATE - 0.2, `600,000 bytes at 200,000 a second took ${seconds} s`)
  t.ok(seconds < 30)
  t.equal(served.length, 10)
})
