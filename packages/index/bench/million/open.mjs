/** Opens an index once in a fresh process, asks all questions twice, and tells how long it took. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ChineseAnalyzer, IndexSearcher } from '../../dist/index.js'
import { parserFor, percentile, rss } from './measure.mjs'

const { index, queries, memoryBudget } = JSON.parse(process.argv[2])
const questions = JSON.parse(readFileSync(queries, 'utf8'))
const parser = parserFor(new ChineseAnalyzer())
const parsed = questions.map((question) => parser.parse(question))

let since = performance.now()
const searcher = await IndexSearcher.open(index, { memoryBudget })
const open = performance.now() - since
const rssOpen = rss()
const digest = createHash('sha256')
const counts = createHash('sha256')
let first
const times = []
for (let round = 0; round < 2; round++) {
  for (const query of parsed) {
    since = performance.now()
    const hits = await searcher.search(query, { limit: 10 })
    const ids = []
    for (let i = 0; i < Math.min(10, hits.loaded); i++) ids.push((await hits.doc(i)).get('id'))
    const took = performance.now() - since
    first ??= took
    if (round > 0) times.push(took)
    else {
      counts.update(`${hits.length}\n`)
      digest.update(`${ids.join(' ')}\n`)
    }
  }
}
const { segments } = searcher.reader
await searcher.close()
process.send({
  open,
  first,
  median: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  rss: rssOpen,
  segments: segments.length,
  digest: digest.digest('hex'),
  counts: counts.digest('hex'),
})
process.disconnect()
