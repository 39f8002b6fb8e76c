/** H51: cookies of a host, and the limits of the jar. */
import t from 'tap'
import { CookieJar, MAX_COOKIE_LENGTH, MAX_COOKIES } from './cookie-jar.js'
import { failure, httpServer, localFetcher, names, rawServer } from './test-support/servers.js'

t.test('H51: cookies go back to their host, and nowhere else', async (t) => {
  const seen: string[] = []
  const sent = new Map<string, string[]>()
  const origin = await httpServer(t, (request, response) => {
    seen.push(request.headers.cookie ?? '')
    const cookies = sent.get(request.headers.host?.split(':', 1)[0] ?? '') ?? []
    response
      .writeHead(
        200,
        cookies.flatMap((cookie): [string, string] => ['Set-Cookie', cookie]),
      )
      .end()
  })
  const { port } = new URL(origin)
  const hosts = ['www.site.com', 'docs.site.com', 'site.com', 'other.com']
  const { resolve } = names(Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']])))
  const fetcher = localFetcher(t, { resolve })
  const get = async (host: string, path = '/', by = fetcher) => {
    const result = await by.fetch(`http://${host}:${port}${path}`)
    t.notOk(result.headers.has('set-cookie'), 'no cookie in what is kept or logged')
    return seen.pop()
  }
  sent.set('www.site.com', [
    'sid=1; HttpOnly',
    'wide=2; Domain=site.com',
    'foreign=3; Domain=other.com',
    'super=4; Domain=.com',
    'deep=5; Path=/deep/',
    'safe=6; Secure',
    'gone=7; Max-Age=0',
    `long=${'x'.repeat(MAX_COOKIE_LENGTH)}`,
    'no cookie at all',
    '=',
    '',
  ])
  t.equal(await get('www.site.com'), '')
  t.equal(await get('www.site.com'), 'sid=1; wide=2')
  t.equal(await get('www.site.com', '/deep/page'), 'deep=5; sid=1; wide=2')
  for (const host of ['docs.site.com', 'site.com', 'other.com']) t.equal(await get(host), '', host)
  sent.set('www.site.com', ['sid=8; Max-Age=0', 'wide=9; Domain=site.com'])
  await get('www.site.com')
  t.equal(await get('www.site.com'), 'wide=9', 'replaced and expired')
  const without = localFetcher(t, { resolve, cookies: false })
  await get('www.site.com', '/', without)
  t.equal(await get('www.site.com', '/', without), '', 'switched off')
  t.equal(await get('www.site.com', '/', localFetcher(t, { resolve })), '', 'another run begins without')
})

t.test('H51: floods of cookies', async (t) => {
  let batch = 0
  const origin = await httpServer(t, (request, response) => {
    if (request.url === '/huge') response.writeHead(200, { 'set-cookie': `a=${'x'.repeat(1 << 20)}` }).end()
    else {
      const cookies = Array.from({ length: 100 }, (_, i) => `c${batch * 100 + i}=${i}`)
      batch++
      response.writeHead(200, { 'set-cookie': cookies }).end(request.headers.cookie ?? '')
    }
  })
  const fetcher = localFetcher(t)
  for (let i = 0; i < 10; i++) await fetcher.fetch(`${origin}/`)
  const kept = (await fetcher.fetch(`${origin}/`)).body.toString().split('; ')
  t.equal(kept.length, MAX_COOKIES)
  t.equal(kept[kept.length - 1], 'c999=99', 'the newest of a thousand')
  t.equal((await failure(fetcher.fetch(`${origin}/huge`))).reason, 'headers-too-large', 'a cookie of 1 MB')
})

t.test('bytes that are no ASCII go back as they came', async (t) => {
  const values = [Buffer.from('a=页'), Buffer.from([0x62, 0x3d, 0xd2, 0xb3]), Buffer.from('d=é; Path=/')]
  let asked = ''
  const url = await rawServer(t, (socket, _connection, request) => {
    asked = /^cookie: (.*)$/im.exec(request)?.[1] ?? ''
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n')
    for (const value of values) socket.write(Buffer.concat([Buffer.from('Set-Cookie: '), value, Buffer.from('\r\n')]))
    socket.end('\r\n')
  })
  const fetcher = localFetcher(t)
  for (let i = 0; i < 2; i++) t.equal((await fetcher.fetch(url)).status, 200)
  t.equal(
    Buffer.from(asked.trim(), 'latin1').toString('hex'),
    Buffer.concat([values[0]!, Buffer.from('; '), values[1]!, Buffer.from('; d=é')]).toString('hex'),
  )
})

t.test('no cookie and no host ends a crawl', async (t) => {
  const origin = await httpServer(t, (_request, response) => {
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2; Domain=test'] }).end('page')
  })
  const { port } = new URL(origin)
  const hosts = ['test', 'example', 'localhost', 'intranet', 'dots.test.', 'com', 'co.uk', 'x.local']
  const { resolve } = names(Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']])))
  const fetcher = localFetcher(t, { resolve })
  for (const host of hosts) {
    for (let i = 0; i < 2; i++) t.equal((await fetcher.fetch(`http://${host}:${port}/`)).body.toString(), 'page', host)
  }
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.comment(`SEED=${seed}`)
  let state = seed >>> 0
  const random = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
  const parts =
    'a|=|;| |Domain|Path|/|Expires|Max-Age|99999999999999999999|-|.|com|\0|é|页|"|,|__proto__|Secure|__Host-'
      .split('|')
      .concat('%', 'xn--', '[', ']', '::1', '127.0.0.1', 'test', '\ud800', 'Wed, 09 Jun 2100 10:18:14 GMT')
  const urls = ['http://a.example.org/x/y', 'http://test/', 'http://[::1]/', 'https://co.uk/'].map(
    (url) => new URL(url),
  )
  const jar = new CookieJar()
  for (let i = 0; i < 2000; i++) {
    const line = Array.from({ length: 1 + random(14) }, () => parts[random(parts.length)]).join('')
    const url = urls[random(urls.length)]!
    await jar.store(url, [line])
    jar.header(url, 'http://test')
  }
})

t.test('the jar', async (t) => {
  const jar = new CookieJar()
  const at = (url: string) => jar.header(new URL(url))
  t.equal(at('https://a.example.org/'), undefined)
  await jar.store(new URL('https://a.example.org/'), ['s=1; Secure', 'shared=2; Domain=example.org'])
  t.equal(at('https://a.example.org/'), 's=1; shared=2')
  t.equal(at('http://a.example.org/'), undefined, 'another scheme is another origin')
  await jar.store(new URL('http://a.example.org/'), ['s=4; Secure', 'plain=5'])
  t.equal(at('http://a.example.org/'), 'plain=5', 'a secure cookie by https alone')
  t.equal(at('https://a.example.org:8443/'), undefined, 'another port is another origin')
  t.equal(at('https://b.example.org/'), undefined)
  t.equal(
    jar.header(new URL('https://b.example.org/'), 'https://a.example.org'),
    'shared=2',
    'by the login, for their common domain',
  )
  await jar.store(new URL('https://b.example.org/'), ['own=3'])
  t.equal(jar.header(new URL('https://b.example.org/'), 'https://a.example.org'), 'own=3; shared=2')
  await jar.store(new URL('http://127.0.0.1/'), ['ip=1', 'net=2; Domain=0.0.1'])
  t.equal(at('http://127.0.0.1/'), 'ip=1')
  await jar.store(new URL('https://x.co.uk/'), ['uk=1; Domain=co.uk'])
  t.equal(at('https://x.co.uk/'), undefined, 'a public suffix')
  for (let i = 0; i < 1000; i++) await jar.store(new URL(`http://h${i}.test/`), ['a=1'])
  t.equal(at('https://a.example.org/'), undefined, 'of too many origins the oldest goes')
  t.equal(at('http://h999.test/'), 'a=1')
})
