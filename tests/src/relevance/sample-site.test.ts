/** The judged queries of the sample site, by the product's own commands: a change that makes results worse fails here. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluateRun, parseJudgements, parseMeasure, parseRun } from '@spindle/index'
import t from 'tap'
import { projectRoot, spindle } from '../support/spindle-process.js'

const QUERIES = join(projectRoot, 'data/evaluation/sample-queries.tsv')
const QRELS = join(projectRoot, 'data/evaluation/sample-qrels.trec')

/** A little below what is reached. */
const GATES = ['mrr>=.915', 'ndcg@10>=.895', 'map>=.855', 'success@1>=.88']

t.test('the results of the judged queries are as good as they were', async (t) => {
  const data = join(t.testdir(), 'data')
  t.equal((await spindle('crawl', '--json', '--data', data)).code, 0)
  const run = join(t.testdirName, 'run.txt')
  const files = ['--queries', QUERIES, '--qrels', QRELS, '--data', data]
  const done = await spindle('eval', ...files, ...GATES.flatMap((gate) => ['--gate', gate]), '--run', run)
  t.equal(done.code, 0, done.stderr)
  t.comment(done.stdout)

  // what is written can be measured again, by us or by others
  const judgements = parseJudgements({ file: QRELS, text: await readFile(QRELS, 'utf8') })
  const written = parseRun({ file: run, text: await readFile(run, 'utf8') })
  const { means, queries } = evaluateRun(written, judgements, [parseMeasure('mrr'), parseMeasure('map')])
  t.equal(queries.length, 102)
  for (const [name, value] of means) t.match(done.stdout, new RegExp(`^${name} +${value.toFixed(4)}$`, 'm'))

  const gated = await spindle('eval', ...files, '--gate', 'mrr>=1')
  t.equal(gated.code, 1)
  t.match(gated.stderr, /^spindle eval: mrr is 0\.\d{4}, which is below the gate of 1\./)
})
