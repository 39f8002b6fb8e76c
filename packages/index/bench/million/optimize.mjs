/** Merges an index into one segment. */
import { ChineseAnalyzer, IndexWriter } from '../../dist/index.js'
import { cpuSeconds, peakMemory } from './measure.mjs'

const { index, budget } = JSON.parse(process.argv[2])
const began = performance.now()
const writer = await IndexWriter.open(index, { analyzer: new ChineseAnalyzer(), memoryBudget: budget })
await writer.optimize()
await writer.close()
process.send({
  'wall s': Number(((performance.now() - began) / 1000).toFixed(1)),
  'CPU s': Number(cpuSeconds().toFixed(1)),
  'peak MiB': Math.round(peakMemory()),
})
process.disconnect()
