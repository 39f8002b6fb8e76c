import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import zlib from 'node:zlib'
import { isSpindleError } from '@spindle/core'
import t, { type Test } from 'tap'
import { isSpecialAddress } from './address-guard.js'
import { ByteBudget } from './byte-budget.js'
import { ContentDecoder, parseContentEncoding } from './content-decoder.js'
import { parseContentType } from './content-type.js'
import type { FetchError } from './fetch-error.js'
import { defaultUserAgent, Fetcher } from './fetcher.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP server with one handler a path. */
async function httpServer(test: Test, routes: Record<string, Handler>): Promise<string> {
  const server: Server = createServer((request, response) => {
    const handler = routes[request.url ?? '']
    if (handler === undefined) response.writeHead(404).end('no')
    else handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that writes bytes of the test's choice. */
async function rawServer(test: Test, respond: (socket: Socket, connection: number) => void): Promise<string> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createNetServer((socket) => {
    sockets.add(socket)
    const connection = ++connections
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => respond(socket, connection))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function failure(promise: Promise<unknown>): Promise<{ reason: string; retryable: boolean }> {
  try {
    await promise
  } catch (error) {
    if (!isSpindleError(error, 'FETCH_FAILED')) throw error
    const { reason, retryable } = error as FetchError
    return { reason, retryable }
  }
  throw new Error('the fetch should have failed')
}

/** The servers of these tests are on this machine. */
const LOCAL = { mayBePrivate: () => true }
const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }
const HTML = `<!DOCTYPE html><title>页</title>${'<p>Text of the page. </p>'.repeat(2000)}`

/** Bytes that do not compress, the same each time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

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
  t.equal(result.headers.get('x-robots-tag'), 'noindex, nofollow')
  t.equal(result.headers.get('__proto__'), 'a header like any other')
  t.equal(result.truncated, false)
  t.equal(result.location, undefined)
  t.equal(result.wireBytes, Buffer.byteLength(HTML))
  t.match(seen?.headers['user-agent'], /^Spindle\/\d+\.\d+\.\d+ \(\+https:\/\/example\.org\/bot\)$/)
  t.equal(seen?.headers['accept-encoding'], 'gzip, deflate, br')
  t.equal((await fetcher.fetch(`${origin}/missing`)).status, 404, 'every status is a result')
})

t.test('content encodings', async (t) => {
  const gzip = zlib.gzipSync(HTML)
  const encoded = (encoding: string, body: Buffer | string): Handler => {
    return (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)
  }
  const bomb = zlib.gzipSync(Buffer.alloc(16 << 20))
  const noise = Buffer.alloc(300_000, 'x')
  let state = 1
  for (let i = 0; i < noise.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    noise[i] = 32 + ((state >>> 24) % 90)
  }
  const origin = await httpServer(t, {
    '/gzip': encoded('gzip', gzip),
    '/x-gzip': encoded(' X-GZIP ', gzip),
    '/br': encoded('br', zlib.brotliCompressSync(HTML)),
    '/zlib': encoded('deflate', zlib.deflateSync(HTML)),
    '/raw': encoded('deflate', zlib.deflateRawSync(HTML)),
    '/two': encoded('gzip, br', zlib.brotliCompressSync(gzip)),
    '/identity': encoded('identity', HTML),
    '/plain-gzip': encoded('gzip', HTML),
    '/plain-deflate': encoded('deflate', HTML),
    '/plain-br': encoded('br', HTML),
    '/plain-tiny': encoded('gzip', 'x'),
    '/empty': encoded('gzip', ''),
    '/members': encoded('gzip', Buffer.concat([gzip, zlib.gzipSync('second')])),
    '/three': encoded('gzip, gzip, gzip', gzip),
    '/unknown': encoded('zstd', HTML),
    '/cut': encoded('gzip', gzip.subarray(0, gzip.length - 30)),
    '/cut-br': encoded('br', zlib.brotliCompressSync(noise, FAST).subarray(0, 100_000)),
    '/damaged': encoded('gzip', Buffer.concat([gzip.subarray(0, 20), Buffer.alloc(200, 0xff)])),
    '/bomb': encoded('gzip', bomb),
    '/bomb-br': encoded('br', zlib.brotliCompressSync(Buffer.alloc(16 << 20), FAST)),
    '/bomb-two': encoded('gzip, gzip', zlib.gzipSync(bomb)),
    '/big': encoded('gzip', zlib.gzipSync(Buffer.concat([noise, noise]))),
  })
  const fetcher = new Fetcher(LOCAL)
  t.teardown(() => fetcher.close())
  const paths = ['gzip', 'x-gzip', 'br', 'zlib', 'raw', 'two', 'identity', 'plain-gzip', 'plain-deflate', 'plain-br']
  for (const path of paths) {
    t.equal((await fetcher.fetch(`${origin}/${path}`)).body.toString(), HTML, path)
  }
  t.equal((await fetcher.fetch(`${origin}/plain-tiny`)).body.toString(), 'x', 'a body shorter than any magic number')
  t.equal((await fetcher.fetch(`${origin}/empty`)).body.length, 0, 'nothing under a gzip label is nothing')
  t.equal((await fetcher.fetch(`${origin}/members`)).body.toString(), `${HTML}second`, 'gzip members follow each other')
  t.strictSame(await failure(fetcher.fetch(`${origin}/three`)), { reason: 'bad-encoding', retryable: false })
  t.strictSame(await failure(fetcher.fetch(`${origin}/unknown`)), { reason: 'bad-encoding', retryable: false })
  t.strictSame(await failure(fetcher.fetch(`${origin}/damaged`)), { reason: 'bad-encoding', retryable: false })
  t.strictSame(await failure(fetcher.fetch(`${origin}/cut`)), { reason: 'truncated', retryable: true })
  t.strictSame(await failure(fetcher.fetch(`${origin}/cut-br`)), { reason: 'truncated', retryable: true })
  for (const path of ['bomb', 'bomb-br', 'bomb-two']) {
    t.strictSame(await failure(fetcher.fetch(`${origin}/${path}`)), { reason: 'too-large', retryable: false }, path)
  }
  const cut = await fetcher.fetch(`${origin}/big`, { maxBody: 400_000 })
  t.equal(cut.truncated, true)
  t.equal(cut.body.length, 400_000, 'cut at the limit of decoded bytes')
  t.ok(cut.body.subarray(0, 300_000).equals(noise))
  t.strictSame(parseContentEncoding('identity, gzip'), ['gzip'])
})

t.test('redirects are returned, not followed', async (t) => {
  const to = (location: string | undefined, body = 'moved'): Handler => {
    return (_request, response) => response.writeHead(302, location === undefined ? {} : { location }).end(body)
  }
  const origin = await httpServer(t, {
    '/relative': to('../b/./c#top'),
    '/scheme-relative': to('//example.org/x'),
    '/file': to('file:///etc/passwd'),
    '/malformed': to('http://[bad'),
    '/empty': to(''),
    '/none': to(undefined),
    '/big': to('/target', 'x'.repeat(5 << 20)),
    '/broken': (_request, response) => {
      response.writeHead(302, { location: '/target', 'content-length': '1000', 'content-encoding': 'nonsense' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    },
  })
  const fetcher = new Fetcher(LOCAL)
  t.teardown(() => fetcher.close())
  const location = async (path: string) => (await fetcher.fetch(`${origin}/${path}`)).location
  t.equal(await location('relative'), `${origin}/b/c`)
  t.equal(await location('scheme-relative'), 'http://example.org/x')
  t.equal(await location('file'), 'file:///etc/passwd', 'the scope decides about it')
  t.equal(await location('malformed'), undefined)
  t.equal(await location('empty'), undefined)
  t.equal(await location('none'), undefined)
  t.equal(await location('big'), `${origin}/target`)
  t.equal(await location('broken'), `${origin}/target`, 'a redirect needs no body')

  const raw = await rawServer(t, (socket, connection) => {
    const path = connection === 1 ? '/页' : Buffer.from([0x2f, 0xd2, 0xb3])
    socket.write('HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ')
    socket.write(path)
    socket.end('\r\n\r\n')
  })
  t.equal((await fetcher.fetch(raw)).location, `${raw}%E9%A1%B5`, 'raw UTF-8')
  t.equal((await fetcher.fetch(raw)).location, `${raw}%D2%B3`, 'raw bytes of another encoding stay those bytes')
})

t.test('limits and faults of the server', async (t) => {
  const fetcher = new Fetcher({
    ...LOCAL,
    timeouts: { connect: 2000, headers: 300, idle: 300, total: 1500 },
    maxBody: 100_000,
  })
  t.teardown(() => fetcher.close())
  const respond = (text: string, then: 'end' | 'stay' | 'reset' = 'end') => {
    return rawServer(t, (socket) => {
      socket.write(text, 'latin1', () => {
        if (then === 'end') socket.end()
        else if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
      })
    })
  }
  const OK = 'HTTP/1.1 200 OK\r\n'
  const cases: [name: string, text: string, then: 'end' | 'stay' | 'reset', reason: string, retryable: boolean][] = [
    ['no answer', '', 'stay', 'timeout', true],
    ['closed without a byte', '', 'end', 'network-error', true],
    ['reset without a byte', '', 'reset', 'network-error', true],
    ['silence within the body', `${OK}Content-Length: 100\r\n\r\nabc`, 'stay', 'timeout', true],
    ['length too big', `${OK}Content-Length: 100\r\n\r\nabc`, 'end', 'truncated', true],
    ['cut within a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n10\r\nabc`, 'end', 'truncated', true],
    ['reset within the body', `${OK}Content-Length: 100\r\n\r\nabc`, 'reset', 'truncated', true],
    ['bad chunk size', `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n`, 'stay', 'protocol-error', false],
    ['negative length', `${OK}Content-Length: -5\r\n\r\nabc`, 'stay', 'protocol-error', false],
    ['two lengths', `${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, 'stay', 'protocol-error', false],
    ['status 000', 'HTTP/1.1 000 Nothing\r\nContent-Length: 1\r\n\r\nx', 'end', 'protocol-error', false],
    ['no status line', '<html>hello</html>', 'end', 'protocol-error', false],
    ['a header too large', `${OK}X-A: ${'a'.repeat(40_000)}\r\n\r\nabc`, 'stay', 'headers-too-large', false],
    [
      'another protocol',
      'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'stay',
      'protocol-error',
      false,
    ],
  ]
  for (const [name, text, then, reason, retryable] of cases) {
    t.strictSame(await failure(fetcher.fetch(await respond(text, then))), { reason, retryable }, name)
  }
  t.equal(
    (await fetcher.fetch(await respond(`HTTP/1.0 200 OK\r\n\r\nold`))).body.toString(),
    'old',
    'HTTP/1.0 without length',
  )
  t.equal(
    (await fetcher.fetch(await respond(`${OK}Content-Length: 3\r\n\r\nabcdefgh`, 'stay'))).body.toString(),
    'abc',
    'length too small: the declared bytes count',
  )
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
  t.equal(
    (await fetcher.fetch(await respond(`${hints.repeat(3)}${OK}Content-Length: 2\r\n\r\nhi`))).body.toString(),
    'hi',
  )

  const endless = await rawServer(t, (socket) => {
    socket.write(OK)
    socket.write('Content-Type: text/html\r\n\r\n')
    const timer = setInterval(() => socket.write('x'.repeat(50_000)), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const cut = await fetcher.fetch(endless)
  t.equal(cut.truncated, true)
  t.equal(cut.body.length, 100_000, 'an endless body is cut')

  const crumbs = await rawServer(t, (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`)
    socket.end(`${'1\r\nx\r\n'.repeat(90_000)}0\r\n\r\n`)
  })
  t.equal((await fetcher.fetch(crumbs)).body.toString(), 'x'.repeat(90_000), 'a body in single bytes')

  const drip = await rawServer(t, (socket) => {
    socket.write(`${OK}\r\n`)
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  })
  const before = performance.now()
  t.strictSame(await failure(fetcher.fetch(drip)), { reason: 'timeout', retryable: true }, 'drop by drop')
  t.ok(performance.now() - before < 20_000)

  const reused = await rawServer(t, (socket, connection) => {
    socket.write(`${OK}Content-Length: 5\r\n\r\npage${connection}`)
    socket.on('data', () => socket.destroy())
  })
  t.equal((await fetcher.fetch(reused)).body.toString(), 'page1')
  t.equal((await fetcher.fetch(reused)).body.toString(), 'page2', 'a kept connection that died is opened anew')
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
  const fetcher = new Fetcher({ ...LOCAL, maxBody: 3 << 20, timeouts: { total: 30_000 } })
  t.teardown(() => fetcher.close())
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

  const other = new Fetcher(LOCAL)
  t.teardown(() => other.close())
  const free = createNetServer()
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  t.strictSame(await failure(other.fetch(`http://127.0.0.1:${port}/`)), { reason: 'connect-error', retryable: true })
  t.equal((await failure(other.fetch('http://no-such-host.invalid/'))).reason, 'dns-error')
  t.equal((await failure(other.fetch(`https://${new URL(hanging).host}/`, { totalTimeout: 300 }))).reason, 'timeout')
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'no address', 'http://[bad']) {
    t.strictSame(await failure(other.fetch(url)), { reason: 'unsupported-scheme', retryable: false }, url)
  }
})

t.test('addresses that no page may lead to', async (t) => {
  let requests = 0
  const origin = await httpServer(t, {
    '/': (_request, response) => {
      requests++
      response.end('secret')
    },
  })
  const { host, port } = new URL(origin)
  const guarded = new Fetcher()
  t.teardown(() => guarded.close())
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
  const named = new Fetcher({ mayBePrivate: (asked) => asked === host })
  t.teardown(() => named.close())
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

t.test('damaged compressed bodies end one way or another', async (t) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.comment(`SEED=${seed}`)
  let state = seed >>> 0
  const random = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
  const page = Buffer.from('<p>Some text of a page, '.repeat(400))
  const encoded = {
    gzip: zlib.gzipSync(page),
    deflate: zlib.deflateSync(page),
    br: zlib.brotliCompressSync(page, FAST),
    'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(page), FAST),
  }
  let intact = 0
  for (const [label, bytes] of Object.entries(encoded)) {
    for (let round = 0; round < 40; round++) {
      const damaged = Buffer.from(bytes.subarray(0, round % 4 === 0 ? random(bytes.length) : bytes.length))
      for (let n = round === 1 ? 0 : random(4); n > 0 && damaged.length > 0; n--)
        damaged[random(damaged.length)] = random(256)
      const outcome = await new Promise<string>((resolve) => {
        let size = 0
        const decoder = new ContentDecoder(parseContentEncoding(label)!, 1 << 20, {
          data: (chunk) => {
            size += chunk.length
            return true
          },
          end: () => resolve(size === page.length ? 'intact' : 'end'),
          fail: (reason) => resolve(reason),
          drain: () => {},
        })
        for (let i = 0; i < damaged.length; i += 100) decoder.write(damaged.subarray(i, i + 100))
        decoder.end()
      })
      t.match(outcome, /^(?:intact|end|bad-encoding|truncated|too-large)$/, `${label} ${round}`)
      if (outcome === 'intact') intact++
    }
  }
  t.ok(intact >= 4, 'those that were not damaged came through')
})
