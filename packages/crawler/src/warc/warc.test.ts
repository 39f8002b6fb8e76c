import { createHash, randomBytes } from 'node:crypto'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Crawl } from '../crawl.js'
import { LivePages } from '../pages/live-pages.js'
import type { PageHead } from '../pages/stored-page.js'
import { exportWarc } from './export-pages.js'
import { parseHttpMessage } from './http-message.js'
import type { WarcReport } from './warc-importer.js'
import { readWarc, type WarcRecord } from './warc-reader.js'
import { base32, MAX_BLOCK } from './warc-record.js'
import { WarcWriter } from './warc-writer.js'

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE())
t.comment(`SEED=${seed}`)

function record(
  type: string,
  url: string,
  block: string | Buffer,
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.from(block)
  const fields = {
    'WARC-Type': type,
    'WARC-Record-ID': '<urn:uuid:00000000-0000-0000-0000-000000000000>',
    'WARC-Date': '2024-05-06T07:08:09Z',
    'WARC-Target-URI': url,
    'Content-Type': 'application/http; msgtype=response',
    'Content-Length': String(bytes.length),
    ...more,
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`WARC/1.0\r\n${head.join('')}\r\n`), bytes, Buffer.from('\r\n\r\n')])
}

const answer = (body: string, head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n') => `${head}\r\n${body}`
const page = (words: string) => `<!doctype html><title>${words}</title><p>Some text about ${words}`

function file(t: Test, name: string, bytes: Buffer): string {
  const path = join(t.testdir(), name)
  writeFileSync(path, bytes)
  return path
}

async function all(path: string): Promise<{ records: WarcRecord[]; error: unknown }> {
  const records: WarcRecord[] = []
  try {
    for await (const one of readWarc(path, () => true)) records.push(one)
  } catch (error) {
    return { records, error }
  }
  return { records, error: undefined }
}

async function take(data: string, path: string): Promise<{ report: WarcReport; error: unknown }> {
  const crawl = await Crawl.open({ data })
  let report: WarcReport | undefined
  let error: unknown
  try {
    await crawl.importWarc({ path }, async (importer) => {
      await importer.run().catch((failure: unknown) => {
        error = failure
      })
      report = importer.report
    })
  } finally {
    await crawl.close()
  }
  return { report: report!, error }
}

async function stored(data: string): Promise<Map<string, { title: string; head: PageHead; body: Buffer }>> {
  const pages = await LivePages.open(data)
  const found = new Map<string, { title: string; head: PageHead; body: Buffer }>()
  for await (const offset of pages.offsets()) {
    const { parsed, ...head } = await pages.reader.read(offset)
    found.set(head.url, { title: parsed.title, head, body: await pages.reader.readBody(offset) })
  }
  await pages.close()
  return found
}

t.test('base 32 of RFC 4648', async (t) => {
  for (const [text, encoded] of [
    ['', ''],
    ['fooba', 'MZXW6YTB'],
    ['foobarfoobar', 'MZXW6YTBOJTG633CMFZA'],
  ] as const) {
    t.equal(base32(Buffer.from(text)), encoded)
  }
  t.equal(base32(createHash('sha1').digest()), '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', 'the digest of nothing')
})

t.test('answers as tools keep them', async (t) => {
  const text = 'The body. 正文。'.repeat(50)
  const bytes = Buffer.from(text)
  const chunks = (body: Buffer) =>
    Buffer.concat([
      Buffer.from(`${(10).toString(16)};ext=1\r\n`),
      body.subarray(0, 10),
      Buffer.from(`\r\n${(body.length - 10).toString(16).toUpperCase()}\r\n`),
      body.subarray(10),
      Buffer.from('\r\n0\r\nTrailer: x\r\n\r\n'),
    ])
  const message = (headers: string, body: Buffer) =>
    Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`), body])
  const good: [string, Buffer][] = [
    ['plain', message('X: y', bytes)],
    ['chunked', message('Transfer-Encoding: chunked', chunks(bytes))],
    ['gzip', message('Content-Encoding: gzip', gzipSync(bytes))],
    ['gzip in chunks', message('content-encoding: x-gzip\r\ntransfer-encoding: Chunked', chunks(gzipSync(bytes)))],
    ['deflate', message('Content-Encoding: deflate', deflateSync(bytes))],
    ['deflate without its wrapper', message('Content-Encoding: deflate', deflateRawSync(bytes))],
    ['brotli', message('Content-Encoding: br', brotliCompressSync(bytes))],
    ['said to be chunked, and is not', message('Transfer-Encoding: chunked', bytes)],
    ['said to be gzip, and is not', message('Content-Encoding: gzip', bytes)],
    ['an encoding that nobody knows', message('Content-Encoding: zstd', bytes)],
    ['lone line feeds', Buffer.concat([Buffer.from('HTTP/1.0 200\nA: b\n\n'), bytes])],
    ['a status line of HTTP/2', Buffer.concat([Buffer.from('HTTP/2 200 \r\nA: b\r\n\r\n'), bytes])],
    ['rubbish among the headers', message('no header\r\n: nothing\r\n\tfolded', bytes)],
  ]
  for (const [name, block] of good) {
    const parsed = parseHttpMessage(block)
    t.equal(parsed?.status, 200, name)
    t.ok(parsed?.body.equals(bytes), name)
  }
  t.same(parseHttpMessage(Buffer.from('HTTP/1.1 404 Not Found\r\nA: 1\r\nA: 2\r\nB: x\r\n y\r\n\r\n')), {
    status: 404,
    headers: new Map([
      ['a', '1, 2'],
      ['b', 'x y'],
    ]),
    body: Buffer.alloc(0),
    truncated: false,
  })
  t.equal(parseHttpMessage(Buffer.from('HTTP/1.1 301 Moved\r\nLocation: /x'))?.status, 301, 'headers alone')
  for (const odd of ['', 'GET / HTTP/1.1\r\n\r\n', '\r\n\r\n', '\0\0\0', 'HTTP/1.1 abc\r\n\r\n']) {
    t.equal(parseHttpMessage(Buffer.from(odd)), undefined, JSON.stringify(odd))
  }
  const bomb = parseHttpMessage(message('Content-Encoding: gzip', gzipSync(Buffer.alloc(40 << 20))))
  t.match({ ...bomb, body: bomb?.body.length }, { body: 0, truncated: true })
})

t.test('what was read stays, whatever comes after it', async (t) => {
  const two = ['http://a.example/1', 'http://a.example/2'].map((url) => record('response', url, answer(page(url))))
  const whole = Buffer.concat(two)
  const members = Buffer.concat(two.map((bytes) => gzipSync(bytes)))
  const bad: [string, Buffer, number][] = [
    ['cut in a head', whole.subarray(0, two[0]!.length + 50), 1],
    ['cut in a block', whole.subarray(0, -40), 1],
    ['cut in a member', members.subarray(0, -30), 1],
    ['no record', Buffer.from('<html>not a WARC file\n\n'), 0],
    ['rubbish between records', Buffer.concat([two[0]!, Buffer.from('rubbish\r\n'), two[1]!]), 1],
    ['no length', Buffer.concat([two[0]!, Buffer.from('WARC/1.0\r\nWARC-Type: response\r\n\r\nxx')]), 1],
    [
      'a length of another world',
      Buffer.concat([two[0]!, record('response', 'x', '', { 'Content-Length': '99999999999999' })]),
      1,
    ],
    ['a negative length', Buffer.concat([two[0]!, record('response', 'x', '', { 'Content-Length': '-5' })]), 1],
    ['a line without an end', Buffer.concat([two[0]!, Buffer.alloc(200_000, 'x')]), 1],
    ['fields without an end', Buffer.concat([two[0]!, Buffer.from(`WARC/1.0\r\n${'A: b\r\n'.repeat(5000)}`)]), 1],
    ['empty lines', Buffer.concat([two[0]!, Buffer.alloc(10_000, '\n'), two[1]!]), 1],
    ['gzip of rubbish', gzipSync(Buffer.from('rubbish\n')), 0],
    ['a member that becomes a thousand times as large', Buffer.concat([gzipSync(two[0]!), bomb()]), 1],
  ]
  for (const [name, bytes, records] of bad) {
    const path = file(t, 'bad.warc', bytes)
    const { records: found, error } = await all(path)
    t.equal(found.length, records, name)
    t.match(error, { code: 'WARC_UNREADABLE', message: /^The WARC file bad\.warc cannot .*\.$/ }, name)
    t.notMatch((error as Error).message, /\n/)
  }
  for (const [name, bytes, records] of [
    ['nothing', Buffer.alloc(0), 0],
    ['plain', whole, 2],
    ['a member a record', members, 2],
    ['one member', gzipSync(whole), 2],
    [
      'lone line feeds',
      Buffer.from(
        whole
          .toString()
          .replaceAll('\r\n', '\n')
          .replaceAll(/Content-Length: \d+/g, 'Content-Length: 0'),
      ),
      1,
    ],
  ] as const) {
    const { records: found } = await all(file(t, 'good.warc.gz', bytes))
    t.equal(found.length, records, name)
  }
})

/** Two gigabytes of zeros in one record. */
function bomb(): Buffer {
  const head = record('response', 'http://a.example/bomb', '', { 'Content-Length': String(2 ** 31) })
  const zeros = gzipSync(Buffer.alloc(64 << 20))
  return Buffer.concat([gzipSync(head), ...Array.from({ length: 32 }, () => zeros)])
}

t.test('cut at any byte: one sentence, and the records before', async (t) => {
  const bytes = Buffer.concat(
    [1, 2, 3].map((i) => gzipSync(record('response', `http://a.example/${i}`, answer(page(`${i}`))))),
  )
  const path = file(t, 'cut.warc.gz', bytes)
  let last = -1
  for (let cut = (seed % 7) + 1; cut < bytes.length; cut += 7) {
    writeFileSync(path, bytes.subarray(0, cut))
    const { records, error } = await all(path)
    if (records.length < last) t.fail(`${cut} bytes: ${records.length} records after ${last}`)
    last = records.length
    if (error !== undefined && (error as { code?: string }).code !== 'WARC_UNREADABLE') t.fail(`${cut} bytes: ${error}`)
    for (const { block } of records)
      if (!block?.toString().startsWith('HTTP/1.1 200')) t.fail(`${cut} bytes: wrong block`)
  }
  t.equal(last, 3)
})

t.test('pages go out and come back as they were', async (t) => {
  const data = join(t.testdir(), 'in')
  const latin = Buffer.from('<title>caf\xe9</title><p>Le caf\xe9 au lait, s\xe9r\xe9nit\xe9', 'latin1')
  const records = [
    record('warcinfo', '', 'software: x\r\n', { 'Content-Type': 'application/warc-fields' }),
    record('request', 'http://a.example/', 'GET / HTTP/1.1\r\n\r\n'),
    record('response', 'http://a.example/', answer(page('first'))),
    record('response', '<http://a.example/brackets>', answer(page('brackets'))),
    record(
      'response',
      'http://a.example/latin',
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n'), latin]),
    ),
    record(
      'response',
      'http://a.example/noindex',
      answer(page('noindex'), 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\n'),
    ),
    record('response', 'http://a.example/404', answer('x', 'HTTP/1.1 404 Not Found\r\n')),
    record('response', 'http://a.example/moved', answer('', 'HTTP/1.1 301 Moved\r\nLocation: /\r\n')),
    record(
      'response',
      'http://a.example/picture',
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n'),
        Buffer.from('89504e470d0a1a0a0000', 'hex'),
      ]),
    ),
    record('response', 'dns:a.example', '20240506 a.example. 60 IN A 192.0.2.1', { 'Content-Type': 'text/dns' }),
    record('resource', 'http://a.example/note.txt', 'A note.\nIts text.', { 'Content-Type': 'text/plain' }),
    record('conversion', 'http://a.example/', 'text', { 'Content-Type': 'text/plain' }),
    record('revisit', 'http://a.example/copy', 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n', {
      'WARC-Refers-To-Target-URI': 'http://a.example/',
    }),
    record('revisit', 'http://a.example/', 'HTTP/1.1 304 Not Modified\r\n\r\n', {
      'WARC-Refers-To-Target-URI': 'http://a.example/',
    }),
    record('revisit', 'http://a.example/unknown', 'HTTP/1.1 200 OK\r\n\r\n', {
      'WARC-Refers-To-Target-URI': 'http://b.example/',
    }),
    // Captures of one address, out of order.
    record('response', 'http://a.example/twice', answer(page('new')), { 'WARC-Date': '2024-06-01T00:00:00Z' }),
    record('response', 'http://a.example/twice', answer(page('old')), { 'WARC-Date': '2024-05-01T00:00:00Z' }),
    record('response', 'http://a.example/cut', answer(page('cut')), { 'WARC-Truncated': 'length' }),
  ]
  const path = file(t, 'in.warc', Buffer.concat(records))
  const { report, error } = await take(data, path)
  t.equal(error, undefined)
  t.match(report, {
    records: records.length,
    indexed: 8,
    unchanged: 0,
    failed: {},
    skipped: {
      request: 1,
      warcinfo: 1,
      conversion: 1,
      'http-404': 1,
      'http-301': 1,
      'non-text': 1,
      'other-scheme': 1,
      revisit: 2,
      older: 1,
    },
  })
  const before = await stored(data)
  t.equal(before.size, 8)
  t.equal(before.get('http://a.example/twice')?.title, 'new')
  t.equal(before.get('http://a.example/latin')?.title, 'café')
  t.equal(before.get('http://a.example/copy')?.title, 'first')
  t.equal(before.get('http://a.example/cut')?.head.truncated, true)
  t.equal(before.get('http://a.example/')?.head.fetchedAt, Date.parse('2024-05-06T07:08:09Z'))
  t.match((await take(data, path)).report, { indexed: 0, unchanged: 7 + 1 }, 'again: nothing new')
  for (const compress of [true, false]) {
    const out = join(t.testdirName, compress ? 'out.warc.gz' : 'out.warc')
    const pages = await LivePages.open(data)
    const parts: Buffer[] = []
    for await (const part of exportWarc(pages, { filename: 'out', compress, software: 'test' })) parts.push(part)
    await pages.close()
    writeFileSync(out, Buffer.concat(parts))
    await checkFields(t, out)
    const again = join(t.testdirName, `again-${compress}`)
    t.match(await take(again, out), { error: undefined, report: { indexed: 8, failed: {} } })
    const after = await stored(again)
    t.same([...after.keys()].sort(), [...before.keys()].sort())
    for (const [url, { title, head, body }] of before) {
      const other = after.get(url)!
      t.equal(other.title, title, url)
      t.ok(other.body.equals(body), url)
      for (const name of ['status', 'fetchedAt', 'contentType', 'headers', 'truncated', 'hash'] as const) {
        t.same(other.head[name], head[name], `${url} ${name}`)
      }
    }
  }
})

/** Lengths and digests of every record are right, and equal bodies are written once. */
async function checkFields(t: Test, path: string): Promise<void> {
  const { records, error } = await all(path)
  t.equal(error, undefined)
  const payloads = new Set<string>()
  const sha1 = (bytes: Buffer) => `sha1:${base32(createHash('sha1').update(bytes).digest())}`
  const ids = new Set<string>()
  for (const { type, fields, block, length } of records) {
    t.equal(block?.length, length)
    t.equal(fields.get('warc-block-digest'), sha1(block!))
    ids.add(fields.get('warc-record-id')!)
    if (type === 'response') {
      const { body, headers } = parseHttpMessage(block!)!
      t.equal(fields.get('warc-payload-digest'), sha1(body))
      t.equal(headers.get('content-length'), String(body.length))
      payloads.add(fields.get('warc-payload-digest')!)
    }
    if (type === 'revisit') {
      t.ok(payloads.has(fields.get('warc-payload-digest')!))
      t.ok(ids.has(fields.get('warc-refers-to')!))
    }
    if (type === 'metadata') t.ok(ids.has(fields.get('warc-concurrent-to')!))
  }
  t.equal(ids.size, records.length)
  t.same([...new Set(records.map(({ type }) => type))].sort(), ['metadata', 'response', 'revisit', 'warcinfo'])
}

t.test('a file that ends early leaves its pages; the whole one brings the rest', async (t) => {
  const data = join(t.testdir(), 'data')
  const bytes = Buffer.concat(
    [1, 2, 3, 4].map((i) => gzipSync(record('response', `http://a.example/${i}`, answer(page(`${i}`))))),
  )
  const path = join(t.testdirName, 'x.warc.gz')
  writeFileSync(path, bytes)
  truncateSync(path, statSync(path).size - 100)
  const cut = await take(data, path)
  t.match(cut, { error: { code: 'WARC_UNREADABLE' }, report: { indexed: 3 } })
  t.equal((await stored(data)).size, 3)
  writeFileSync(path, bytes)
  t.match(await take(data, path), { error: undefined, report: { indexed: 1, unchanged: 3 } })
})

t.test('an address longer than any server need answer costs its page, not the folder', async (t) => {
  const path = file(
    t,
    'long.warc',
    Buffer.concat([
      record('response', `http://a.example/${'x'.repeat(40_000)}`, answer(page('long'))),
      record('response', 'http://a.example/next', answer(page('next'))),
    ]),
  )
  const data = join(path, '../data')
  const { report, error } = await take(data, path)
  t.equal(error, undefined)
  t.match(report, { indexed: 1, skipped: { 'url-too-long': 1 } })
  t.same([...(await stored(data)).keys()], ['http://a.example/next'])
})

t.test('a block larger than what is kept', async (t) => {
  const big = Buffer.concat([Buffer.from(answer('<title>big</title>')), Buffer.alloc(MAX_BLOCK + 5000, 'word ')])
  const path = file(
    t,
    'big.warc.gz',
    gzipSync(
      Buffer.concat([
        record('response', 'http://a.example/big', big),
        record('response', 'http://a.example/next', answer(page('next'))),
      ]),
      { level: 1 },
    ),
  )
  const { records, error } = await all(path)
  t.equal(error, undefined)
  t.equal(records[0]?.block?.length, MAX_BLOCK)
  t.equal(records[1]?.fields.get('warc-target-uri'), 'http://a.example/next')
})

t.test('the writer: a local file is a resource, headers of the wire are left out', async (t) => {
  const head = {
    url: 'file:///x/y.txt',
    status: 200,
    fetchedAt: 0,
    contentType: 'text/plain',
    headers: {},
    truncated: false,
    hash: '',
    depth: 0,
  }
  const writer = new WarcWriter(true)
  const local = gunzipSync(writer.page(head, Buffer.from('text'))).toString()
  t.match(local, /^WARC\/1\.1\r\nWARC-Type: resource\r\n/)
  t.match(local, /\r\nContent-Type: text\/plain\r\n/)
  const web = {
    ...head,
    url: 'http://a.example/',
    headers: { 'content-encoding': 'gzip', etag: '"x"', 'x-robots-tag': 'a\nb' },
  }
  const response = gunzipSync(writer.page(web, Buffer.from('text'))).toString()
  t.notMatch(response, /encoding/i)
  t.match(response, /\r\nX-Robots-Tag: a\r\nX-Robots-Tag: b\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n/)
})
