/** H21, H22: bodies that blow up, many layers, wrong labels, cut streams. */
import zlib from 'node:zlib'
import t from 'tap'
import { ContentDecoder, parseContentEncoding } from './content-decoder.js'
import { Fetcher } from './fetcher.js'
import { failure, type Handler, httpServer, LOCAL, localFetcher } from './test-support/servers.js'

const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }
const HTML = `<!DOCTYPE html><title>页</title>${'<p>Text of the page. </p>'.repeat(2000)}`

t.test('H22: content encodings', async (t) => {
  const gzip = zlib.gzipSync(HTML)
  const encoded = (encoding: string, body: Buffer | string): Handler => {
    return (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)
  }
  const bomb = zlib.gzipSync(Buffer.alloc(16 << 20))
  const letters = Buffer.alloc(300_000, 'x')
  let state = 1
  for (let i = 0; i < letters.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    letters[i] = 32 + ((state >>> 24) % 90)
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
    '/six': encoded('gzip, '.repeat(6), gzip),
    '/thousands': encoded('gzip,'.repeat(3000), gzip),
    '/flood': encoded('gzip,'.repeat(5000), gzip),
    '/unknown': encoded('zstd', HTML),
    '/cut': encoded('gzip', gzip.subarray(0, gzip.length - 30)),
    '/cut-br': encoded('br', zlib.brotliCompressSync(letters, FAST).subarray(0, 100_000)),
    '/damaged': encoded('gzip', Buffer.concat([gzip.subarray(0, 20), Buffer.alloc(200, 0xff)])),
    '/bomb': encoded('gzip', bomb),
    '/bomb-br': encoded('br', zlib.brotliCompressSync(Buffer.alloc(16 << 20), FAST)),
    '/bomb-two': encoded('gzip, gzip', zlib.gzipSync(bomb)),
    '/big': encoded('gzip', zlib.gzipSync(Buffer.concat([letters, letters]))),
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
  for (const path of ['six', 'thousands'])
    t.strictSame(await failure(fetcher.fetch(`${origin}/${path}`)), { reason: 'bad-encoding', retryable: false }, path)
  t.equal((await failure(fetcher.fetch(`${origin}/flood`))).reason, 'headers-too-large')
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
  t.ok(cut.body.subarray(0, 300_000).equals(letters))
  t.strictSame(parseContentEncoding('identity, gzip'), ['gzip'])
})

t.test('H21: bombs of 200 MB cost no memory', async (t) => {
  // Members of a gzip stream follow each other: 13 × 16 MiB in 210 KB.
  const member = zlib.gzipSync(Buffer.alloc(16 << 20))
  const once = Buffer.concat(new Array<Buffer>(13).fill(member))
  const brotli = zlib.brotliCompressSync(Buffer.alloc(64 << 20), FAST)
  let sent = 0
  const bomb = (encoding: string, body: Buffer): Handler => {
    return (_request, response) => {
      sent++
      response.writeHead(200, { 'content-encoding': encoding }).end(body)
    }
  }
  const origin = await httpServer(t, {
    '/gzip': bomb('gzip', once),
    '/twice': bomb('gzip, gzip', zlib.gzipSync(once)),
    '/br': bomb('br', brotli),
  })
  const fetcher = localFetcher(t)
  const before = process.resourceUsage().maxRSS
  for (const path of ['gzip', 'twice', 'br']) {
    for (let i = 0; i < 3; i++)
      t.strictSame(await failure(fetcher.fetch(`${origin}/${path}`)), { reason: 'too-large', retryable: false }, path)
  }
  t.equal(sent, 9)
  const grown = (process.resourceUsage().maxRSS - before) / 1024
  t.ok(grown < 50, `${grown} MB more`)
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
