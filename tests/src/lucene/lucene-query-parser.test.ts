/** Random texts through our query parser and Lucene's classic one: the same query as it is printed, or both refuse it. */
import { isSpindleError } from '@spindle/core'
import { QueryParser } from '@spindle/index'
import t from 'tap'
import { byEffort, replay, seed } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { Random } from '../support/random.js'
import { missingForLucene } from './lucene-jars.js'
import { escapePart, LuceneProcess, unescapePart } from './lucene-process.js'
import { RandomSyntax } from './random-syntax.js'
import { WhitespaceAnalyzer } from './whitespace-analyzer.js'

const TEXTS = byEffort(3000, 100_000, 300_000)
const BATCH = 1000
const MAX_FAILURES = 40
const REFUSED = 'refused'
type Operator = 'or' | 'and'

const analyzer = new WhitespaceAnalyzer()

/** The query as our strict parser prints it. */
function parseHere(text: string, defaultOperator: Operator): string {
  try {
    return QueryParser.parse(text, 'field', analyzer, { defaultOperator }).toString('field')
  } catch (error) {
    if (isSpindleError(error)) return REFUSED
    throw error
  }
}

/**
 * Where our parser reads a text in another way than Lucene's, on purpose (see query-parser.ts): people type these as text,
 * or mean something else by them.
 */
const DIFFERENCES: readonly (readonly [name: string, where: RegExp])[] = [
  ['stars alone, of any field, ask for every document that has it', /(^|[\s()\]}+\-!:"])\*+($|[\s()^~"])/],
  ['an empty phrase is no clause, and leaves no group around the others', /""/],
  ['a \\u escape is its character within patterns too', /[*?]\S*\\u|\\u\S*[*?]/],
  ['words with an escaped space between them stay a group', /\\ /],
  [
    '!, + and - are operators only directly before a clause, and text within and behind words',
    /[^\s("]!|[!+-]($|[\s)])/,
  ],
  ['a slash is text where no regular expression begins or ends', /(^|[^\\])\/(?![^/\s]*[^\\]\/($|[\s)^]))/],
  [
    '~ and ^ before anything but a number are mistakes, and a dot may end a number',
    /[~^]\d+\.(?!\d)|[~^](?!\d|\s|$|\))|[~^][\d.]*[^\d.\s)^~]/,
  ],
]

/** Why a text is read in another way here than by Lucene; undefined where it has to be the same. */
function differsByDesign(text: string): string | undefined {
  return DIFFERENCES.find(([, where]) => where.test(text))?.[0]
}

/** Lucene keeps backslashes that say nothing in the patterns of regular expressions and wildcards. */
function normalize(printed: string): string {
  return printed.replaceAll('\\', '')
}

t.comment(replay)
const missing = missingForLucene()
t.test('texts are read as Lucene reads them', needs(`the program '${missing}'`, missing === undefined), async (t) => {
  const lucene = await LuceneProcess.start()
  t.teardown(() => lucene.stop())
  const random = new Random(seed)
  const syntax = new RandomSyntax(random)
  let refused = 0
  let different = 0
  const failures: string[] = []
  for (let left = TEXTS; left > 0 && failures.length < MAX_FAILURES; left -= BATCH) {
    const tasks = Array.from({ length: Math.min(BATCH, left) }, () => ({
      ...syntax.next(),
      operator: random.pick<Operator>(['or', 'and']),
    }))
    const answers = await Promise.all(
      tasks.map(({ text, operator }) => lucene.send(['parse', operator, 'field', escapePart(text)])),
    )
    for (const [i, { text, isWhole, operator }] of tasks.entries()) {
      const theirs = answers[i]!.startsWith('error\t') ? REFUSED : unescapePart(answers[i]!)
      if (theirs === REFUSED) refused++
      const ours = parseHere(text, operator)
      if (normalize(ours) === normalize(theirs)) continue
      // What is a mistake, and what it may mean, each parser has its own mind of.
      const isMistake = !isWhole && (ours === REFUSED || theirs === REFUSED)
      if (isMistake || differsByDesign(text) !== undefined) different++
      else failures.push(`${operator} ${JSON.stringify(text)}: ${ours}, Lucene ${theirs}`)
    }
  }
  for (const failure of failures.slice(0, MAX_FAILURES)) t.fail(failure)
  t.ok(refused > TEXTS / 50 && refused < TEXTS / 2, `${refused} of ${TEXTS} are refused by Lucene`)
  t.ok(different < TEXTS / 5, `${different} differ by design`)
})
