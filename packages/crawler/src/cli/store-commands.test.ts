/** `spindle export`, `import`, `reindex` and `compact` as processes: usage, what they do, and kills. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IndexReader } from '@spindle/index'
import t from 'tap'

const COMMAND = fileURLToPath(new URL('../../../../bin/spindle.mjs', import.meta.url))
const PAGES = 60

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** @param killAfter milliseconds */
async function spindle(args: readonly string[], killAfter?: number): Promise<Ended> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code: code as number | null, stdout, stderr }
}

/** What can be found, with all that is stored of it. */
async function found(data: string): Promise<Map<string, string>> {
  const reader = await IndexReader.open(join(data, 'index'))
  const documents = new Map<string, string>()
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) === false) continue
      const document = await segment.document(id)
      const fields = ['title', 'body', 'alsoAt', 'description', 'anchor'].map((name) => document.get(name) ?? '')
      documents.set(document.get('url')!, JSON.stringify(fields))
    }
  }
  await reader.close()
  return new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A site whose pages are there twice, and change with the version. */
let version = 1
const server = createServer((request, response) => {
  const path = request.url ?? '/'
  if (path === '/robots.txt') return void response.writeHead(404).end()
  const number = /^\/(?:copy\/)?(\d+)$/.exec(path)?.[1]
  const links = Array.from({ length: PAGES }, (_, i) => `<a href="/${i}">${i}</a> <a href="/copy/${i}">copy</a>`)
  const words =
    number === undefined ? links.join('') : `<p>Page ${number} ${`word${number} `.repeat(60)} version ${version}`
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Page ${number}</title>${words}`)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close())
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const dir = t.testdir()
const data = join(dir, 'data')
let whole: Map<string, string>

t.test('a crawl of pages that are there twice', async (t) => {
  t.match(await spindle(['crawl', origin, '--data', data, '--delay', '0']), { code: 0 })
  whole = await found(data)
  t.equal(whole.size, PAGES + 1)
  t.match(whole.get(`${origin}7`), `${origin}copy/7`)
})

t.test('wrong usage', async (t) => {
  for (const [args, message] of [
    [['import'], /missing required argument/],
    [['import', join(dir, 'nothing.warc.gz')], /There is no file/],
    [['export', 'a', '--warc', 'b', '--data', data], /give one file/],
    [['export', join(dir, 'nowhere', 'pages.ndjson'), '--data', data], /cannot be written .* a folder that is there/],
    [['reindex', '--nothing'], /unknown option/],
  ] as const) {
    const { code, stderr } = await spindle(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
    t.equal(stderr.split('\n').length, 2, 'one line')
  }
  for (const command of ['export', 'reindex', 'compact']) {
    const { code, stderr } = await spindle([command, '--data', join(dir, 'misspelt')])
    t.equal(code, 1)
    t.match(stderr, /There are no pages/)
    t.notOk(existsSync(join(dir, 'misspelt')), 'and it makes none')
  }
})

t.test('out and in, as WARC and as records', async (t) => {
  const warc = join(dir, 'out.warc.gz')
  t.match(await spindle(['export', '--warc', warc, '--data', data]), { code: 0, stderr: /121 pages written to/ })
  const imported = join(dir, 'imported')
  t.match(await spindle(['import', warc, '--data', imported]), { code: 0, stdout: /indexed +121 / })
  t.same(await found(imported), whole)
  const lines = await spindle(['export', '--data', data])
  t.equal(lines.code, 0)
  const records = lines.stdout.trim().split('\n')
  t.equal(records.length, 121)
  t.match(JSON.parse(records[1]!), { url: origin, title: /Page/, type: 'html' })
  writeFileSync(join(dir, 'pages.ndjson'), lines.stdout)
  const again = join(dir, 'records')
  t.match(await spindle(['import', join(dir, 'pages.ndjson'), '--data', again]), { code: 0 })
  t.ok((await found(again)).has(`${origin}7`))
  writeFileSync(warc, readFileSync(warc).subarray(0, -200))
  const cut = await spindle(['import', warc, '--data', join(dir, 'cut')])
  t.equal(cut.code, 1)
  t.match(cut.stderr, /^spindle import: The WARC file out\.warc\.gz cannot be read .*\n$/)
  t.ok((await found(join(dir, 'cut'))).size > 50)
})

t.test('reindex with another stemmer, which later commands keep', async (t) => {
  const copy = join(dir, 'stemmed')
  cpSync(data, copy, { recursive: true })
  const stemmer = async (): Promise<unknown> => {
    const reader = await IndexReader.open(join(copy, 'index'))
    await reader.close()
    return reader.analyzers.default.settings.stemmer
  }
  t.equal(await stemmer(), 'english')
  const config = join(dir, 'stemmed.config.json')
  writeFileSync(config, JSON.stringify({ data: copy, index: { stemmer: 'russian,none' } }))
  t.match(await spindle(['reindex', '--config', config, '--no-parse']), { code: 0, stderr: '' })
  t.same(await stemmer(), ['russian', 'none'])
  t.same(await found(copy), whole)
  t.match(await spindle(['rank', '--compute', '--data', copy]), { code: 0 })
  t.same(await stemmer(), ['russian', 'none'])
  t.same(await found(copy), whole)
  writeFileSync(config, JSON.stringify({ data: copy, index: { stemmer: ['klingon'] } }))
  const { code, stderr } = await spindle(['reindex', '--config', config, '--no-parse'])
  t.not(code, 0)
  t.match(stderr, /index\.stemmer has "klingon"/)
  writeFileSync(config, JSON.stringify({ data: copy, index: { stemer: 'english' } }))
  t.match((await spindle(['reindex', '--config', config, '--no-parse'])).stderr, /stemer/)
})

t.test('reindex: killed again and again, it ends with the same index', async (t) => {
  const copy = join(dir, 'copy')
  let kills = 0
  for (let round = 0; kills < 2 && round < 5; round++) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(data, copy, { recursive: true })
    const { code } = await spindle(['reindex', '--data', copy], 250 + ((round * 379) % 900))
    if (code === null) kills++
    // Whatever was reached, every page is there or comes with the next run.
    const args = round % 2 === 0 ? ['reindex', '--data', copy] : ['crawl', origin, '--data', copy, '--delay', '0']
    t.match(await spindle(args), { code: 0 })
    t.same(await found(copy), whole, `round ${round}: exit code ${code}`)
  }
  t.ok(kills > 0, `${kills} killed`)
  t.match(await spindle(['reindex', '--no-parse', '--data', copy]), { code: 0, stdout: /61 documents/ })
  t.same(await found(copy), whole)
})

t.test('reindex reads pages again: what another version read is replaced', async (t) => {
  const copy = join(dir, 'older')
  cpSync(data, copy, { recursive: true })
  const { PageStore } = await import('../pages/page-store.js')
  const { SqliteWorkload } = await import('../frontier/sqlite-workload.js')
  const { pageStoreState } = await import('../frontier/batch.js')
  const codec = await import('../pages/page-codec.js')
  const workload = await SqliteWorkload.open(join(copy, 'frontier', 'frontier.db'))
  const store = await PageStore.open(join(copy, 'pages'), pageStoreState(workload))
  // As if an older version had read nothing but a wrong title.
  const transform = async (_payload: Buffer, offset: number) => {
    const { parsed, sequence, offset: _o, end: _e, ...head } = await store.read(offset)
    const body = await store.readBody(offset)
    const wrong = { ...parsed, title: 'wrong', text: 'wrong', links: [] }
    return codec.toRecord(await codec.encodePage({ ...head, body, parsed: wrong }), sequence)
  }
  await store.rewrite({ purpose: 'older', transform })
  await store.close()
  await workload.close()
  t.match(await spindle(['crawl', origin, '--data', copy, '--delay', '0']), { code: 0 })
  t.match([...(await found(copy)).values()][0], /wrong/, 'the index follows the store')
  t.match(await spindle(['reindex', '--data', copy]), { code: 0 })
  t.same(await found(copy), whole)
  const config = join(dir, 'selectors.json')
  writeFileSync(config, JSON.stringify({ crawl: { sites: { [origin]: { ignore: 'p' } } } }))
  t.match(await spindle(['reindex', '--data', copy, '--config', config]), { code: 0 })
  t.notMatch((await found(copy)).get(`${origin}7`), /word7/, 'with other selectors')
})

t.test('compact: killed or not, nothing is lost', async (t) => {
  for (const next of [2, 3]) {
    version = next
    t.match(await spindle(['crawl', origin, '--data', data, '--delay', '0', '--recrawl']), { code: 0 })
  }
  const now = await found(data)
  t.match(now.get(`${origin}7`), 'version 3')
  const log = (folder: string) => statSync(join(folder, 'pages', 'pages.log')).size
  const copy = join(dir, 'compacted')
  for (const killAfter of [350, undefined]) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(data, copy, { recursive: true })
    await spindle(['compact', '--data', copy], killAfter)
    t.match(await spindle(['crawl', origin, '--data', copy, '--delay', '0', '--recrawl']), { code: 0 })
    t.same(await found(copy), now)
    t.match(await spindle(['compact', '--data', copy]), { code: 0 })
    t.ok(log(copy) < log(data) / 2, `${log(data)} → ${log(copy)} bytes`)
    t.match(await spindle(['reindex', '--data', copy]), { code: 0 })
    t.same(await found(copy), now)
  }
})
