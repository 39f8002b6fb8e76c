import t from 'tap'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { QueryParser } from '../query-parser/query-parser.js'
import { MarkedText } from './highlight.js'

const analyzer = new StandardAnalyzer()

/** Passages that begin with their headings, each a line of its own. */
function passagesOf(text: string, headings: readonly string[]) {
  const starts = headings.map((heading) => text.indexOf(`${heading}\n`))
  return starts.map((start, i) => ({
    start,
    end: starts[i + 1] ?? text.length,
    headingEnd: start + headings[i]!.length,
  }))
}

t.test('passages by rare words, several words, headings', async (t) => {
  const text = `file before all
Opening files
a file is opened, a file is closed
Reading lines
read a file line by line
Errors
what a file says of the file, the file, the file and the file
Nothing here
words`
  const passages = passagesOf(text, ['Opening files', 'Reading lines', 'Errors', 'Nothing here'])
  const marked = (query: string) =>
    new MarkedText(QueryParser.parse(query, 'body', analyzer), 'body', text, analyzer, { maxLength: 40 })
  const scores = marked('read file line').score(passages)
  t.equal(scores[3], 0)
  t.ok(scores[1]! > scores[0]! && scores[1]! > scores[2]!, `${scores}`)
  t.ok(scores[0]! < scores[2]!, 'often counts more than seldom')
  const opening = marked('opening').score(passages)
  t.strictSame(
    opening.map((score) => score > 0),
    [true, false, false, false],
  )
  t.ok(marked('errors says').score(passages)[2]! > 1)
  t.strictSame(marked('absent').score(passages), [0, 0, 0, 0])
  t.strictSame(marked('file').score([]), [])
  const part = marked('read file line').within({ start: passages[1]!.headingEnd, end: passages[1]!.end }, 40)
  t.equal(part.html.trim(), '<em>read</em> a <em>file</em> <em>line</em> by <em>line</em>')
  t.ok(part.start >= passages[1]!.headingEnd && part.end <= passages[1]!.end)
  t.equal(
    marked('read').within(passages[3]!, 40).html.trim(),
    'Nothing here\nwords',
    'its beginning where nothing is in it',
  )
})
