/** Lists of synonyms: what a line says, what is wrong with one, and which parts of a text they find. */
import t from 'tap'
import { Random, testSeed } from '../../test-support/random.js'
import type { Analyzer } from '../analyzer.js'
import { BigramAnalyzer } from '../bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from '../chinese/chinese-analyzer.js'
import { StandardAnalyzer } from '../standard/standard-analyzer.js'
import { tokenize } from '../tokenize.js'
import { parseSynonyms } from './parse-synonyms.js'
import { SynonymMap } from './synonym-map.js'

const standard = new StandardAnalyzer()
const chinese = new ChineseAnalyzer()

t.test('the format of Solr and Lucene', (t) => {
  const rules = parseSynonyms(
    [
      '\ufeff# names of machines',
      '',
      'i-pod, i pod => ipod , "mp3 player"',
      ' notebook,laptop , 笔记本电脑，手提电脑 ',
      'a\\,b, \\#c\\=>d => e\\\\f',
      'foo=>foo,bar\r',
    ].join('\n'),
  )
  t.same(rules, [
    { from: ['i-pod', 'i pod'], to: ['ipod', '"mp3 player"'] },
    { from: ['notebook', 'laptop', '笔记本电脑', '手提电脑'], to: ['notebook', 'laptop', '笔记本电脑', '手提电脑'] },
    { from: ['a,b', '#c=>d'], to: ['e\\f'] },
    { from: ['foo'], to: ['foo', 'bar'] },
  ])
  t.same(parseSynonyms(''), [])
  t.end()
})

t.test('mistakes are told with the file and the line', (t) => {
  const table: [string, RegExp][] = [
    ['电脑 计算机', /separate synonyms by commas/],
    ['a, b,', /a word is missing/],
    ['a,, b', /a word is missing/],
    ['=> b', /a word is missing/],
    ['a =>', /a word is missing/],
    ['a => b => c', /more than one "=>"/],
    ['a, !!!', /"!!!" has neither a letter nor a digit/],
    [`a, ${'b'.repeat(201)}`, /longer than 200 characters/],
    [Array.from({ length: 101 }, (_, i) => `w${i}`).join(), /more than 100 words/],
  ]
  for (const [line, message] of table) {
    const text = `# fine\na, b\n${line}\n`
    const expected = { code: 'SYNONYMS_INVALID', message: /^names\.txt has a mistake in line 3: / }
    t.throws(() => SynonymMap.parse(text, 'names.txt'), expected, line)
    t.throws(() => SynonymMap.parse(text, 'names.txt'), { message }, line)
  }
  t.throws(() => SynonymMap.parse('a'.repeat((16 << 20) + 1)), { code: 'SYNONYMS_INVALID', message: /make it shorter/ })
  t.end()
})

/** The parts of a text that have synonyms, with them. */
function found(list: string, text: string, analyzer: Analyzer = chinese): string[] {
  return SynonymMap.parse(list)
    .find(analyzer, text)
    .map(({ start, end, alternatives, keepsTyped }) => {
      return `${text.slice(start, end)}${keepsTyped ? '=' : '>'}${alternatives.join('/')}`
    })
}

t.test('which parts of a text have synonyms', (t) => {
  const list =
    '电脑, 计算机, computer\nNew York, NYC, 纽约\nnew york times => nyt\ntv => tv, television\nCPU 使用率, 处理器占用率'
  const table: [string, string[]][] = [
    ['电脑', ['电脑=计算机/computer']],
    ['電腦', ['電腦=计算机/computer']],
    ['COMPUTER', ['COMPUTER=电脑/计算机']],
    ['ｃｏｍｐｕｔｅｒ', ['ｃｏｍｐｕｔｅｒ=电脑/计算机']],
    ['买电脑价格', ['电脑=计算机/computer']],
    ['new york hotels', ['new york=NYC/纽约']],
    ['The New  York-Times today', ['New  York-Times>nyt']],
    ['new yorkers, york new', []],
    ['TV tv', ['TV=television', 'tv=television']],
    ['television', []],
    ['nyc纽约', ['nyc=New York/纽约', '纽约=New York/NYC']],
    ['看CPU使用率高', ['CPU使用率=处理器占用率']],
    ['cpu 使用率', ['cpu 使用率=处理器占用率']],
    ['', []],
    ['！？ ', []],
  ]
  for (const [text, parts] of table) t.same(found(list, text), parts, text)
  t.same(found('海上, sea', '上海上空'), [], 'a part of a run ends where words do')
  t.same(found('天安, x', '天安门'), [])
  t.same(found('天安, x', '天安门', new BigramAnalyzer()), ['天安=x'], 'where no words are known, anywhere')
  t.same(found('上海, 沪', '上海天气', standard), ['上海=沪'])
  t.same(found('a, b\na => c', 'a', standard), ['a=b/c'], 'rules of one word are put together')
  t.same(found('a => a', 'a', standard), ['a='])
  t.end()
})

t.test('much of everything', (t) => {
  const words = Array.from({ length: 100 }, (_, i) => `w${i}`)
  const many = SynonymMap.parse([`x, ${words.slice(0, 99).join()}`, `x => ${words.join()}`].join('\n'))
  const [match] = many.find(standard, 'x')
  t.equal(match!.alternatives.length, 32)
  t.ok(match!.keepsTyped)

  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const random = new Random(seed)
  const text = (length: number): string =>
    Array.from({ length }, () => random.pick(['a', 'b', 'c', '上', '海', ' ', '-'])).join(' ')
  let matches = 0
  for (let round = 0; round < 500; round++) {
    const from = Array.from({ length: 8 }, () => text(1 + random.below(4))).filter((term) => /[a-c上海]/.test(term))
    const query = text(30)
    const found = new SynonymMap([{ from, to: ['x'] }]).find(standard, query)
    t.same(
      found.map(({ start, end }) => [start, end]),
      longestFromTheLeft(from, query),
      `${from.join()} in ${query}`,
    )
    matches += found.length
  }
  t.ok(matches > 500)
  t.end()
})

/** The same without a trie. */
function longestFromTheLeft(from: readonly string[], text: string): [start: number, end: number][] {
  const tokens = tokenize(standard, text)
  const lists = from.map((term) => tokenize(standard, term).map((token) => token.term))
  const found: [number, number][] = []
  for (let i = 0; i < tokens.length; ) {
    const lengths = lists.map((list) => (list.every((term, j) => tokens[i + j]?.term === term) ? list.length : 0))
    const longest = Math.max(0, ...lengths)
    if (longest > 0) found.push([tokens[i]!.startOffset, tokens[i + longest - 1]!.endOffset])
    i += Math.max(1, longest)
  }
  return found
}
