/**
 * Relevance on judged collections: `node packages/server/bench/relevance.mjs [SET…] [--data DIR]` (build first). Each
 * set is indexed as `spindle index` does with records of title and text, and asked through the code of the result page.
 * DIR has a folder for each set: docs.jsonl (id, title, text), queries.tsv and qrels.trec as TREC writes them.
 *
 * --reference  Lucene's way in our index too: its figures have to come out as Lucene's own
 * --scripts    the Chinese sets with their queries in the other script
 * --links      collections with citations: with PageRank in the score
 * --queries    what each query reaches
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareEvaluations } from '@spindle/index'
import { citationRanks } from './relevance/citation-ranks.mjs'
import { openCollection, readRecords } from './relevance/collection.mjs'
import { LUCENE } from './relevance/lucene-figures.mjs'
import { luceneReference } from './relevance/lucene-reference.mjs'
import { evaluate, inOtherScript, MEASURES, productRanking } from './relevance/rankings.mjs'

const { values, positionals } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '../../../../shared/data/ir') },
    queries: { type: 'boolean' },
    links: { type: 'boolean' },
    reference: { type: 'boolean' },
    scripts: { type: 'boolean' },
  },
  allowPositionals: true,
})
if (!existsSync(values.data)) {
  console.error(`There are no judged collections in ${values.data}: name their folder with --data.`)
  process.exit(2)
}

const number = (value) => value.toFixed(4).replace(/^(-?)0/, '$1')
const difference = (value) => `${value < 0 ? '−' : '+'}${number(Math.abs(value))}`
const line = (texts) => console.log(texts.map((text, i) => (i === 0 ? text.padEnd(26) : text.padStart(11))).join(''))
const meansOf = ({ means }) => MEASURES.map(({ name }) => number(means.get(name)))

const order = Object.keys(LUCENE)
const place = (set) => (order.includes(set) ? order.indexOf(set) : order.length)
const sets = positionals.length > 0 ? positionals : readdirSync(values.data).sort((a, b) => place(a) - place(b))

line(['set', ...MEASURES.map(({ name }) => name), 'Lucene', 'difference'])
const gains = { en: [], zh: [] }
for (const set of sets) {
  const folder = join(values.data, set)
  const { language, measure = 'map', value } = LUCENE[set] ?? {}
  const against = ({ means }) => (value === undefined ? [] : [number(value), difference(means.get(measure) - value)])
  const collection = await openCollection(folder)
  try {
    const { run, evaluation } = await evaluate(collection, productRanking(collection))
    line([set, ...meansOf(evaluation), ...against(evaluation)])
    gains[language]?.push(evaluation.means.get(measure) - value)
    if (values.queries === true) {
      evaluation.queries.forEach((query, i) => {
        const row = MEASURES.map(({ name }) => number(evaluation.values.get(name)[i]))
        line([`  ${query}`, ...row, `  ${run.get(query)?.[0]?.id ?? ''}`])
      })
    }
    if (values.reference === true) {
      const reference = await luceneReference(await readRecords(folder), language)
      const other = await evaluate(collection, reference.ranking)
      line(["  as Lucene's", ...meansOf(other.evaluation), ...against(other.evaluation)])
      await reference.close()
    }
    if (values.links === true) {
      const ids = (await readRecords(folder)).map(({ id }) => id)
      const ranks = await citationRanks(folder, ids)
      if (ranks !== null) {
        const ranked = await openCollection(folder, { ranks })
        const other = await evaluate(ranked, productRanking(ranked))
        line(['  with PageRank', ...meansOf(other.evaluation), ...against(other.evaluation)])
        const [{ better, worse, randomization }] = compareEvaluations(evaluation, other.evaluation)
        console.log(`    MAP of ${better} queries better, of ${worse} worse, p = ${randomization.p.toFixed(3)}`)
        await ranked.close()
      }
    }
    if (values.scripts === true && language === 'zh') {
      const other = await evaluate(collection, productRanking(collection), inOtherScript(collection.topics))
      line(['  queries in other script', ...meansOf(other.evaluation), ...against(other.evaluation)])
    }
  } finally {
    await collection.close()
  }
}
for (const [language, all] of Object.entries(gains)) {
  if (all.length === 0) continue
  console.log(
    `${language}: ${difference(all.reduce((sum, gain) => sum + gain, 0) / all.length)} in the mean of ${all.length} sets`,
  )
}
const { user, system } = process.cpuUsage()
console.log(`${((user + system) / 1e6).toFixed(1)} s of CPU time`)
