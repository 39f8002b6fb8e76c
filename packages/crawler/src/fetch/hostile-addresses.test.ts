/** H3, H4, H43, H44, H53, H54: addresses that hosts should not have, names that do not resolve, odd forms of addresses. */
import { normalizeUrl, resolveUrl } from '@spindle/core'
import t from 'tap'
import { isSpecialAddress } from './address-guard.js'
import { DnsCache, FAULT_MS, MAX_ADDRESSES, NEGATIVE_MS, POSITIVE_MS } from './dns-cache.js'
import { dnsError, failure, fetchError, httpServer, localFetcher, names, tcpServer } from './test-support/servers.js'

t.test('H3: addresses that no page may lead to', async (t) => {
  let requests = 0
  const origin = await httpServer(t, {
    '/': (_request, response) => {
      requests++
      response.end('secret')
    },
  })
  const { host, port } = new URL(origin)
  const guarded = localFetcher(t, { mayBePrivate: () => false })
  const names = [
    '127.0.0.1',
    'localhost',

    '[::1]',
    '[::ffff:7f00:1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '①②⑦.⓪.⓪.①',
  ]
  for (const name of names) {
    const outcome = await failure(guarded.fetch(`http://${name}:${port}/`))
    t.strictSame(outcome, { reason: 'blocked-address', retryable: false }, name)
  }
  const named = localFetcher(t, { mayBePrivate: (asked) => asked === host })
  t.equal((await named.fetch(`${origin}/`)).body.toString(), 'secret', 'a host that the user named')
  t.equal(
    (await failure(named.fetch(`http://127.0.0.1:${Number(port) - 1}/`))).reason,
    'blocked-address',
    'that port only',
  )
  t.equal(requests, 1, 'no other request came through')
  const special = [
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
  ]
  special.push(
    '::',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::7f00:1',
    '::ffff:0:127.0.0.1',
    '3fff::1',
    '5f00::1',
    '2002:a00:1::',
    '::7f00:1',
    'junk',
  )
  for (const address of special) t.equal(isSpecialAddress(address), true, address)
  for (const address of [
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '64:ff9b::101:101',
    '::ffff:8.8.8.8',
  ]) {
    t.equal(isSpecialAddress(address), false, address)
  }
})

t.test('H4: a name with a public and a private address, and one whose answer changes', async (t) => {
  const victim = await tcpServer(t, () => {}, '127.0.0.2')
  const origin = await httpServer(t, (_request, response) => response.end('public'))
  const { port } = new URL(origin)
  // Here 127.0.0.1 stands for the public internet, and 127.0.0.2 for the own network.
  const refusesAddress = (address: string) => address !== '127.0.0.1'
  const table: Record<string, string[]> = {
    'both.test': ['127.0.0.2', '127.0.0.1'],
    'private.test': ['127.0.0.2', '::1', 'fe80::1'],
    'rebinding.test': ['127.0.0.1'],
  }
  const { resolve, asked } = names(table)
  const fetcher = localFetcher(t, { mayBePrivate: () => false, refusesAddress, resolve, concurrency: 1 })
  const body = async (name: string, at = port) => (await fetcher.fetch(`http://${name}:${at}/`)).body.toString()
  t.equal(await body('both.test'), 'public', 'by its public address')
  t.equal((await failure(body('private.test', String(victim.port)))).reason, 'blocked-address')
  t.equal(await body('rebinding.test'), 'public')
  table['rebinding.test'] = ['127.0.0.2']
  t.equal(
    (await failure(body('rebinding.test', String(victim.port)))).reason,
    'connect-error',
    'pinned to what was checked',
  )
  t.equal(asked.get('rebinding.test'), 1)
  // No connection: the answer is asked for again, and refused.
  t.equal((await failure(body('rebinding.test', String(victim.port)))).reason, 'blocked-address')
  t.equal(asked.get('rebinding.test'), 2)
  t.equal(victim.connections(), 0)
})

t.test('H53: names that do not resolve', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end('page'))
  const { port } = new URL(origin)
  const { resolve: known, asked } = names({
    'good.test': ['127.0.0.1'],
    // The first family does not answer; the connection is made by the other one.
    'two-families.test': ['::1', '127.0.0.1'],
    'many.test': [...Array.from({ length: 99 }, (_, i) => `127.0.1.${i}`), '127.0.0.1'],
  })
  const fetcher = localFetcher(t, {
    timeouts: { connect: 1000 },
    resolve: async (name) => {
      if (name === 'servfail.test') throw dnsError('EAI_AGAIN', name)
      if (name === 'circle.test') throw dnsError('ENODATA', name)
      if (name === 'slow.test') await new Promise((done) => setTimeout(done, 30_000).unref())
      return known(name)
    },
  })
  const ask = (name: string) => fetcher.fetch(`http://${name}:${port}/`)
  const slow = failure(ask('slow.test'))
  t.equal((await ask('good.test')).body.toString(), 'page', 'other hosts go on meanwhile')
  t.strictSame(await failure(ask('nxdomain.test')), { reason: 'dns-error', retryable: false })
  t.strictSame(await failure(ask('nxdomain.test')), { reason: 'dns-error', retryable: false })
  t.equal(asked.get('nxdomain.test'), 1, 'asked once')
  t.strictSame(await failure(ask('circle.test')), { reason: 'dns-error', retryable: false })
  t.strictSame(await failure(ask('servfail.test')), { reason: 'dns-error', retryable: true })
  t.strictSame(await slow, { reason: 'dns-error', retryable: true }, 'no answer in time')
  t.equal((await ask('two-families.test')).body.toString(), 'page')
  const { reason } = await failure(ask('many.test'))
  t.equal(reason, 'connect-error', 'a hundred addresses: the first ten are tried')
})

t.test('H53: how long answers are kept', async (t) => {
  let now = 0
  let answer: () => Promise<{ address: string; family: number }[]>
  let asked = 0
  const resolve = () => {
    asked++
    return answer()
  }
  const cache = new DnsCache({ timeout: 10_000, now: () => now, maxNames: 2, resolve })
  const addresses = async (name: string) => (await cache.addresses(name)).map(({ address }) => address)
  answer = async () => [{ address: '192.0.2.1', family: 4 }]
  t.strictSame(await Promise.all([addresses('a'), addresses('a')]), [['192.0.2.1'], ['192.0.2.1']])
  t.equal(asked, 1, 'who asks at the same time shares the answer')
  now = POSITIVE_MS - 1
  await addresses('a')
  t.equal(asked, 1)
  now = POSITIVE_MS
  answer = async () => Array.from({ length: 100 }, (_, i) => ({ address: `192.0.2.${i}`, family: 4 }))
  t.equal((await addresses('a')).length, MAX_ADDRESSES)
  t.equal(asked, 2)
  cache.forget('a')
  answer = () => Promise.reject(dnsError('ENOTFOUND', 'a'))
  await t.rejects(addresses('a'), { code: 'ENOTFOUND' })
  cache.forget('a')
  now += NEGATIVE_MS - 1
  await t.rejects(addresses('a'), { code: 'ENOTFOUND' })
  t.equal(asked, 3, 'a name without address is known for ten minutes, whatever connections say')
  now++
  answer = () => Promise.reject(dnsError('EAI_AGAIN', 'a'))
  await t.rejects(addresses('a'), { code: 'EAI_AGAIN' })
  now += FAULT_MS
  answer = async () => [{ address: '192.0.2.7', family: 4 }]
  t.strictSame(await addresses('a'), ['192.0.2.7'], 'a fault of the resolver is asked about sooner')
  await addresses('b')
  await addresses('c')
  const before = asked
  await addresses('a')
  t.equal(asked, before + 1, 'of too many names the oldest goes')
})

t.test('H43: odd hosts', async (t) => {
  const seen: string[] = []
  const origin = await httpServer(t, (request, response) => {
    seen.push(`${request.headers.host} ${request.headers.authorization ?? ''}`)
    response.end()
  })
  const { port } = new URL(origin)
  const fetcher = localFetcher(t, { resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  await fetcher.fetch(`http://例え.jp:${port}/`)
  await fetcher.fetch(`http://user:secret@dots.test.:${port}/`)
  t.strictSame(seen, [`xn--r8jz45g.jp:${port} `, `dots.test.:${port} `], 'punycode; no credentials')
  for (const url of [`http://xn--a:${port}/`, 'http://host:99999/', 'http://a b/', 'http://exa%00mple/', 'http:///']) {
    t.equal((await failure(fetcher.fetch(url))).reason, 'unsupported-scheme', url)
  }
  t.match((await failure(fetcher.fetch('http://127.0.0.1:0/'))).reason, /^(?:connect-error|network-error)$/, 'port 0')
  const { message } = await fetchError(fetcher.fetch('ftp://user:secret@host.test/'))
  t.notMatch(message, /secret/, 'credentials are not in what is logged')
  t.equal(normalizeUrl(`http://user:secret@host.test/`), 'http://host.test/')
})

t.test('H44: odd paths have one canonical form, which the server is asked for', async (t) => {
  const seen: string[] = []
  const origin = await httpServer(t, (request, response) => {
    seen.push(request.url ?? '')
    response.end()
  })
  const fetcher = localFetcher(t)
  const cases: [reference: string, path: string][] = [
    ['/a/%2e%2e/b', '/b'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%2fb', '/a%2Fb'],
    ['/%zz', '/%zz'],
    ['/%', '/%'],
    ['/页?q=页', '/%E9%A1%B5?q=%E9%A1%B5'],
    ['/x?q=%d2%b3', '/x?q=%D2%B3'],
    ['\\a\\b', '/a/b'],
    [' /a\tb\nc ', '/abc'],
    ['/%7Euser', '/~user'],
  ]
  for (const [reference, path] of cases) {
    const url = resolveUrl(reference, `${origin}/`)!
    t.equal(url, origin + path, reference)
    t.equal(resolveUrl(url, `${origin}/`), url, 'its own canonical form')
    await fetcher.fetch(url)
    t.equal(seen.pop(), path)
  }
})

t.test('H54: IPv6', async (t) => {
  const fetcher = localFetcher(t)
  t.equal((await failure(fetcher.fetch('http://[fe80::1%25eth0]/'))).reason, 'unsupported-scheme', 'a zone')
  let server: { port: number } | undefined
  try {
    server = await tcpServer(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nsix')), '::1')
  } catch {
    t.comment('this machine has no IPv6')
  }
  if (server === undefined) return
  t.equal((await fetcher.fetch(`http://[::1]:${server.port}/`)).body.toString(), 'six')
  const only = localFetcher(t, { resolve: async () => [{ address: '::1', family: 6 }] })
  t.equal((await only.fetch(`http://six.test:${server.port}/`)).body.toString(), 'six', 'H53: an AAAA record alone')
})
