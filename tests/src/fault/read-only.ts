/** Searches, checks and tries to write an index in a folder that its user may not write: `node read-only.js <index>`. */
import { isSpindleError } from '@spindle/core'
import { checkIndex, IndexSearcher, IndexWriter, MatchAllQuery, StandardAnalyzer } from '@spindle/index'

const dir = process.argv[2]!
const searcher = await IndexSearcher.open(dir)
await searcher.search(new MatchAllQuery())
await searcher.close()
console.log('searched')
console.log('checked', (await checkIndex(dir)).clean)
try {
  await IndexWriter.open(dir, { analyzer: new StandardAnalyzer() })
  console.log('opened for writing')
} catch (error) {
  console.log(isSpindleError(error) ? error.code : String(error))
}
