import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { parseContentType } from './content-type.js'
import { defaultUserAgent, Fetcher } from './fetcher.js'
import { failure, freePort, httpServer, LOCAL, names, rawServer } from './test-support/servers.js'

const HTML = `<!DOCTYPE html><title>页</title>${'<p>Text of the page. </p>'.repeat(2000)}`

t.test('a plain response', async (t) => {
  let seen: IncomingMessage | undefined
  const origin = await httpServer(t, {
    '/a?x=1': (request, response) => {
      seen = request
      response.writeHead(200, [
        ['Content-Type', 'Text/HTML; Charset="GB2312"'],
        ['X-Robots-Tag', 'noindex'],
        ['X-Robots-Tag', 'nofollow'],
        ['__proto__', 'a header like any other'],
      ] as never)
      response.end(HTML)
    },
  })
  const fetcher = new Fetcher({ ...LOCAL, userAgent: defaultUserAgent('https://example.org/bot') })
  t.teardown(() => fetcher.close())
  const result = await fetcher.fetch(`${origin}/a?x=1#part`)
  t.equal(result.url, `${origin}/a?x=1`, 'the fragment is not part of the address')
  t.equal(result.status, 200)
  t.equal(result.body.toString(), HTML)
  t.equal(result.contentType, 'text/html')
  t.equal(result.charsetLabel, 'GB2312')
  t.equal(result.headers.get('x-robots-tag'), 'noindex\nnofollow')
  t.equal(result.headers.get('__proto__'), 'a header like any other')
  t.equal(result.truncated, false)
  t.equal(result.location, undefined)
  t.equal(result.wireBytes, Buffer.byteLength(HTML))
  t.match(seen?.headers['user-agent'], /^Spindle\/\d+\.\d+\.\d+ \(\+https:\/\/example\.org\/bot\)$/)
  t.equal(seen?.headers['accept-encoding'], 'gzip, deflate, br')
  t.equal((await fetcher.fetch(`${origin}/missing`)).status, 404, 'every status is a result')
})

t.test('aborting, closing, no server', async (t) => {
  const hanging = await rawServer(t, () => {})
  const fetcher = new Fetcher({ ...LOCAL, concurrency: 1 })
  const controller = new AbortController()
  const running = failure(fetcher.fetch(hanging, { signal: controller.signal }))
  const queued = failure(fetcher.fetch(hanging, { signal: controller.signal }))
  setTimeout(() => controller.abort(), 50)
  const before = performance.now()
  t.strictSame(await running, { reason: 'aborted', retryable: false })
  t.strictSame(await queued, { reason: 'aborted', retryable: false }, 'also one that waits for a connection')
  t.ok(performance.now() - before < 10_000, 'at once')
  t.strictSame(await failure(fetcher.fetch(hanging, { signal: controller.signal })), {
    reason: 'aborted',
    retryable: false,
  })
  const left = failure(fetcher.fetch(hanging))
  await fetcher.close()
  t.strictSame(await left, { reason: 'aborted', retryable: false })
  t.strictSame(await failure(fetcher.fetch(hanging)), { reason: 'aborted', retryable: false }, 'after close')

  const other = new Fetcher({ ...LOCAL, ...names({}) })
  t.teardown(() => other.close())
  const port = await freePort()
  t.strictSame(await failure(other.fetch(`http://127.0.0.1:${port}/`)), { reason: 'connect-error', retryable: true })
  t.equal((await failure(other.fetch('http://no-such-host.test/'))).reason, 'dns-error')
  t.equal((await failure(other.fetch(`https://${new URL(hanging).host}/`, { totalTimeout: 300 }))).reason, 'timeout')
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'no address', 'http://[bad']) {
    t.strictSame(await failure(other.fetch(url)), { reason: 'unsupported-scheme', retryable: false }, url)
  }
})

t.test('Content-Type', async (t) => {
  const cases: [header: string | undefined, essence: string, charset: string | undefined][] = [
    [undefined, '', undefined],
    ['', '', undefined],
    ['text/html', 'text/html', undefined],
    ['TEXT/Html ; Charset = "GBK" ', 'text/html', 'GBK'],
    ["text/html; charset='utf-8'; x=y", 'text/html', 'utf-8'],
    ['text/html; version=1; charset=big5', 'text/html', 'big5'],
    ['text/html;charset=', 'text/html', undefined],
    ['text/html; charset="a;b', 'text/html', 'a;b'],
    ['nonsense', '', undefined],
    ['text/html;charset=gbk, text/html', 'text/html', 'gbk'],
    ['text/plain, text/html; charset=utf-8', 'text/html', 'utf-8'],
  ]
  for (const [header, essence, charset] of cases)
    t.strictSame(parseContentType(header), { essence, charset }, String(header))
})
