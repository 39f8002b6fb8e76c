/** H17–H20, H50, H55, H56, H61, H63, H64 of hostile servers: what is not quite HTTP, and what is but should change nothing. */
import t, { type Test } from 'tap'
import { failure, type Handler, httpServer, localFetcher, rawServer, tcpServer } from './test-support/servers.js'

const OK = 'HTTP/1.1 200 OK\r\n'

function respond(t: Test, text: string): Promise<string> {
  return rawServer(t, (socket) => socket.write(text, 'latin1', () => setTimeout(() => socket.end(), 20)))
}

t.test('H17–H20: broken heads, old versions, odd statuses, floods, upgrades', async (t) => {
  const fetcher = localFetcher(t, { timeouts: { headers: 10_000 } })
  const cases: [name: string, text: string, reason: string][] = [
    ['H17 no status line', '<html>hello</html>', 'protocol-error'],
    ['H17 HTTP/0.9', 'hello\r\n', 'protocol-error'],
    ['H17 folded header', `${OK}X-A: a\r\n b\r\nContent-Length: 1\r\n\r\nx`, 'protocol-error'],
    ['H17 bare LF', 'HTTP/1.1 200 OK\nContent-Length: 1\n\nx', 'protocol-error'],
    ['H17 space in a name', `${OK}X A: a\r\n\r\n`, 'protocol-error'],
    ['H17 colon after the status', 'HTTP/1.1: 200 OK\r\n\r\n', 'protocol-error'],
    ['H18 status 000', 'HTTP/1.1 000 Nothing\r\nContent-Length: 1\r\n\r\nx', 'protocol-error'],
    ['H18 status 1000', 'HTTP/1.1 1000 Much\r\nContent-Length: 1\r\n\r\nx', 'protocol-error'],
    ['H19 a header of 1 MB', `${OK}X-A: ${'a'.repeat(1 << 20)}\r\n\r\nabc`, 'headers-too-large'],
    ['H19 5,000 headers', `${OK}${'A: b\r\n'.repeat(5000)}\r\nabc`, 'headers-too-large'],
    [
      'H19 3,000 early hints',
      `${'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'.repeat(3000)}${OK}\r\n`,
      'protocol-error',
    ],
    ['H20 101', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'protocol-error'],
    ['H20 101 without a word', 'HTTP/1.1 101 Switching\r\n\r\n', 'protocol-error'],
  ]
  for (const [name, text, reason] of cases) {
    t.strictSame(await failure(fetcher.fetch(await respond(t, text))), { reason, retryable: false }, name)
  }
  const answers: [name: string, text: string, status: number, body: string][] = [
    ['H18 HTTP/1.0 without length', 'HTTP/1.0 200 OK\r\n\r\nold', 200, 'old'],
    ['H18 no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi', 200, 'hi'],
    ['H18 status 999', 'HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nno', 999, 'no'],
    [
      'H19 some early hints',
      `${'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'.repeat(3)}${OK}Content-Length: 2\r\n\r\nhi`,
      200,
      'hi',
    ],
    ['H20 407', 'HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno', 407, 'no'],
    [
      'H20 426',
      'HTTP/1.1 426 Upgrade\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\nno',
      426,
      'no',
    ],
  ]
  for (const [name, text, status, body] of answers) {
    const result = await fetcher.fetch(await respond(t, text))
    t.strictSame([result.status, result.body.toString()], [status, body], name)
  }
})

t.test('H50: answers to conditional requests, and such answers to others', async (t) => {
  const seen: string[] = []
  const origin = await httpServer(t, (request, response) => {
    seen.push(`${request.headers['if-none-match'] ?? '-'} ${request.headers['if-modified-since'] ?? '-'}`)
    const headers = { etag: 'W/"v1"', 'last-modified': 'Fri, 01 Jan 2100 00:00:00 GMT' }
    response.writeHead(304, headers).end()
  })
  const fetcher = localFetcher(t)
  const headers = { 'if-none-match': 'W/"v1"', 'if-modified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
  const asked = await fetcher.fetch(`${origin}/`, { headers })
  t.strictSame([asked.status, asked.body.length, asked.headers.get('etag')], [304, 0, 'W/"v1"'])
  t.equal((await fetcher.fetch(`${origin}/`)).status, 304, 'unasked: the caller knows what it asked')
  t.strictSame(seen, ['W/"v1" Mon, 01 Jan 2024 00:00:00 GMT', '- -'])
  // The body that a 304 must not have is no answer to the next request.
  const withBody = await rawServer(t, (socket, connection) => {
    if (connection === 1) socket.write('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nstale')
    else socket.end(`${OK}Content-Length: 5\r\n\r\nfresh`)
  })
  const { status, body } = await fetcher.fetch(withBody, { headers })
  t.strictSame([status, body.length], [304, 0])
  t.equal((await fetcher.fetch(withBody)).body.toString(), 'fresh')
})

t.test('H55: HEAD is never sent, nor anything but one GET', async (t) => {
  const methods: string[] = []
  const origin = await httpServer(t, (request, response) => {
    methods.push(request.method ?? '')
    response.writeHead(request.method === 'GET' ? 200 : 405).end('page')
  })
  t.equal((await localFetcher(t).fetch(`${origin}/`)).body.toString(), 'page')
  t.strictSame(methods, ['GET'])
})

t.test('H56: Content-Disposition is text like any other header', async (t) => {
  const values = [
    'attachment; filename="../../etc/passwd"',
    "attachment; filename*=UTF-8''..%2f..%2fx%00.html",
    'attachment; filename="\\\\server\\share"',
  ]
  const origin = await httpServer(
    t,
    Object.fromEntries(
      values.map((value, i): [string, Handler] => [
        `/${i}`,
        (_request, response) => response.writeHead(200, { 'content-disposition': value }).end('page'),
      ]),
    ),
  )
  const fetcher = localFetcher(t)
  for (const [i, value] of values.entries()) {
    const result = await fetcher.fetch(`${origin}/${i}`)
    t.strictSame([result.url, result.headers.get('content-disposition')], [`${origin}/${i}`, value])
  }
  const long = `${OK}Content-Disposition: attachment; filename="${'x'.repeat(65_536)}"\r\n\r\n`
  t.equal((await failure(fetcher.fetch(await respond(t, long)))).reason, 'headers-too-large')
  const nul = `${OK}Content-Disposition: attachment; filename="a\0b"\r\nContent-Length: 1\r\n\r\nx`
  t.equal((await failure(fetcher.fetch(await respond(t, nul)))).reason, 'protocol-error')
})

t.test('H61: a server that likes browsers better gets no other name of ours', async (t) => {
  const agents: string[] = []
  const origin = await httpServer(t, ({ headers }, response) => {
    const agent = headers['user-agent'] ?? ''
    agents.push(agent)
    if (agent.includes('Mozilla')) response.end('for browsers')
    else response.writeHead(403).end('no robots')
  })
  const fetcher = localFetcher(t)
  for (let i = 0; i < 2; i++) t.equal((await fetcher.fetch(`${origin}/`)).status, 403)
  t.equal(new Set(agents).size, 1)
  t.match(agents[0], /^Spindle\//)
})

t.test('H63: connections that the server gives up are replaced without a loss', async (t) => {
  let requests = 0
  const origin = await httpServer(t, (_request, response) => {
    requests++
    // Without a word before: the next request meets a closed connection.
    if (requests % 10 === 0) response.socket?.end()
    response.end(`page`)
  })
  const fetcher = localFetcher(t, { concurrency: 4 })
  let next = 0
  let pages = 0
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (next++ < 250) if ((await fetcher.fetch(`${origin}/${next}`)).body.toString() === 'page') pages++
    }),
  )
  t.equal(pages, 250)
  const late = await rawServer(t, (socket, connection) => {
    socket.write(`${OK}Content-Length: 5\r\n\r\npage${connection}`)
    socket.on('data', () => socket.destroy())
  })
  t.equal((await fetcher.fetch(late)).body.toString(), 'page1')
  t.equal((await fetcher.fetch(late)).body.toString(), 'page2', 'a kept connection that died is opened anew')
  const polite = await rawServer(t, (socket, connection) => {
    socket.end(`${OK}Connection: close\r\nContent-Length: 5\r\n\r\npage${connection}`)
  })
  for (const page of ['page1', 'page2']) t.equal((await fetcher.fetch(polite)).body.toString(), page)
})

t.test('H64: an answer before the question, and two answers', async (t) => {
  const fetcher = localFetcher(t, { concurrency: 1, timeouts: { headers: 5000 } })
  const paths: string[] = []
  const two = await rawServer(t, (socket, connection, request) => {
    paths.push(request.split(' ', 2)[1]!)
    const answer = (text: string) => `${OK}Content-Length: ${text.length}\r\n\r\n${text}`
    socket.write(answer(`first${connection}`) + answer('a second one'))
  })
  t.equal((await fetcher.fetch(`${two}a`)).body.toString(), 'first1')
  t.equal((await fetcher.fetch(`${two}b`)).body.toString(), 'first2', 'not the second one of another request')
  t.strictSame(paths, ['/a', '/b'])

  const early = await tcpServer(t, (socket) => {
    socket.end(`${OK}Content-Length: 5\r\n\r\nearly`)
    socket.resume()
  })
  // It may meet the request on its way or come before it: it is taken once, or not at all.
  const outcomes = []
  for (let i = 0; i < 3; i++) {
    outcomes.push(
      await fetcher.fetch(`http://127.0.0.1:${early.port}/${i}`).then(
        ({ body }) => body.toString(),
        ({ reason }: { reason: string }) => reason,
      ),
    )
  }
  for (const outcome of outcomes) t.match(outcome, /^(?:early|network-error|protocol-error)$/)
  t.ok(early.connections() >= 3, 'each time on a connection of its own')
})
