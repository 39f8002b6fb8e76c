import t, { type Test } from 'tap'
import { compareEvaluations } from './compare-evaluations.js'
import { evaluateRun } from './evaluate-run.js'
import { parseMeasure } from './measure.js'
import { pairedTTest, randomizationTest } from './significance.js'
import { parseJudgements, parseRun } from './trec-files.js'

// Student's own example (The probable error of a mean, 1908): hours of sleep gained by ten patients with two drugs
const FIRST = Float64Array.of(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2)
const SECOND = Float64Array.of(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)

const near = (t: Test, found: number, expected: number, tolerance: number): void => {
  t.ok(Math.abs(found - expected) <= tolerance, `${found}, expected ${expected}`)
}

t.test("Student's example", async (t) => {
  const { difference, p } = pairedTTest(FIRST, SECOND)
  near(t, difference, 1.58, 1e-12)
  near(t, p, 0.002833, 5e-7)
  near(t, pairedTTest(SECOND, FIRST).p, p, 1e-15)
  // one pair is equal and the other nine go one way: two of 2^9 assignments are as extreme
  near(t, randomizationTest(FIRST, SECOND).p, 2 / 2 ** 9, 1e-15)
})

t.test('critical values of the t distribution', async (t) => {
  // n differences of mean m and deviation 1 have t = m √n
  const critical: [freedom: number, t: number, p: number][] = [
    [1, 12.7062, 0.05],
    [9, 2.262157, 0.05],
    [29, 2.04523, 0.05],
    [29, 0.683044, 0.5],
    [99, 2.626405, 0.01],
  ]
  for (const [freedom, value, p] of critical) {
    const n = freedom + 1
    const h = Math.sqrt((n - 1) / n)
    const differences = Float64Array.from({ length: n }, (_, i) => value / Math.sqrt(n) + (i % 2 === 0 ? h : -h))
    near(t, pairedTTest(new Float64Array(n), differences).p, p, 2e-6)
  }
})

t.test('many pairs are sampled, the same way each time', async (t) => {
  // 14 of 20 coins on one side: 2 · P(Bin(20, ½) ≥ 14)
  const differences = Float64Array.from({ length: 20 }, (_, i) => (i < 14 ? 1 : -1))
  const zero = new Float64Array(20)
  const { p } = randomizationTest(zero, differences)
  near(t, p, 0.115318, 0.004)
  t.equal(randomizationTest(zero, differences).p, p)
  t.not(randomizationTest(zero, differences, { seed: 5, rounds: 1000 }).p, p)
  // 40 pairs need more than one word of signs
  const longer = Float64Array.from({ length: 40 }, (_, i) => (i < 26 ? 1 : -1))
  near(t, randomizationTest(new Float64Array(40), longer).p, 0.080695, 0.004)
  const all = Float64Array.from({ length: 40 }, () => 0.1)
  t.ok(randomizationTest(new Float64Array(40), all).p <= 2 / 100_001, 'as small as it can be, and not 0')
})

t.test('nothing to tell apart', async (t) => {
  t.same(randomizationTest(FIRST, FIRST), { difference: 0, p: 1 })
  t.same(pairedTTest(FIRST, FIRST), { difference: 0, p: 1 })
  t.equal(pairedTTest(Float64Array.of(1), Float64Array.of(2)).p, 1)
  t.throws(() => pairedTTest(FIRST, Float64Array.of(1)), RangeError)
  t.throws(() => randomizationTest(new Float64Array(0), new Float64Array(0)), RangeError)
})

t.test('two runs query by query', async (t) => {
  const judgements = parseJudgements({ file: 'q', text: '1 0 a 1\n2 0 a 1\n3 0 a 1\n4 0 a 1\n' })
  const run = (text: string) => parseRun({ file: 'r', text })
  const measures = [parseMeasure('mrr')]
  const before = run('1 Q0 a 1 2 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n3 Q0 a 1 1 x\n')
  const after = run('1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 2 x\n3 Q0 a 1 1 x\n4 Q0 a 1 1 x\n')
  const [comparison] = compareEvaluations(
    evaluateRun(before, judgements, measures),
    evaluateRun(after, judgements, measures),
  )
  t.match(comparison, { measure: 'mrr', before: 0.625, after: 0.875, better: 2, worse: 1, equal: 1 })
  t.same(comparison!.changes, [
    { query: '1', before: 1, after: 0.5 },
    { query: '2', before: 0.5, after: 1 },
    { query: '4', before: 0, after: 1 },
  ])
  // of the 8 sums ±½ ±½ ±1, two are 0 and six as far from it as what was observed, 1
  t.equal(comparison!.randomization.p, 6 / 8)
})
