import t from 'tap'
import {
  formatJudgements,
  formatRun,
  formatTopics,
  parseJudgements,
  parseRun,
  parseTopics,
  type RankedDocument,
} from './trec-files.js'

const source = (text: string) => ({ text, file: 'some.txt' })

t.test('files are read and written', async (t) => {
  const topics = parseTopics(source('\uFEFF1\t北京 天安门\r\n\r\nq-2\twhat is\tit?\n3\t\n'))
  t.same(
    [...topics],
    [
      ['1', '北京 天安门'],
      ['q-2', 'what is\tit?'],
      ['3', ''],
    ],
  )
  t.same([...parseTopics(source(formatTopics(topics)))].slice(0, 2), [
    ['1', '北京 天安门'],
    ['q-2', 'what is it?'],
  ])
  const judgements = parseJudgements(source('1 0 a 2\n1\t0\tb\t-1\n 2 Q0 a 0\n'))
  t.same(
    [...judgements.get('1')!],
    [
      ['a', 2],
      ['b', -1],
    ],
  )
  t.same(parseJudgements(source(formatJudgements(judgements))), judgements)
})

t.test(
  'a run is ordered as trec_eval orders it: by score in single precision, equal ones by name, backwards',
  async (t) => {
    const run = parseRun(
      source(
        [
          '1 Q0 low 1 1.5 me',
          '1 Q0 d2 2 3.00000000001 me',
          '1 Q0 d10 3 3.00000000002 me',
          '1 Q0 d9 9 3e0 me',
          '1 Q0 top 4 7 me',
          '2 Q0 x 1 -.5 me',
        ].join('\n'),
      ),
    )
    t.same(
      run.get('1')!.map(({ id }) => id),
      ['top', 'd9', 'd2', 'd10', 'low'],
    )
    t.same(run.get('2'), [{ id: 'x', score: -0.5 }])
  },
)

t.test('a written run keeps its order, whatever the scores', async (t) => {
  const scores = [7, 7, 7, 6.999999999, 1, 1e-45, 0, 0, 0, -3, -3]
  const ranking: RankedDocument[] = scores.map((score, i) => ({ id: `d${i}`, score }))
  const text = formatRun(new Map([['q', ranking]]), 'spindle')
  const read = parseRun(source(text)).get('q')!
  t.same(
    read.map(({ id }) => id),
    ranking.map(({ id }) => id),
  )
  read.forEach(({ score }, i) => {
    t.ok(Math.abs(score - scores[i]!) < 1e-5, `${score}, was ${scores[i]}`)
  })
  t.match(text, /^q Q0 d0 1 7 spindle\n/)
})

t.test('a line that is wrong is told with its place', async (t) => {
  const faults: [() => unknown, RegExp][] = [
    [() => parseTopics(source('1\ta\nb c\n')), /^Line 2 of some\.txt is no query \("b c"\): write its name, a tab/],
    [() => parseTopics(source('1\ta\n1\tb\n')), /^Line 2 of some\.txt has the query 1 a second time/],
    [() => parseTopics(source('1 2\ta\n')), /^Line 1 of some\.txt is no query/],
    [() => parseTopics(source('\n \n')), /^There is no query in some\.txt/],
    [() => parseJudgements(source('1 0 a 1\n\n1 0 b\n')), /^Line 3 of some\.txt is no judgement \("1 0 b"\)/],
    [() => parseJudgements(source('1 0 a 1.5\n')), /^Line 1 .* the grade as a whole number\.$/],
    [() => parseJudgements(source('1 0 a 1 x\n')), /^Line 1 of some\.txt is no judgement/],
    [
      () => parseJudgements(source('1 0 a 1\n1 0 a 1\n')),
      /^Line 2 of some\.txt judges a for the query 1 a second time/,
    ],
    [() => parseJudgements(source('')), /^There is no judgement in some\.txt/],
    [() => parseRun(source('1 Q0 a 1 2.5\n')), /^Line 1 of some\.txt is no line of a run/],
    [() => parseRun(source('1 Q0 a 1 high me\n')), /^Line 1 of some\.txt has the score "high"/],
    [() => parseRun(source('1 Q0 a 1 2 me\n1 Q0 a 2 1 me\n')), /^Line 2 of some\.txt has a for the query 1 a second/],
  ]
  for (const [read, message] of faults) t.throws(read, { code: 'EVALUATION_FILE_INVALID', message })
})
