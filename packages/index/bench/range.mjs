/**
 * The same index read from memory, by ranges through a cache, and over HTTP: time to open, memory, and what a query reads.
 *
 *   node packages/index/bench/range.mjs CORPUS [INDEX]
 *
 * CORPUS: one document a line, words between spaces. The index is built in INDEX (a folder, made where it is missing;
 * a temporary one where not given) with positions and without stored text. All three must give the same hits.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import {
  BooleanQuery,
  Document,
  Field,
  FsDirectory,
  HttpDirectory,
  IndexReader,
  IndexSearcher,
  IndexWriter,
  PhraseQuery,
  publishIndex,
  Term,
  TermQuery,
} from '../dist/index.js'
import { SpaceAnalyzer } from './space-analyzer.mjs'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string', default: '200' },
    budget: { type: 'string', default: '8' },
    way: { type: 'string' },
  },
})
const [corpus, givenIndex] = positionals
if (corpus === undefined || !(Number(flags.queries) > 0)) {
  console.error('node packages/index/bench/range.mjs CORPUS [INDEX] [--queries 200] [--budget MiB]')
  process.exit(2)
}

const analyzer = new SpaceAnalyzer()

const index = givenIndex ?? (await mkdtemp(join(tmpdir(), 'spindle-range-')))
if (!existsSync(index) || !readdirSync(index).some((name) => name.startsWith('segments_'))) {
  const writer = await IndexWriter.open(index, { analyzer })
  for await (const line of createInterface({ input: createReadStream(corpus) })) {
    await writer.addDocument(new Document().add(Field.unStored('body', line)))
  }
  await writer.optimize()
  await writer.commit()
  await writer.close()
}
await publishIndex(index)
const size = readdirSync(index).reduce((sum, name) => sum + statSync(join(index, name)).size, 0)

const queries = makeQueries(await sampleLines(corpus, 400), Number(flags.queries))

/** Counts what is read of the files. */
class CountingDirectory extends FsDirectory {
  requests = 0
  bytes = 0
  async open(name) {
    const input = await super.open(name)
    const { read } = input
    input.read = (target, offset) => {
      this.requests++
      this.bytes += target.length
      return read.call(input, target, offset)
    }
    return input
  }
}

const server = createServer(async (request, response) => {
  let file
  try {
    file = await open(join(index, decodeURIComponent(request.url).split('/').at(-1)))
    const { size, mtimeMs } = await file.stat()
    const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range)
    const bytes = Buffer.alloc(Math.min(size, Number(last) + 1) - Number(from))
    await file.read(bytes, 0, bytes.length, Number(from))
    response.writeHead(206, {
      etag: `"${size}-${mtimeMs}"`,
      'content-length': bytes.length,
      'content-range': `bytes ${from}-${Number(from) + bytes.length - 1}/${size}`,
    })
    response.end(bytes)
  } catch {
    response.writeHead(404).end()
  } finally {
    await file?.close()
  }
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const budget = Number(flags.budget) * 2 ** 20
const ways = [
  ['memory', () => new CountingDirectory(index), {}, (d) => [d.requests, d.bytes]],
  [
    `ranges, ${flags.budget} MiB`,
    () => new CountingDirectory(index),
    { memoryBudget: budget },
    (d) => [d.requests, d.bytes],
  ],
  [
    'HTTP',
    () => new HttpDirectory(`http://127.0.0.1:${server.address().port}/`),
    {},
    (d) => [d.traffic.requests, d.traffic.bytes],
  ],
]

if (flags.way === undefined) {
  // A process for each way: memory of one is not counted for another.
  const rows = []
  const digests = new Set()
  for (let way = 0; way < ways.length; way++) {
    const args = [import.meta.filename, corpus, index, '--queries', flags.queries, '--budget', flags.budget]
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--way', String(way)])
    const { row, digest } = JSON.parse(stdout)
    rows.push(row)
    digests.add(digest)
  }
  if (digests.size > 1) throw new Error('the ways give different hits')
  console.log(
    `${(size / 1e6).toFixed(1)} MB; ${queries.length} queries of two words (OR, AND, phrase); the same hits in all ways`,
  )
  console.table(rows)
  if (givenIndex === undefined) await rm(index, { recursive: true })
} else {
  console.log(JSON.stringify(await measure(...ways[Number(flags.way)])))
}
server.close()
server.closeAllConnections()

async function measure(name, makeDirectory, options, traffic) {
  const rssBefore = process.memoryUsage().rss
  let directory = makeDirectory()
  let began = performance.now()
  let reader = await IndexReader.open(directory, options)
  const firstOpen = performance.now() - began
  const rss = process.memoryUsage().rss - rssBefore
  let openTime = Infinity
  for (let i = 0; i < 4; i++) {
    await reader.close()
    directory = makeDirectory()
    began = performance.now()
    reader = await IndexReader.open(directory, options)
    openTime = Math.min(openTime, performance.now() - began)
  }
  const opening = traffic(directory)
  const searcher = new IndexSearcher(reader)
  const digest = createHash('sha256')
  const bytes = []
  let requests = 0
  began = performance.now()
  for (const query of queries) {
    const before = traffic(directory)
    digest.update(await answerOf(searcher, query))
    const after = traffic(directory)
    requests += after[0] - before[0]
    bytes.push(after[1] - before[1])
  }
  const cold = performance.now() - began
  began = performance.now()
  for (const query of queries) await answerOf(searcher, query)
  const warm = performance.now() - began
  const { resident, cached } = reader.memoryUse
  const isPhrase = (_, i) => queries[i] instanceof PhraseQuery
  const row = {
    way: name,
    'first open ms': firstOpen.toFixed(0),
    'open ms': openTime.toFixed(1),
    'open requests': opening[0],
    'open KB': kb(opening[1]),
    'RSS of open MB': (rss / 1e6).toFixed(0),
    'ms a query': (cold / queries.length).toFixed(2),
    'ms again': (warm / queries.length).toFixed(2),
    'requests a query': (requests / queries.length).toFixed(2),
    'KB a query': kb(bytes.reduce((a, b) => a + b) / queries.length),
    'KB first': kb(bytes[0]),
    'KB most, words': kb(Math.max(...bytes.filter((_, i) => !isPhrase(_, i)))),
    'KB most, phrases': kb(Math.max(...bytes.filter(isPhrase))),
    'kept MB': ((resident + cached) / 1e6).toFixed(1),
  }
  await reader.close()
  return { row, digest: digest.digest('hex') }
}

function kb(bytes) {
  return (bytes / 1000).toFixed(1)
}

async function answerOf(searcher, query) {
  const hits = await searcher.search(query, { limit: 10, totalHits: 1000 })
  const all = []
  for (let i = 0; i < hits.loaded; i++) all.push(await hits.docId(i), hits.score(i))
  return all.join(' ')
}

/** Lines from all over the file. */
async function sampleLines(path, count) {
  const lines = []
  const file = await open(path)
  const { size } = await file.stat()
  const piece = Buffer.alloc(8192)
  for (let i = 0; i < count; i++) {
    const { bytesRead } = await file.read(piece, 0, piece.length, Math.floor((size * i) / count))
    const line = piece
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .find((one, n) => n > 0 && one.split(' ').length > 3)
    if (line !== undefined) lines.push(line)
  }
  await file.close()
  return lines
}

/** Two neighbouring words of a line, so that there is something to find. */
function makeQueries(lines, count) {
  const made = []
  for (let i = 0; made.length < count && i < count * 20; i++) {
    const words = lines[i % lines.length].split(' ').filter((word) => word !== '')
    const at = (i * 31) % Math.max(1, words.length - 1)
    const [a, b] = words.slice(at, at + 2)
    if (b === undefined) continue
    const occur = made.length % 3 === 0 ? 'should' : 'must'
    const clauses = [a, b].map((text) => ({ query: new TermQuery(new Term('body', text)), occur }))
    made.push(made.length % 3 === 2 ? new PhraseQuery('body', [a, b]) : new BooleanQuery(clauses))
  }
  return made
}
