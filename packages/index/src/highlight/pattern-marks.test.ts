import t from 'tap'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { MultiPhraseQuery } from '../search/query/multi-phrase-query.js'
import { NearQuery } from '../search/query/near-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { Term } from '../search/term.js'
import { highlight } from './highlight.js'

const mark = (query: Query, text: string): string => highlight(query, 'body', text, new StandardAnalyzer()).html
const term = (text: string): Term => new Term('body', text)

t.test('sloppy phrases mark their words where they match', (t) => {
  const query = new PhraseQuery('body', ['silk', 'road'], undefined, 3)
  t.equal(mark(query, 'Silk; the old silk trade road.'), 'Silk; the old <em>silk</em> trade <em>road</em>.')
  t.equal(mark(query, 'a road of silk & more'), 'a <em>road</em> of <em>silk</em> &amp; more')
  t.equal(mark(query, 'the silk road'), 'the <em>silk road</em>', 'as it stands: one stretch')
  t.equal(mark(query, 'silk came by one or another road'), 'silk came by one or another road')
  t.equal(mark(query, 'silk alone'), 'silk alone')
  const repeated = new PhraseQuery('body', ['to', 'be', 'to'], undefined, 4)
  t.equal(mark(repeated, 'to be; to'), '<em>to be; to</em>')
  t.equal(mark(repeated, 'to be or not'), 'to be or not', 'a word of the text counts once')
  t.end()
})

t.test('phrases with a choice of words', (t) => {
  const query = new MultiPhraseQuery('body', [['quick'], ['brown', 'red'], ['fox']])
  t.equal(mark(query, 'A quick red fox, a red dog'), 'A <em>quick red fox</em>, a red dog')
  t.equal(mark(new MultiPhraseQuery('body', [['red', 'dog']]), 'a red dog'), 'a <em>red</em> <em>dog</em>')
  t.end()
})

t.test('near queries mark their words where they match', (t) => {
  const way = [term('road'), term('route')]
  const query = new NearQuery([term('silk'), way], { slop: 2 })
  t.equal(
    mark(query, 'route; silk by an old route and a road'),
    'route; silk by an old route and a road',
    'too far, and in the wrong order',
  )
  t.equal(mark(query, 'the route; silk by that route'), 'the route; <em>silk</em> by that <em>route</em>')
  const group = new NearQuery([new NearQuery([term('new'), term('york')]), term('times')], { slop: 3, inOrder: false })
  t.equal(mark(group, 'New: times of New York'), 'New: <em>times</em> of <em>New</em> <em>York</em>')
  t.equal(mark(new BooleanQuery([{ query, occur: 'mustNot' }]), 'silk road'), 'silk road')
  t.equal(mark(new NearQuery([new Term('title', 'silk'), new Term('title', 'road')]), 'silk road'), 'silk road')
  t.end()
})
