/** Searches an index that another process is writing, without a pause, and checks every answer. */
import { readFileSync } from 'node:fs'
import { ChineseAnalyzer, IndexSearcher } from '../../dist/index.js'
import { latencyRow, parserFor, peakMemory } from './measure.mjs'
import { StateCheck } from './state-check.mjs'

const { index, queries, small } = JSON.parse(process.argv[2])
const questions = JSON.parse(readFileSync(queries, 'utf8'))
const parser = parserFor(new ChineseAnalyzer())
const searcher = await IndexSearcher.open(index, { memoryBudget: small })
const check = new StateCheck()
const latencies = []
const refreshes = []
let told = { planted: 0, docs: 0 }
let isEnding = false
process.on('message', (message) => {
  if (message.end) isEnding = true
  else told = message
})

let asked = 0
for (let isLast = false; !isLast; ) {
  isLast = isEnding
  // What was told before the refresh has to be seen after it.
  const { planted, docs } = told
  const since = performance.now()
  if (await searcher.refresh()) {
    refreshes.push(performance.now() - since)
    if (searcher.reader.numDocs < docs) throw new Error(`${searcher.reader.numDocs} documents of ${docs} committed`)
    await check.check(searcher, planted, true)
  }
  for (let i = 0; i < 20; i++) {
    const question = questions[asked++ % questions.length]
    const query = parser.parse(question)
    const before = performance.now()
    await check.ask(searcher, question, query)
    latencies.push(performance.now() - before)
  }
}
await searcher.close()
process.send({
  ...latencyRow(latencies),
  'commits seen': refreshes.length,
  'refresh ms, most': Math.round(Math.max(...refreshes)),
  'peak MiB': Math.round(peakMemory()),
})
process.disconnect()
