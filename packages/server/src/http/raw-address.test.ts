/** Addresses that are not escaped, over real connections. */
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { indexPages, openApp } from '../test-support/site-fixture.js'

const data = t.testdir()
await indexPages(data, [
  { url: 'https://example.org/1', title: '北京天安门广场', body: '天安门广场位于北京市中心。', lang: 'zh' },
])
const server = await openApp(data)
t.teardown(() => server.close())
await server.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = server.app.server.address() as AddressInfo

/** What comes back until the connection ends, as bytes. */
function send(request: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

t.test('a search in Chinese as it is typed on a command line', async (t) => {
  const answer = await send('GET /api/v1/search?q=天安门 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n')
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  t.match(answer, /\r\nconnection: close\r\n/)
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  t.equal(Number(/content-length: (\d+)/.exec(head)![1]), Buffer.byteLength(body))
  const { query, total, hits } = JSON.parse(body)
  t.equal(query, '天安门')
  t.equal(total, 1)
  t.equal(hits[0].title, '北京天安门广场')
  t.match(await send('GET /search?q=天安门 HTTP/1.1\r\nHost: localhost\r\n\r\n'), /<em>|<mark>/)
})

t.test('HEAD has the length and no body', async (t) => {
  const answer = await send('HEAD /search?q=天安门 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  t.ok(answer.endsWith('\r\n\r\n'))
})

t.test('the same guards as for any other request', async (t) => {
  t.match(await send('GET /search?q=中 HTTP/1.1\r\nHost: evil.example\r\n\r\n'), /^HTTP\/1\.1 421 /)
  t.match(await send('GET /中 HTTP/1.1\r\nHost: localhost\r\n\r\n'), /^HTTP\/1\.1 404 /)
  t.match(
    await send(`GET /api/v1/search?q=${'中'.repeat(1100)} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    /^HTTP\/1\.1 4\d\d /,
  )
  const broken = Buffer.from('GET /api/v1/search?q=\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n', 'latin1')
  t.match(await send(broken), /^HTTP\/1\.1 200 /, 'bytes that are no UTF-8')
})

t.test('what is no request stays none', async (t) => {
  for (const request of [
    'GET /a 中 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /中 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n',
    'GET /中 HTTP/1.1\r\n\r\n',
    'GET /中 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello',
    'GET /中 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /中 HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n',
    'POST /中 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /中 HTTP/1.1\r\nHost: localhost\r\n',
  ]) {
    t.match(await send(request), /^HTTP\/1\.1 400 /, JSON.stringify(request))
  }
  const two = 'GET /search?q=中 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'
  t.equal((await send(two)).match(/HTTP\/1\.1 /g)?.length, 1, 'the connection ends with the answer')
})
