/** H9–H16 of hostile servers: bodies without end, too slow, cut, wrongly counted or framed; and how large bodies share the memory. */
import zlib from 'node:zlib'
import t, { type Test } from 'tap'
import { ByteBudget } from './byte-budget.js'
import { failure, httpServer, localFetcher, noise, rawServer, tcpServer } from './test-support/servers.js'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
type Then = 'end' | 'stay' | 'reset'

/** A server that answers each request with the same bytes. */
function respond(t: Test, text: string, then: Then = 'end'): Promise<string> {
  return rawServer(t, (socket) => {
    socket.write(text, 'latin1', () => {
      if (then === 'end') socket.end()
      else if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
}

t.test('H9: a body without end is cut at the limit', async (t) => {
  const fetcher = localFetcher(t, { maxBody: 100_000 })
  for (const framing of ['Connection: close', 'Transfer-Encoding: chunked', 'Content-Length: 99999999999']) {
    let closed: Promise<void> | undefined
    let sent = 0
    const endless = await rawServer(t, (socket) => {
      socket.write(`${OK}Content-Type: text/html\r\n${framing}\r\n\r\n`)
      const piece = 'x'.repeat(50_000)
      const timer = setInterval(() => {
        sent += piece.length
        socket.write(framing.includes('chunked') ? `c350\r\n${piece}\r\n` : piece)
      }, 5)
      closed = new Promise((resolve) => socket.on('close', resolve))
      socket.on('close', () => clearInterval(timer))
    })
    const cut = await fetcher.fetch(endless)
    t.equal(cut.truncated, true, framing)
    t.equal(cut.body.length, 100_000)
    await closed
    t.ok(sent < 50_000_000, 'the connection was closed')
  }
})

t.test('H10: a body that comes drop by drop', async (t) => {
  const drip = await rawServer(t, (socket) => {
    socket.write(`${OK}\r\n`)
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  })
  const quick = await httpServer(t, { '/': (_request, response) => response.end('quick') })
  const byRate = localFetcher(t, { timeouts: { slow: 300, idle: 60_000, total: 60_000 } })
  const byTotal = localFetcher(t, { timeouts: { total: 500 } })
  const slow = [byRate.fetch(drip), byTotal.fetch(drip)].map(failure)
  t.equal((await byRate.fetch(`${quick}/`)).body.toString(), 'quick', 'other hosts do not wait')
  const before = performance.now()
  for (const outcome of slow) t.strictSame(await outcome, { reason: 'timeout', retryable: true })
  t.ok(performance.now() - before < 25_000)
})

t.test('H11: a server that says nothing, or nothing more', async (t) => {
  const fetcher = localFetcher(t, { timeouts: { headers: 300, idle: 300 } })
  const silent = await tcpServer(t)
  t.strictSame(await failure(fetcher.fetch(`http://127.0.0.1:${silent.port}/`)), { reason: 'timeout', retryable: true })
  const cases: [name: string, text: string][] = [
    ['no answer', ''],
    ['half of the headers', `${OK}Content-Le`],
    ['headers alone', `${OK}Content-Length: 100\r\n\r\n`],
    ['a part of the body', `${OK}Content-Length: 100\r\n\r\nabc`],
  ]
  for (const [name, text] of cases) {
    t.strictSame(
      await failure(fetcher.fetch(await respond(t, text, 'stay'))),
      { reason: 'timeout', retryable: true },
      name,
    )
  }
})

t.test('H12–H16: wrong lengths, broken chunks, broken connections', async (t) => {
  const fetcher = localFetcher(t, { timeouts: { headers: 10_000, idle: 10_000 }, maxBody: 2_000_000 })
  const cases: [name: string, text: string, then: Then, reason: string, retryable: boolean][] = [
    ['H12 length too big', `${OK}Content-Length: 100\r\n\r\nabc`, 'end', 'truncated', true],
    ['H14 negative length', `${OK}Content-Length: -5\r\n\r\nabc`, 'stay', 'protocol-error', false],
    ['H14 no number', `${OK}Content-Length: abc\r\n\r\nabc`, 'stay', 'protocol-error', false],
    ['H14 two lengths', `${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, 'stay', 'protocol-error', false],
    [
      'H14 length and chunks',
      `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      'stay',
      'protocol-error',
      false,
    ],
    ['H15 bad chunk size', `${CHUNKED}xyz\r\nabc\r\n`, 'stay', 'protocol-error', false],
    ['H15 cut within a chunk', `${CHUNKED}10\r\nabc`, 'end', 'truncated', true],
    ['H15 cut between chunks', `${CHUNKED}3\r\nabc\r\n`, 'end', 'truncated', true],
    [
      'H15 huge trailers',
      `${CHUNKED}3\r\nabc\r\n0\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`,
      'stay',
      'headers-too-large',
      false,
    ],
    ['H16 nothing, then the end', '', 'end', 'network-error', true],
    ['H16 reset before the headers', '', 'reset', 'network-error', true],
    ['H16 reset within the headers', `${OK}Content-Type: text/h`, 'reset', 'network-error', true],
    ['H16 end within the headers', `${OK}Content-Type: text/h`, 'end', 'network-error', true],
    ['H16 reset within the body', `${OK}Content-Length: 100\r\n\r\nabc`, 'reset', 'truncated', true],
  ]
  for (const [name, text, then, reason, retryable] of cases) {
    t.strictSame(await failure(fetcher.fetch(await respond(t, text, then))), { reason, retryable }, name)
  }
  const body = async (text: string, then: Then = 'end') =>
    (await fetcher.fetch(await respond(t, text, then))).body.toString()
  t.equal(
    await body(`${OK}Content-Length: 3\r\n\r\nabcdefgh`, 'stay'),
    'abc',
    'H13 length too small: the declared bytes count',
  )
  t.equal(await body(`${CHUNKED}3;x=${'e'.repeat(65_536)}\r\nabc\r\n0\r\n\r\n`), 'abc', 'H15 long chunk extensions')
  const crumbs = `${'1\r\nx\r\n'.repeat(1_000_000)}0\r\n\r\n`
  t.equal((await body(CHUNKED + crumbs)).length, 1_000_000, 'H15 a million chunks of one byte')

  const paths: string[] = []
  const extra = await rawServer(t, (socket, connection, request) => {
    paths.push(`${connection} ${request.split(' ', 2)[1]}`)
    socket.write(`${OK}Content-Length: 5\r\n\r\npage${connection}${connection === 1 ? 'HTTP/1.1 200 OK\r\n' : ''}`)
    socket.on('data', () => socket.destroy())
  })
  t.equal((await fetcher.fetch(`${extra}a`)).body.toString(), 'page1')
  t.equal(
    (await fetcher.fetch(`${extra}b`)).body.toString(),
    'page2',
    'H13 a connection with more bytes is not used again',
  )
  t.strictSame(paths, ['1 /a', '2 /b'])
})

t.test('large bodies wait for their place, small ones do not', async (t) => {
  const large = Buffer.alloc(2 << 20, 'large ')
  const packed = zlib.gzipSync(noise(1 << 20))
  const origin = await httpServer(t, {
    '/large': (_request, response) => response.writeHead(200, { 'content-length': large.length }).end(large),
    '/packed': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    '/small': (_request, response) => response.end('small'),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'content-length': large.length })
      response.write(large.subarray(0, 1 << 20), () => setTimeout(() => response.destroy(), 50))
    },
  })
  const fetcher = localFetcher(t, { maxBody: 3 << 20, timeouts: { total: 30_000 } })
  const budget = new ByteBudget(3 << 20)
  const first = await fetcher.fetch(`${origin}/large`, { budget })
  const ended: string[] = []
  const queue = ['/large', '/packed', '/large'].map((path) =>
    fetcher.fetch(origin + path, { budget, totalTimeout: 2000 }).then((result) => {
      ended.push(path)
      return result
    }),
  )
  const controller = new AbortController()
  const given = fetcher.fetch(`${origin}/large`, { budget, signal: controller.signal })
  t.equal((await fetcher.fetch(`${origin}/small`, { budget })).body.toString(), 'small')
  // Longer than the deadline: the wait is not the server's.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  t.strictSame(ended, [], 'no other large body is in memory')
  controller.abort()
  t.equal((await failure(given)).reason, 'aborted', 'who waits can go')
  first.release()
  first.release()
  for (const one of queue) void one.then(({ release }) => release())
  for (const result of await Promise.all(queue)) t.ok(result.body.length >= 1 << 20 && !result.truncated)
  t.equal(ended.length, 3)
  t.equal((await failure(fetcher.fetch(`${origin}/cut`, { budget }))).reason, 'truncated')
  const last = await fetcher.fetch(`${origin}/large`, { budget })
  t.ok(last.body.equals(large), 'a failed fetch gives its place back')
  last.release()
})
