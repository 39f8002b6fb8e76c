/** H52: certificates and handshakes; own authorities, and sites whose certificate is not checked. */
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@spindle/core'
import t, { type Test } from 'tap'
import { AUTHORITY, EXPIRED, GOOD, KEY, SELF_SIGNED } from './test-support/certificates.js'
import { failure, httpServer, localFetcher, names, tcpServer } from './test-support/servers.js'

const { resolve } = names({ 'secure.test': ['127.0.0.1'], 'wrong.test': ['127.0.0.1'] })

/** A web server that speaks TLS. @returns its port and what it was asked */
async function secureServer(t: Test, options: ServerOptions) {
  const requests: string[] = []
  const server = createHttpsServer({ key: KEY, cert: GOOD, ...options }, (request, response) => {
    requests.push(request.url ?? '')
    response.end('secure')
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, requests }
}

t.test('H52: what is not to be trusted', async (t) => {
  const fetcher = localFetcher(t, { resolve, ca: AUTHORITY })
  const good = await secureServer(t, {})
  t.equal((await fetcher.fetch(`https://secure.test:${good.port}/`)).body.toString(), 'secure')
  const cases: [name: string, options: ServerOptions, host: string][] = [
    ['expired', { cert: EXPIRED }, 'secure.test'],
    ['self-signed', { cert: SELF_SIGNED }, 'secure.test'],
    ['another name', {}, 'wrong.test'],
    ['an address', {}, '127.0.0.1'],
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }, 'secure.test'],
  ]
  for (const [name, options, host] of cases) {
    const server = await secureServer(t, options)
    const outcome = await failure(fetcher.fetch(`https://${host}:${server.port}/`))
    t.strictSame(outcome, { reason: 'tls-error', retryable: false }, name)
    t.strictSame(server.requests, [], 'nothing is asked')
  }
  const unknown = localFetcher(t, { resolve })
  const outcome = await failure(unknown.fetch(`https://secure.test:${good.port}/`))
  t.strictSame(outcome, { reason: 'tls-error', retryable: false }, 'an authority that nobody named')
})

t.test('H52: what does not speak TLS', async (t) => {
  const fetcher = localFetcher(t, { resolve, timeouts: { connect: 1000 } })
  const plain = await httpServer(t, (_request, response) => response.end('plain'))
  const { port } = new URL(plain)
  t.strictSame(await failure(fetcher.fetch(`https://secure.test:${port}/`)), { reason: 'tls-error', retryable: false })
  const silent = await tcpServer(t)
  const hanging = await failure(fetcher.fetch(`https://secure.test:${silent.port}/`))
  t.strictSame(hanging, { reason: 'tls-error', retryable: true }, 'a handshake that hangs')
  t.equal(silent.connections(), 1)
})

t.test('a certificate is left unchecked for the site that says so, and for no other', async (t) => {
  const expired = await secureServer(t, { cert: EXPIRED })
  const other = await secureServer(t, { cert: EXPIRED })
  const origin = `https://secure.test:${expired.port}`
  const lines: string[] = []
  const logger: Logger = {
    log: (level, event, fields) => void lines.push(`${level} ${event} ${JSON.stringify(fields)}`),
  }
  const fetcher = localFetcher(t, { resolve, sites: new Map([[origin, { insecure: true }]]), logger })
  t.equal((await fetcher.fetch(`${origin}/`)).body.toString(), 'secure')
  t.equal((await failure(fetcher.fetch(`https://secure.test:${other.port}/`))).reason, 'tls-error')
  t.strictSame(lines, [`warn certificate-not-checked {"origin":"${origin}"}`], 'it is in the log')
})

t.test('an authority for one site', async (t) => {
  const one = await secureServer(t, {})
  const other = await secureServer(t, {})
  const origin = `https://secure.test:${one.port}`
  const fetcher = localFetcher(t, { resolve, sites: new Map([[origin, { ca: AUTHORITY }]]) })
  t.equal((await fetcher.fetch(`${origin}/`)).body.toString(), 'secure')
  t.equal((await failure(fetcher.fetch(`https://secure.test:${other.port}/`))).reason, 'tls-error')
  t.equal((await failure(fetcher.fetch(`https://wrong.test:${one.port}/`))).reason, 'tls-error')
})
