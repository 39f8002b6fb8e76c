/** Adds the documents, with a commit every so often; tells its parent of each, and at the end what it took. */
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ChineseAnalyzer, IndexSearcher, IndexWriter } from '../../dist/index.js'
import {
  cpuSeconds,
  LogHistogram,
  latencyRow,
  parserFor,
  peakMemory,
  percentile,
  plantedDocument,
  rss,
  statusDocument,
  toDocument,
} from './measure.mjs'
import { StateCheck } from './state-check.mjs'

const { corpus, queries, index, budget, every, nearRealTime, small } = JSON.parse(process.argv[2])
const rssBefore = rss()
const began = performance.now()
const analyzer = new ChineseAnalyzer()
const writer = await IndexWriter.open(index, { analyzer, memoryBudget: budget })
const questions = JSON.parse(readFileSync(queries, 'utf8'))
const parser = parserFor(analyzer)
const check = new StateCheck()
const latencies = []
const commitTimes = []
// In a fixed room: a list of a million numbers would count as memory of the writer.
const addTimes = new LogHistogram()
const memory = []
const mib = (bytes) => Math.round(bytes / 2 ** 20)
let searcher = null
let docs = 0
let planted = 0

/** A document to look for, and the one that tells how many there are. */
async function mark() {
  planted++
  docs++
  await writer.addDocument(plantedDocument(planted))
  await writer.updateDocument({ field: 'id', text: 'status' }, statusDocument(docs + 1))
}

/** Sees what is not committed yet, and searches it. */
async function searchNow() {
  await mark()
  if (searcher === null) searcher = await IndexSearcher.open(writer, { memoryBudget: small })
  else await searcher.refresh()
  await check.check(searcher, planted, true)
  for (let i = 0; i < 20; i++) {
    const question = questions[(planted * 20 + i) % questions.length]
    const query = parser.parse(question)
    const since = performance.now()
    await check.ask(searcher, question, query)
    latencies.push(performance.now() - since)
  }
}

for await (const line of createInterface({ input: createReadStream(corpus), crlfDelay: Infinity })) {
  const document = toDocument(JSON.parse(line), docs)
  const since = performance.now()
  await writer.addDocument(document)
  addTimes.add(performance.now() - since)
  if (++docs % every === 0) await commit()
  else if (nearRealTime && docs % Math.ceil(every / 4) === 0) await searchNow()
}
await commit()
await searcher?.close()
const { merges, mergedBytes, stalls, stalledMs, longestStallMs } = writer.mergeStats
const closing = performance.now()
await writer.close({ waitForMerges: true })
const row = {
  documents: docs,
  'wall s': Number(((performance.now() - began) / 1000).toFixed(1)),
  'CPU s': Number(cpuSeconds().toFixed(1)),
  'close s': Number(((performance.now() - closing) / 1000).toFixed(1)),
  'commit ms, median': Math.round(percentile(commitTimes, 0.5)),
  'commit ms, most': Math.round(Math.max(...commitTimes)),
  'add ms, 99.9 %': Number(addTimes.percentile(0.999).toFixed(1)),
  'add ms, most': Math.round(addTimes.most),
  merges,
  'merged MB': Math.round(mergedBytes / 1e6),
  stalls,
  'stalled ms': Math.round(stalledMs),
  'longest ms': Math.round(longestStallMs),
  'RSS before MiB': Math.round(rssBefore),
  'peak MiB': Math.round(peakMemory()),
}
process.send({ row, memory, latencies: nearRealTime ? latencyRow(latencies) : undefined })
process.disconnect()

async function commit() {
  await mark()
  const since = performance.now()
  const generation = await writer.commit()
  commitTimes.push(performance.now() - since)
  const { heapUsed, external } = process.memoryUsage()
  memory.push({
    documents: docs,
    rss: Math.round(rss()),
    heap: mib(heapUsed),
    external: mib(external),
    peak: Math.round(peakMemory()),
  })
  process.send({ commit: { generation, planted, docs: docs + 1, peak: peakMemory() } })
}
