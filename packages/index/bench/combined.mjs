/**
 * Several fields scored by one combined list, against the same at query time (CombinedFieldQuery): time of a query and
 * size of the index, for three, four and five fields.
 *
 *   node packages/index/bench/combined.mjs CORPUS [--documents 100000] [--queries 400]
 *
 * CORPUS: one document a line, words between spaces. Its first words are the title, the next ones headings, and so on;
 * nothing is stored. Lengths are weighted in the combined field and not at query time, so the scores are not the same:
 * what is compared is the time of the best ten. Prints CPU milliseconds a query, the best of three rounds, also of the
 * longest field alone.
 */
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import {
  BooleanQuery,
  CombinedFieldQuery,
  Document,
  Field,
  IndexSearcher,
  IndexWriter,
  Term,
  TermQuery,
} from '../dist/index.js'
import { SpaceAnalyzer } from './space-analyzer.mjs'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { documents: { type: 'string', default: '100000' }, queries: { type: 'string', default: '400' } },
})
const [corpus] = positionals
if (corpus === undefined || !(Number(flags.queries) > 0 && Number(flags.documents) > 0)) {
  console.error('node packages/index/bench/combined.mjs CORPUS [--documents 100000] [--queries 400]')
  process.exit(2)
}

/** Name, weight, words of the text. */
const FIELDS = [
  ['body', 1, 0, Number.POSITIVE_INFINITY],
  ['title', 8, 0, 6],
  ['headings', 3, 6, 30],
  ['anchor', 5, 2, 12],
  ['address', 2, 0, 3],
]

async function build(dir, fields, combined) {
  const weights = Object.fromEntries(fields.map(([name, weight]) => [name, weight]))
  const option = combined ? { combinedFields: [{ name: 'all', fields: weights }] } : {}
  const writer = await IndexWriter.open(dir, { analyzer: new SpaceAnalyzer(), ...option })
  const start = process.cpuUsage()
  let left = Number(flags.documents)
  const lines = createInterface({ input: createReadStream(corpus) })
  for await (const line of lines) {
    if (left-- <= 0) break
    const words = line.split(' ')
    const document = new Document()
    for (const [name, , from, to] of fields) document.add(Field.unStored(name, words.slice(from, to).join(' ')))
    await writer.addDocument(document)
  }
  lines.close()
  await writer.optimize()
  await writer.close()
  const { user, system } = process.cpuUsage(start)
  let bytes = 0
  for (const name of readdirSync(dir)) bytes += statSync(join(dir, name)).size
  return { seconds: (user + system) / 1e6, bytes }
}

/** Words of the corpus as often as they come in it, the same in every run. */
async function pickWords() {
  const found = []
  let line = 0
  for await (const text of createInterface({ input: createReadStream(corpus) })) {
    if (line++ >= Number(flags.documents)) break
    const words = text.split(' ').filter((word) => word !== '')
    if (words.length > 0) found.push(words[(line * 7919) % words.length])
  }
  let next = 0
  return () => {
    next += 104729
    return found[next % found.length]
  }
}

async function measure(searcher, queries) {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage()
    for (const query of queries) await searcher.search(query, { limit: 10, totalHits: 1000 })
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000 / queries.length)
  }
  return best
}

const either = (queries, occur) => new BooleanQuery(queries.map((query) => ({ query, occur })))
const SHAPES = [
  ['one word', 1, (queries) => queries[0]],
  ['2 words, any', 2, (queries) => either(queries, 'should')],
  ['3 words, any', 3, (queries) => either(queries, 'should')],
  ['2 words, all', 2, (queries) => either(queries, 'must')],
]

for (const count of [3, 4, 5]) {
  const fields = FIELDS.slice(0, count)
  const root = await mkdtemp(join(tmpdir(), 'spindle-combined-'))
  try {
    const without = await build(join(root, 'without'), fields, false)
    const with_ = await build(join(root, 'with'), fields, true)
    console.log(
      `${count} fields: index ${(with_.bytes / without.bytes).toFixed(3)} × the size (${without.bytes} → ${with_.bytes} bytes), indexing ${(with_.seconds / without.seconds).toFixed(2)} × the CPU time`,
    )
    const searcher = await IndexSearcher.open(join(root, 'with'))
    const word = await pickWords()
    const asked = fields.map(([name, weight]) => ({ name, weight, bonus: 0 }))
    for (const [name, words, make] of SHAPES) {
      const texts = Array.from({ length: Number(flags.queries) }, () => Array.from({ length: words }, word))
      const one = texts.map((list) => make(list.map((text) => new TermQuery(new Term('all', text)))))
      const several = texts.map((list) => make(list.map((text) => new CombinedFieldQuery(asked, text))))
      const body = texts.map((list) => make(list.map((text) => new TermQuery(new Term('body', text)))))
      for (const [i, query] of one.entries()) {
        if (i % 20 > 0) continue
        const counts = [await searcher.count(query), await searcher.count(several[i])]
        if (counts[0] !== counts[1]) throw new Error(`${query}: ${counts}`)
      }
      const times = []
      for (const queries of [body, one, several]) times.push(await measure(searcher, queries))
      console.log(
        `  ${name.padEnd(14)} body ${times[0].toFixed(3)}  combined ${times[1].toFixed(3)}  at query time ${times[2].toFixed(3)} CPU ms: ${(times[2] / times[1]).toFixed(1)} × slower than combined`,
      )
    }
    await searcher.close()
  } finally {
    await rm(root, { recursive: true })
  }
}
