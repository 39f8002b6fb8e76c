/**
 * Relevance on judged collections: `node packages/server/bench/relevance.mjs [SET…] [--data DIR]` (build first). Each
 * set is indexed as `spindle index` does with records of title and text, and asked through the code of the result page.
 * DIR has a folder for each set: docs.jsonl (id, title, text), queries.tsv and qrels.trec as TREC writes them.
 *
 * --reference  Lucene's way in our index too: its figures have to come out as Lucene's own
 * --ablations  one part of the product's score taken out at a time
 * --scripts    the Chinese sets with their queries in the other script
 * --links      collections with citations: with PageRank in the score
 * --queries    what each query reaches
 * --write      into docs/analysis.md, all of it where no part is named
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareEvaluations, evaluateRun } from '@spindle/index'
import { environment, markdownTable, writeSection } from './analysis-page.mjs'
import { ABLATIONS, ablatedRanking } from './relevance/ablations.mjs'
import { citationRanks } from './relevance/citation-ranks.mjs'
import { openCollection, readRecords } from './relevance/collection.mjs'
import { LUCENE } from './relevance/lucene-figures.mjs'
import { luceneReference } from './relevance/lucene-reference.mjs'
import { evaluate, inOtherScript, MEASURES, productRanking } from './relevance/rankings.mjs'

const flag = { type: 'boolean', default: false }
const { values, positionals } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '../../../../shared/data/ir') },
    ablations: flag,
    links: flag,
    queries: flag,
    reference: flag,
    scripts: flag,
    write: flag,
  },
  allowPositionals: true,
})
if (!existsSync(values.data)) {
  console.error(`There are no judged collections in ${values.data}: name their folder with --data.`)
  process.exit(2)
}

const number = (value) => value.toFixed(4).replace(/^(-?)0/, '$1')
const difference = (value) => `${value < 0 ? '−' : '+'}${number(Math.abs(value))}`
const show = (row) => console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(56) : cell.padStart(11))).join(''))
const meansOf = ({ means }) => MEASURES.map(({ name }) => number(means.get(name)))
const average = (numbers) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length

const known = Object.keys(LUCENE)
const place = (set) => (known.includes(set) ? known.indexOf(set) : known.length)
const sets = positionals.length > 0 ? positionals : readdirSync(values.data).sort((a, b) => place(a) - place(b))
const folderOf = (set) => join(values.data, set)

/** What Lucene reaches, and by how much we differ. */
function against(set, { means }) {
  if (LUCENE[set] === undefined) return ['', '']
  const { measure, value } = LUCENE[set]
  return [number(value), difference(means.get(measure) - value)]
}

/** Every set as the product has it, and Lucene's way. */
async function relevance() {
  const head = ['set', ...MEASURES.map(({ name }) => name), 'Lucene', 'difference']
  const rows = []
  const gains = { en: [], zh: [] }
  show(head)
  for (const set of sets) {
    const collection = await openCollection(folderOf(set))
    const { run, evaluation } = await evaluate(collection, productRanking(collection))
    rows.push([set, ...meansOf(evaluation), ...against(set, evaluation)])
    show(rows.at(-1))
    const { language, measure, value } = LUCENE[set] ?? {}
    gains[language]?.push(evaluation.means.get(measure) - value)
    if (values.queries) {
      evaluation.queries.forEach((query, i) => {
        const row = MEASURES.map(({ name }) => number(evaluation.values.get(name)[i]))
        show([`  ${query}`, ...row, `  ${run.get(query)?.[0]?.id ?? ''}`])
      })
    }
    if (values.reference) {
      const reference = await luceneReference(await readRecords(folderOf(set)), language)
      const other = await evaluate(collection, reference.ranking)
      show(["  as Lucene's", ...meansOf(other.evaluation), ...against(set, other.evaluation)])
      await reference.close()
    }
    await collection.close()
  }
  const means = Object.entries(gains)
    .filter(([, all]) => all.length > 0)
    .map(([language, all]) => `${language}: ${difference(average(all))} in the mean of ${all.length} sets`)
  console.log(means.join('\n'))
  return [...markdownTable(head, rows), '', `Against Lucene, ${means.join('; ')}.`]
}

/** Queries of a set that ablations ask at most. */
const MOST_TOPICS = 500

const everyNth = (topics, n) => new Map([...topics].filter((_, i) => i % n === 0))

/** Means over the sets of a language, and the set that changes most, for each part that is left out. */
async function ablations() {
  const reached = ABLATIONS.map(() => new Map())
  const judged = sets.filter((name) => LUCENE[name] !== undefined)
  for (const set of judged) {
    const collection = await openCollection(folderOf(set))
    const topics = everyNth(collection.topics, Math.ceil(collection.topics.size / MOST_TOPICS))
    const asked = new Set(topics.keys())
    for (const [i, { analyzer, weights, ...part }] of ABLATIONS.entries()) {
      const options = {
        ...(analyzer === undefined ? {} : { analyzer: analyzer() }),
        ...(weights === undefined ? {} : { weights }),
      }
      const own = Object.keys(options).length === 0 ? collection : await openCollection(folderOf(set), options)
      const { ranking, close } = await ablatedRanking(own, part)
      const { run } = await evaluate(collection, ranking, topics)
      reached[i].set(set, evaluateRun(run, collection.judgements, MEASURES, asked).means.get(LUCENE[set].measure))
      await close()
      if (own !== collection) await own.close()
    }
    await collection.close()
  }
  const head = ['without', 'MAP, English', 'change', 'MRR, Chinese', 'change', 'most in']
  show(head)
  const rows = ABLATIONS.map(({ name }, i) => {
    const changes = judged.map((set) => ({ set, change: reached[i].get(set) - reached[0].get(set) }))
    const cells = ['en', 'zh'].flatMap((language) => {
      const some = judged.filter((set) => LUCENE[set].language === language)
      if (some.length === 0) return ['', '']
      const [value, product] = [reached[i], reached[0]].map((all) => average(some.map((set) => all.get(set))))
      return [number(value), i === 0 ? '' : difference(value - product)]
    })
    const { set, change } = changes.reduce((most, one) => (Math.abs(one.change) > Math.abs(most.change) ? one : most))
    const row = [name, ...cells, change === 0 ? '' : `${set} ${difference(change)}`]
    show(row)
    return row
  })
  return markdownTable(head, rows)
}

/** Chinese sets asked in the script of their queries and in the other. */
async function scripts() {
  const head = ['set', 'MRR', 'other script', 'difference']
  const rows = []
  show(head)
  for (const set of sets.filter((name) => LUCENE[name]?.language === 'zh')) {
    const collection = await openCollection(folderOf(set))
    const mrr = async (topics) =>
      (await evaluate(collection, productRanking(collection), topics)).evaluation.means.get('mrr')
    const [same, other] = [await mrr(collection.topics), await mrr(inOtherScript(collection.topics))]
    rows.push([set, number(same), number(other), difference(other - same)])
    show(rows.at(-1))
    await collection.close()
  }
  return markdownTable(head, rows)
}

/** Sets with citations, with and without PageRank. */
async function links() {
  const head = ['set', ...MEASURES.map(({ name }) => name), 'queries better, worse', 'p (MAP)']
  const rows = []
  show(head)
  for (const set of sets) {
    const ids = (await readRecords(folderOf(set))).map(({ id }) => id)
    const ranks = await citationRanks(folderOf(set), ids)
    if (ranks === null) continue
    let before
    for (const [name, options] of [
      [`${set}, words alone`, {}],
      [`${set}, with PageRank`, { ranks }],
    ]) {
      const collection = await openCollection(folderOf(set), options)
      const { evaluation } = await evaluate(collection, productRanking(collection))
      await collection.close()
      const comparison = before === undefined ? undefined : compareEvaluations(before, evaluation)[0]
      before ??= evaluation
      const { better, worse, randomization } = comparison ?? {}
      rows.push([
        name,
        ...meansOf(evaluation),
        ...(comparison === undefined ? ['', ''] : [`${better}, ${worse}`, randomization.p.toFixed(3)]),
      ])
      show(rows.at(-1))
    }
  }
  return markdownTable(head, rows)
}

const PARTS = ['ablations', 'scripts', 'links']
const wanted = (name) => values[name] || (values.write && PARTS.every((part) => !values[part]))
const sections = new Map([['relevance', await relevance()]])
if (wanted('ablations')) sections.set('ablations', await ablations())
if (wanted('scripts')) sections.set('scripts', await scripts())
if (wanted('links')) sections.set('links', await links())
if (values.write) {
  const made = environment('node packages/server/bench/relevance.mjs --write')
  for (const [name, lines] of sections) writeSection(name, name === 'relevance' ? [...made, '', ...lines] : lines)
}
const { user, system } = process.cpuUsage()
console.log(`${((user + system) / 1e6).toFixed(1)} s of CPU time`)
