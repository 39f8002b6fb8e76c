/** Documents made to harm: each costs only itself, within the limits, and the next one is read as if nothing had been. */

import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { strToU8, unzipSync, type Zippable, zipSync } from 'fflate'
import t from 'tap'
import type { ParsedPage } from '../parse/parsed-page.js'
import { DocumentReader, MAX_GROWTH } from './document-reader.js'
import { MAX_TEXT } from './document-text.js'
import { DocumentError, MAX_DOCUMENT_LINKS } from './extracted-document.js'
import { readPage } from './read-page.js'
import { pdfFile, pdfOf } from './test-support/write-pdf.js'
import { ZipArchive } from './zip-archive.js'

const FOLDER = new URL('../../test-data/documents/', import.meta.url)
const MiB = 1024 * 1024
const reader = new DocumentReader({ timeout: 60_000 })
t.teardown(() => reader.close())

const HELLO = pdfOf({ pages: [Buffer.from('hello').toString('hex')] })

type Ending = string | ParsedPage

/** The fault, `none` for what turned out to be no document, or the page. */
async function end(body: Uint8Array, name: string, from = reader): Promise<Ending> {
  try {
    const input = { url: `http://a.example/${name}`, contentType: '', body: Buffer.from(body) }
    return (await readPage(input, { documents: from })) ?? 'none'
  } catch (error) {
    if (error instanceof DocumentError) return error.fault
    throw error
  }
}

async function faultOf(body: Uint8Array, name: string, from = reader): Promise<string> {
  const ending = await end(body, name, from)
  return typeof ending === 'string' ? ending : `text of ${ending.text.length} characters`
}

async function isWell(from = reader): Promise<boolean> {
  const page = await end(HELLO, 'hello.pdf', from)
  return typeof page !== 'string' && page.text === 'hello'
}

/** A package with some of its parts replaced. */
function altered(name: string, parts: Zippable): Buffer {
  const members = unzipSync(readFileSync(new URL(name, FOLDER)))
  return Buffer.from(zipSync({ ...members, ...parts }, { level: 1 }))
}

function word(body: string): string {
  return `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`
}

t.test('archives that inflate to more than may be', async (t) => {
  const zeros = new Uint8Array(5 * MiB).fill(0x20)
  t.equal(await faultOf(altered('guide.docx', { 'word/document.xml': zeros }), 'x.docx'), 'document-too-large', 'ratio')
  const lying = altered('guide.docx', { 'word/document.xml': zeros })
  // The size that the directory tells, 5 MiB, made 1,000 bytes.
  const at = lying.lastIndexOf(Buffer.from('word/document.xml'))
  lying.writeUInt32LE(1000, at - 46 + 24)
  t.equal(await faultOf(lying, 'x.docx'), 'document-broken', 'a size that is not true')
  const inner = zipSync({ 'word/document.xml': zeros })
  const nested = altered('guide.docx', { 'word/embeddings/inner.docx': inner, 'word/media/a.zip': inner })
  t.match(await end(nested, 'x.docx'), { text: /借阅规则/ }, 'an archive in an archive is not opened')
  const many: Zippable = {}
  for (let i = 0; i < 30_000; i++) many[`m${i}`] = new Uint8Array()
  t.equal(await faultOf(altered('guide.docx', many), 'x.docx'), 'document-too-large', 'members')
  const large = new Uint8Array(50 * MiB)
  const archive = new ZipArchive(zipSync({ large }, { level: 0 }))
  for (let i = 0; i < 3; i++) t.equal(archive.find('large')?.length, large.length)
  t.throws(() => archive.find('large'), { name: 'DocumentError', message: /more than \d+ bytes/ })
  t.ok(await isWell())
})

t.test('XML that expands, nests or never ends', async (t) => {
  const entities = ['<!ENTITY a0 "ha">']
  for (let i = 1; i < 30; i++) entities.push(`<!ENTITY a${i} "&a${i - 1};&a${i - 1};">`)
  const doctype = `<!DOCTYPE x [${entities.join('')}]>`
  const bomb = word('<w:p><w:r><w:t>&a29;</w:t></w:r></w:p>').replace('?>', `?>${doctype}`)
  t.equal(await faultOf(altered('guide.docx', { 'word/document.xml': strToU8(bomb) }), 'x.docx'), 'document-broken')
  const feed = `<?xml version="1.0"?>${doctype}<rss version="2.0"><channel><title>T</title><description>&a29;</description></channel></rss>`
  const page = await end(Buffer.from(feed), 'feed.xml')
  t.ok(typeof page === 'string' || page.text.length < 100, 'no entity is expanded')
  const external = word('<w:p><w:r><w:t>&file;</w:t></w:r></w:p>').replace(
    '?>',
    '?><!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
  )
  t.equal(await faultOf(altered('guide.docx', { 'word/document.xml': strToU8(external) }), 'x.docx'), 'document-broken')
  const deep = word('<w:tbl>'.repeat(200_000))
  t.equal(await faultOf(altered('guide.docx', { 'word/document.xml': strToU8(deep) }), 'x.docx'), 'document-too-large')
  const open = word('<w:p><w:r><w:t>unclosed')
  t.equal(await faultOf(altered('guide.docx', { 'word/document.xml': strToU8(open) }), 'x.docx'), 'document-broken')
  const loop = '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="_rels/.rels"/></Relationships>'
  t.equal(await faultOf(altered('guide.docx', { '_rels/.rels': strToU8(loop) }), 'x.docx'), 'none', 'no main part')
  t.ok(await isWell())
})

t.test('what a document tells of itself is bounded, too', async (t) => {
  const links = Array.from({ length: 20_000 }, (_, i) => `<text:a xlink:href="http://a.example/${i}">l</text:a>`).join(
    '',
  )
  const long = `http://a.example/${'x'.repeat(100_000)}`
  const content = `<o><text:p><text:a xlink:href="${long}">l</text:a>${links}</text:p></o>`
  const title = 'T'.repeat(MiB)
  const keyword = '<meta:keyword>k,l</meta:keyword>'
  const meta = `<o><dc:title>${title}</dc:title><dc:creator>${title}</dc:creator>${keyword.repeat(20_000)}</o>`
  const parts = { 'content.xml': strToU8(content), 'meta.xml': strToU8(meta) }
  const page = await end(altered('guide.odt', parts), 'x.odt')
  if (typeof page === 'string') return t.fail(page)
  t.equal(page.links.length, MAX_DOCUMENT_LINKS)
  t.match(page, { linksTruncated: true })
  t.ok(page.title.length <= 500 && (page.author?.length ?? 0) <= 200 && (page.keywords?.length ?? 0) <= 50)
  t.ok(JSON.stringify(page).length < 2 * MiB)
})

t.test('a sheet of a million cells', async (t) => {
  let rows = ''
  for (let row = 0; row < 10_000; row++) {
    rows += `<row r="${row + 1}">`
    for (let column = 0; column < 100; column++) rows += `<c><v>${(row * 7919 + column * 104_729) % 99_991}</v></c>`
    rows += '</row>'
  }
  const sheet = `<worksheet><sheetData>${rows}</sheetData></worksheet>`
  const page = await end(altered('prices.xlsx', { 'xl/worksheets/sheet1.xml': strToU8(sheet) }), 'x.xlsx')
  // How much there is depends on the machine: at some time it must do.
  t.match(page, { textTruncated: true, text: /^文具价目|^价目\n0 / })
  t.ok(typeof page !== 'string' && page.text.length <= MAX_TEXT)
})

t.test('PDF files that loop, lie and swell', async (t) => {
  const hello = `<< /Length 44 >>\nstream\nBT /F1 12 Tf 72 720 Td <68656c6c6f> Tj ET     \nendstream`
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
  const pageOf = (contents: string, resources = ''): string =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents ${contents} /Resources << /Font << /F1 4 0 R >> ${resources} >> >>`
  const files: Record<string, Buffer> = {
    'pages that are their own children': pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>',
    ]),
    'a billion pages': pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>',
      pageOf('5 0 R'),
      font,
      hello,
    ]),
    'a form that draws itself': pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      pageOf('5 0 R', '/XObject << /X 6 0 R >>'),
      font,
      '<< /Length 5 >>\nstream\n/X Do\nendstream',
      '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream',
    ]),
    'no cross-references': Buffer.from(HELLO.toString('latin1').replace(/xref[\s\S]*trailer/, 'trailer'), 'latin1'),
    'cross-references that lead back': Buffer.from(
      HELLO.toString('latin1').replace('/Root', `/Prev ${HELLO.lastIndexOf('xref\n0')} /Root`),
      'latin1',
    ),
    'cross-references into nowhere': Buffer.from(
      HELLO.toString('latin1').replace(/\d{10} 00000 n/g, '9999999999 00000 n'),
      'latin1',
    ),
    'arrays in arrays': pdfFile([`<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(300_000)}`]),
  }
  for (const [name, file] of Object.entries(files)) {
    const ending = await end(file, 'x.pdf')
    t.ok(
      typeof ending !== 'string' || ending.startsWith('document-'),
      `${name}: ${typeof ending === 'string' ? ending : 'read'}`,
    )
    t.ok(await isWell(), `the next one after ${name}`)
  }
  for (const name of ['no cross-references', 'cross-references that lead back', 'cross-references into nowhere'])
    t.match(await end(files[name]!, 'x.pdf'), { text: 'hello' }, `${name}: found all the same`)
})

t.test('a PDF stream that inflates to gigabytes takes no more memory than one may', async (t) => {
  const packed = deflateSync(deflateSync(Buffer.alloc(128 * MiB, ' '), { level: 9 }), { level: 9 })
  const before = process.memoryUsage.rss()
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() - before)
  }, 20)
  const filters = '[/FlateDecode /FlateDecode]'
  const stream = `<< /Length ${packed.length} /Filter ${filters} >>\nstream\n${packed.toString('latin1')}\nendstream`
  const pages = Array.from({ length: 8 }, (_, i) => i)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((i) => `${i + 4} 0 R`).join(' ')}] /Count 8 >>`,
    stream,
    ...pages.map(
      () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [3 0 R 3 0 R 3 0 R 3 0 R] /Resources << >> >>',
    ),
  ]
  const own = new DocumentReader({ timeout: 20_000 })
  const fault = await faultOf(pdfFile(objects), 'x.pdf', own)
  clearInterval(look)
  t.match(fault, /^document-(too-large|timeout|broken)$|^text of 0/, fault)
  t.ok(peak < MAX_GROWTH + 512 * MiB, `${Math.round(peak / MiB)} MiB`)
  t.ok(await isWell(own))
  await own.close()
})

t.test('what takes too long or too much memory is ended, and the next one is read', async (t) => {
  // Nested brackets cost marked a time that grows with the square of their number.
  const slow = Buffer.from(`${'[a](<b'.repeat(200_000)}\n`)
  const quick = new DocumentReader({ timeout: 10_000 })
  const [first, second] = await Promise.all([faultOf(slow, 'x.md', quick), isWell(quick)])
  t.match(first, /^document-timeout$|^text/, first)
  t.ok(second)
  await quick.close()
  const small = new DocumentReader({ timeout: 60_000, heap: 24 })
  // A million strings in a heap for a few hundred thousand.
  const strings = `<sst>${Array.from({ length: 1_000_000 }, (_, i) => `<si><t>${i}</t></si>`).join('')}</sst>`
  t.equal(
    await faultOf(altered('prices.xlsx', { 'xl/sharedStrings.xml': strToU8(strings) }), 'x.xlsx', small),
    'document-too-large',
  )
  t.match(await end(Buffer.from('*well*\n'), 'x.md', small), { text: 'well' }, 'one that fits into so small a heap')
  await small.close()
})

t.test('a reader that is closed or told to stop lets go at once', async (t) => {
  const own = new DocumentReader()
  const body = {
    format: 'pdf',
    bytes: readFileSync(new URL('guide.pdf', FOLDER)),
    url: 'http://a.example/x.pdf',
  } as const
  const stop = new AbortController()
  const stopped = own.read({ ...body, signal: stop.signal })
  stop.abort(new Error('stop'))
  await t.rejects(stopped, { message: 'stop' })
  const waiting = [own.read(body), own.read(body)]
  const closing = own.close()
  for (const one of waiting) await t.rejects(one, { message: /closed/ })
  await closing
  t.notOk(own.isRunning)
  await t.rejects(own.read(body), { message: /closed/ })
})

const effort = process.env.SPINDLE_EFFORT ?? 'sample'
const TRUNCATIONS = effort === 'sample' ? 6 : 50
const MUTATIONS = effort === 'sample' ? 20 : 500
const FAULTS = /^(?:none|document-(?:broken|too-large|timeout|encrypted|failed))$/

t.test('cut short anywhere and changed anywhere', async (t) => {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
  t.comment(`SEED=${seed}`)
  const next = random(seed)
  const markdown = Buffer.from('# A\n\n| a | b |\n|---|---|\n| [x](y) | `z` |\n\n<b>**一**</b>\n'.repeat(20))
  const feed = Buffer.from(
    `<rss version="2.0"><channel><title>T</title>${'<item><title>A &amp; b</title><link>/x</link><description><![CDATA[<p>一</p>]]></description></item>'.repeat(20)}</channel></rss>`,
  )
  const files = new Map<string, Buffer>([
    ['x.md', markdown],
    ['feed.xml', feed],
  ])
  for (const name of readdirSync(FOLDER)) {
    if (!name.startsWith('encrypted')) files.set(name, readFileSync(new URL(name, FOLDER)))
  }
  t.equal(files.size, 10)
  const before = process.memoryUsage.rss()
  let peak = 0
  for (const [name, whole] of files) {
    const endings = new Map<string, number>()
    const take = async (body: Buffer, what: string): Promise<void> => {
      const ending = await end(body, name)
      const word = typeof ending === 'string' ? ending : 'read'
      endings.set(word, (endings.get(word) ?? 0) + 1)
      if (typeof ending === 'string') {
        if (!FAULTS.test(ending)) t.fail(`${name} ${what}: ${ending}`)
      } else if (ending.text.length > MAX_TEXT) t.fail(`${name} ${what}: ${ending.text.length} characters`)
      peak = Math.max(peak, process.memoryUsage.rss() - before)
    }
    for (let i = 0; i < TRUNCATIONS; i++) {
      const length = next(whole.length)
      await take(whole.subarray(0, length), `of ${length} bytes`)
    }
    for (let i = 0; i < MUTATIONS; i++) {
      const body = Buffer.from(whole)
      const changes: string[] = []
      for (let count = 1 + next(4); count > 0; count--) {
        const at = next(body.length)
        body[at] = next(256)
        changes.push(`${at}=${body[at]}`)
      }
      await take(body, `with ${changes.join(' ')}`)
    }
    t.ok(await isWell(), `${name}: ${[...endings].map(([word, count]) => `${word} ${count}`).join(', ')}`)
  }
  t.ok(peak < MAX_GROWTH, `${Math.round(peak / MiB)} MiB`)
})

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
function random(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}
