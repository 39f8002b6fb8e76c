/**
 * The same documents and the same random queries here and in Lucene 9.12.3: as many matches, the best hundred with equal
 * scores in the same order, over eight segments and one, with deleted documents and without.
 *
 * What is not compared because it differs by design:
 * - a text without words is no field here, and one of length 0 in Lucene (`exists`);
 * - a combined field adds the lengths of its fields exactly here, and rounds their sum once more in Lucene: asked of short
 *   documents alone, with equal weights, without our bonus and burst factor;
 * - a fuzzy query's words are kept apart from the clauses around it (tests/java/QueryReader.java);
 * - documents like a text: all of its words are asked for, since each engine has its own choice among those that count
 *   alike, and without boosts, which are relative to the best word here and to the worst one in Lucene;
 * - a sloppy phrase with a repeated word, for which Lucene may find fewer matches than there are;
 * - how documents are spread over segments after a merge: there both have to have dropped the same ones.
 */
import t, { type Test } from 'tap'
import { byEffort, replay, seed } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { Random } from '../support/random.js'
import { collectionOfLines, judgedCollection, judgedCollections, madeCollection } from './collections.js'
import type { TestDocument } from './engine.js'
import { stagesOf } from './histories.js'
import { LuceneEngine } from './lucene-engine.js'
import { missingForLucene } from './lucene-jars.js'
import { OracleRun } from './oracle-run.js'
import type { QueryNode } from './query-node.js'
import { type QueryChoices, RandomQueries } from './random-queries.js'
import { SpindleEngine } from './spindle-engine.js'
import { Vocabulary } from './vocabulary.js'

/** A file with a document a line, words between single spaces; its first documents are compared too. */
const corpus = process.env.SPINDLE_ORACLE_CORPUS
const CORPUS_DOCUMENTS = 100_000

/** Queries that found something, by the kind that stands at the top: each kind has to be among them. */
const matched = new Map<QueryNode['kind'], number>()
const KINDS: readonly QueryNode['kind'][] = [
  'term',
  'phrase',
  'multiPhrase',
  'near',
  'prefix',
  'wildcard',
  'regexp',
  'fuzzy',
  'termSet',
  'like',
  'termRange',
  'numberRange',
  'exists',
  'all',
  'boolean',
  'boost',
  'constant',
  'dismax',
  'function',
]

async function compare(
  t: Test,
  run: OracleRun,
  documents: readonly TestDocument[],
  random: Random,
  queriesPerStage: number,
  choices: QueryChoices,
): Promise<void> {
  const queries = new RandomQueries(random, new Vocabulary(documents), choices)
  const result = await run.run({ stages: stagesOf(documents, random), queries, queriesPerStage })
  for (const { summary, details } of result.failures) t.fail(summary, { details })
  for (const [kind, count] of result.matched) matched.set(kind, (matched.get(kind) ?? 0) + count)
  t.equal(result.failures.length, 0, `${result.asked} queries`)
}

t.comment(replay)
const missing = missingForLucene()
t.test('the same as in Lucene', needs(`the program '${missing}'`, missing === undefined), async (t) => {
  const ours = new SpindleEngine()
  const theirs = await LuceneEngine.start()
  t.teardown(() => Promise.all([ours.close(), theirs.close()]))
  const run = new OracleRun(ours, theirs)

  await t.test('made documents, short and alike', async (t) => {
    const random = new Random(seed)
    // More where they are the only ones.
    const queries = byEffort(judgedCollections.length > 0 ? 100 : 400, 1500, 5000)
    await compare(t, run, madeCollection(600, random), random, queries, { combined: true })
  })
  await t.test('made documents, in an index that does not fit into memory', async (t) => {
    const byRanges = new SpindleEngine({ memoryBudget: 0 })
    t.teardown(() => byRanges.close())
    const random = new Random(seed + 1)
    const run = new OracleRun(byRanges, theirs)
    await compare(t, run, madeCollection(300, random), random, byEffort(25, 300, 1000), { combined: true })
  })
  for (const name of judgedCollections) {
    await t.test(name, async (t) => {
      const random = new Random(seed)
      await compare(t, run, await judgedCollection(name, random), random, byEffort(45, 400, 2000), { combined: false })
    })
  }
  const withCorpus = corpus === undefined ? { skip: 'SPINDLE_ORACLE_CORPUS names no file' } : {}
  await t.test(`${CORPUS_DOCUMENTS} documents of a corpus`, withCorpus, async (t) => {
    const random = new Random(seed)
    const documents = await collectionOfLines(corpus!, CORPUS_DOCUMENTS, random)
    await compare(t, run, documents, random, byEffort(20, 600, 2000), { combined: false })
  })
  for (const kind of KINDS) t.ok(matched.has(kind), `${matched.get(kind)} queries of the kind ${kind} found something`)
})
