import t from 'tap'
import { evaluateRun, percentile } from './evaluate-run.js'
import { failedGates, parseGate } from './gate.js'
import { judgeRanking, parseMeasure } from './measure.js'
import { parseJudgements, parseRun } from './trec-files.js'

const ranked = (...ids: string[]) => ids.map((id, i) => ({ id, score: 10 - i }))

t.test('a ranking worked out by hand', async (t) => {
  // a x b c of the judged a: 1, b: 0, c: 2, d: 3
  const judged = new Map(Object.entries({ a: 1, b: 0, c: 2, d: 3 }))
  const ranking = judgeRanking(ranked('a', 'x', 'b', 'c'), judged)
  const ideal = 3 + 2 / Math.log2(3) + 1 / 2
  const expected: Record<string, number> = {
    map: (1 / 1 + 2 / 4) / 3,
    mrr: 1,
    'p@2': 1 / 2,
    'p@10': 2 / 10,
    'recall@2': 1 / 3,
    'recall@100': 2 / 3,
    'success@1': 1,
    'ndcg@3': 1 / ideal,
    ndcg: (1 + 2 / Math.log2(5)) / ideal,
    // a has no judged document above it, c has the only one that is not relevant
    bpref: (1 + 0) / 3,
  }
  for (const [name, value] of Object.entries(expected)) {
    t.ok(Math.abs(parseMeasure(name).of(ranking) - value) < 1e-12, `${name}: ${value}`)
  }
  const late = judgeRanking(ranked('b', 'x', 'c'), judged)
  t.equal(parseMeasure('mrr').of(late), 1 / 3)
  t.equal(parseMeasure('success@2').of(late), 0)
  t.equal(parseMeasure('success@3').of(late), 1)
  const nothing = judgeRanking([], judged)
  for (const name of Object.keys(expected)) t.equal(parseMeasure(name).of(nothing), 0, `${name} of nothing found`)
  t.equal(parseMeasure(' NDCG@10 ').name, 'ndcg@10')
})

t.test('bpref looks at judged documents only, and no further than there are relevant ones', async (t) => {
  // R = 2, N = 3: n1 above a, n1 n2 n3 above b
  const judged = new Map(Object.entries({ a: 1, b: 1, n1: 0, n2: 0, n3: -1 }))
  const ranking = judgeRanking(ranked('x', 'n1', 'y', 'a', 'n2', 'n3', 'b'), judged)
  t.equal(parseMeasure('bpref').of(ranking), (1 - 1 / 2 + (1 - 2 / 2)) / 2)
})

t.test('grades below 0 gain nothing', async (t) => {
  const judged = new Map(Object.entries({ spam: -2, good: 1 }))
  t.equal(parseMeasure('ndcg@2').of(judgeRanking(ranked('spam', 'good'), judged)), 1 / Math.log2(3))
})

t.test('measures and gates that are none', async (t) => {
  for (const name of ['', 'map@10', 'p', 'p@0', 'p@x', 'p@3@4', 'mean', 'constructor']) {
    t.throws(() => parseMeasure(name), { code: 'BAD_PARAMETER' }, name)
  }
  for (const gate of ['map', 'map>.3', 'map>=', 'map>=1.5', '>=.3', 'map>=.3.1', 'foo>=.3']) {
    t.throws(() => parseGate(gate), { code: 'BAD_PARAMETER' }, gate)
  }
})

t.test('averages are of all queries with a relevant document, answered or not', async (t) => {
  const judgements = parseJudgements({ file: 'qrels', text: '1 0 a 1\n2 0 b 1\n3 0 c 0\n' })
  const run = parseRun({ file: 'run', text: '1 Q0 a 1 2.5 me\n3 Q0 c 1 1 me\n9 Q0 a 1 1 me\n' })
  const measures = [parseMeasure('map'), parseMeasure('p@1')]
  const evaluation = evaluateRun(run, judgements, measures)
  t.same(evaluation.queries, ['1', '2'])
  t.equal(evaluation.means.get('map'), 0.5)
  t.same([...evaluation.values.get('p@1')!], [1, 0])
  t.equal(evaluateRun(run, judgements, measures, new Set(['1'])).means.get('map'), 1)
  t.throws(() => evaluateRun(run, judgements, measures, new Set(['3'])), { code: 'EVALUATION_FILE_INVALID' })

  const gates = [parseGate('map>=.5'), parseGate('p@1 >= 0.51'), parseGate('mrr>=0')]
  t.same(
    failedGates(gates, evaluation).map(({ gate, mean }) => [gate.measure.name, mean]),
    [
      ['p@1', 0.5],
      ['mrr', Number.NaN],
    ],
    'a measure that was not taken is not passed',
  )
})

t.test('percentiles by the nearest rank', async (t) => {
  const values = Float64Array.of(15, 50, 20, 40, 35)
  t.equal(percentile(values, 0.3), 20)
  t.equal(percentile(values, 0.5), 35)
  t.equal(percentile(values, 0.95), 50)
  t.equal(percentile(values, 1), 50)
  t.ok(Number.isNaN(percentile(new Float64Array(0), 0.5)))
})
