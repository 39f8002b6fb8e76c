/** Random texts, lenient and strict: no errors but the documented ones, and every text in bounded time. */
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { SynonymMap } from '../analysis/synonyms/synonym-map.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { Random, testSeed } from '../test-support/random.js'
import { randomQueryText } from '../test-support/random-query-text.js'
import { byEffort, replay } from '../test-support/test-effort.js'
import { ENGLISH_FUNCTION_WORDS } from './english-function-words.js'
import { QueryParseError } from './parse-problem.js'
import { QueryParser, type QueryParserSettings } from './query-parser.js'

const seed = testSeed()
t.comment(replay(seed))
const random = new Random(seed)
const TEXTS = byEffort(20_000, 1_000_000, 1_000_000)
/** Milliseconds of the processor that one text may take. */
const LIMIT = 50

const chinese = new ChineseAnalyzer()
const synonyms = SynonymMap.parse('silk, silk road, 丝绸\n上海, 海上, a b c\na => b, 天安门\nroad or, not')
const keyword = new KeywordAnalyzer()
/** As a server asks. */
const site: QueryParserSettings = {
  field: { fields: { title: 2, body: 1, anchor: 2 } },
  analyzer: chinese,
  analyzers: {
    forField: (name) => (name === 'site' ? keyword : chinese),
    kindOf: (name) => (name === 'year' ? 'integer' : undefined),
  },
  knownFields: ['title', 'body', 'site', 'year'],
  fieldWords: {
    intitle: { field: 'title' },
    before: { toQuery: (value) => (value.length > 9 ? null : new TermQuery(new Term('date', value))) },
  },
  filterFields: ['site', 'before'],
  directives: ['sort'],
  scoring: { bonuses: { title: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS },
  synonyms,
  maxLength: 1000,
  fuzzyPrefixLength: 1,
}
/** As a program does that asks one field and knows no fields. */
const plain: QueryParserSettings = { field: 'body', analyzer: chinese, defaultOperator: 'and', synonyms }

const lenient = [new QueryParser({ ...site, lenient: true }), new QueryParser({ ...plain, lenient: true })]
const strict = [new QueryParser(site), new QueryParser(plain)]

/** Milliseconds of the processor that something took. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** What is wrong with how a text is parsed, leniently and strictly; '' for nothing. */
function parseBoth(text: string, as: number): string {
  const { query, words, ignored } = lenient[as]!.parseWithReport(text)
  query.toString()
  if (words.some((word) => word.text === '')) return 'lenient: a word without text'
  for (const { start, end } of ignored) {
    if (!(start >= 0 && start < end && end <= text.length)) return `lenient: ignored ${start}–${end}`
  }
  try {
    strict[as]!.parse(text)
  } catch (error) {
    if (!(error instanceof QueryParseError)) return `strict: ${String(error)}`
    if (!(error.start >= 0 && error.start <= text.length)) return `strict: place ${error.start}`
  }
  return ''
}

t.test(`${TEXTS} random texts`, (t) => {
  for (const as of [0, 1]) parseBoth('the dictionary is loaded 上海 at the first Han character', as)
  let slowest = 0
  for (let run = 0; run < TEXTS; run++) {
    const text = randomQueryText(random)
    let outcome = ''
    const again = (): number => processorTime(() => parseBoth(text, run % 2))
    let time = processorTime(() => {
      try {
        outcome = parseBoth(text, run % 2)
      } catch (error) {
        outcome = `lenient: ${String(error)}`
      }
    })
    // Others on the machine, the garbage collector and the compiler take their time; a slow text takes it always.
    for (let retry = 0; retry < 5 && time > LIMIT; retry++) time = Math.min(time, again())
    slowest = Math.max(slowest, time)
    if (outcome !== '' || time > LIMIT) {
      t.fail(`${JSON.stringify(text)}: ${outcome}, ${time} ms`)
      break
    }
  }
  t.comment(`slowest ${slowest} ms`)
  t.pass(`${TEXTS} texts`)
  t.end()
})
