/** What words, runs of Chinese and phrases ask of which layer and field, and that the results come in that order. */
import t from 'tap'
import type { Analyzer, TokenSink } from '../analysis/analyzer.js'
import { BigramAnalyzer } from '../analysis/bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import type { Query } from '../search/query/query.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { LetterAnalyzer } from '../test-support/letter-analyzer.js'
import { Random, testSeed } from '../test-support/random.js'
import { ENGLISH_FUNCTION_WORDS } from './english-function-words.js'
import { indexAnalyzers } from './index-analyzers.js'
import { type QueryFields, QueryParser, type QueryParserOptions } from './query-parser.js'

const letters = new LetterAnalyzer()

t.test('Chinese clauses', (t) => {
  const analyzer = new ChineseAnalyzer()
  const parse = (text: string, field: QueryFields = 'b', options: QueryParserOptions = {}): string =>
    QueryParser.parse(text, field, analyzer, options).toString('b')
  t.equal(parse('海'), 'b#char:海', 'one character: the layer of all characters')
  t.equal(parse('"海"'), 'b#char:海')
  t.equal(parse('上海'), '+(上海)^0.7 b#word:上海', 'a short run must stand as typed')
  t.equal(parse('天安门'), '+("天安 安门")^0.7 b#word:天安门')
  t.equal(parse('天安門'), parse('天安门'), 'both scripts')
  t.equal(parse('"北京天安门广场"'), '"北京 京天 天安 安门 门广 广场"', 'quoted: exactly')
  t.match(parse('北京天安门广场'), /^b#word:\S+ .*\(北京\)\^0\.7 \(京天\)\^0\.7/, 'a long run: alternatives')
  t.notMatch(parse('北京天安门广场'), /\+/)
  t.equal(parse('Bridges'), '(b#word:bridg)^1.7', 'the stem of another word')
  t.equal(
    parse('C语言'),
    '(+(语言)^0.7 b#word:语言) (b#word:c)^1.7',
    'parts without a space between them are alternatives',
  )
  t.notMatch(parse('什么是人工智能技术'), /什么/, 'question words are dropped')
  t.notMatch(parse('清华大学是什么时候成立的'), /\+/, 'what is left of a long question need not stand as it is')
  t.equal(parse('什么'), '+(什么)^0.7 b#word:什么', 'unless there is nothing else')
  const character = '(b#char:宏)^0.3 b#word:宏'
  t.equal(parse('宏吗'), character, 'one character that is left is looked for where characters are')
  t.equal(parse('什么是宏'), character, 'and so is one that is left beside a function word')
  t.equal(parse('宏是什么'), character)
  t.equal(
    parse('PDF怎么加宏'),
    `(b#word:pdf)^1.7 (b#char:加)^0.3 b#word:加 ${character} (加宏)^0.7 ("pdf ? ? 加宏")^1.4`,
  )
  t.equal(parse('是什么'), '+("是什 什么")^0.7 b#word:什么', 'nothing is lost where only function words remain')
  t.match(parse('这是为什么呢'), /为什/, 'a long one too')
  t.equal(
    parse('为谁而写'),
    '(b#char:写)^0.3 b#word:写',
    'what is left of a short run need not stand as if nothing were missing',
  )
  t.equal(parse('+上海 -海'), '+(+(上海)^0.7 b#word:上海) -b#char:海')
  t.equal(
    parse('海', { fields: { t: 2, b: 1 } }),
    '((t#char:海)^2.0 | b#char:海)~0.3',
    'several fields: the best one counts',
  )
  t.equal(parse('t:海', { fields: { t: 2, b: 1 } }), 't#char:海')

  const bigrams = new BigramAnalyzer()
  t.equal(
    QueryParser.parse('天安门 东京都庁前', 'b', bigrams).toString('b'),
    '"天安 安门" (东京 京都 都庁 庁前 ("东京 京都 都庁 庁前")^2.0)',
  )
  t.equal(QueryParser.parse('你好吗', 'b', new StandardAnalyzer()).toString('b'), '你 好 吗', 'no plan: alternatives')

  // A thousand different characters in one run, and one run of a repeated word.
  const long = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + 7 * i)).join('')
  const before = process.cpuUsage()
  const query = QueryParser.parse(long, { fields: { t: 2, b: 1 } }, analyzer)
  t.ok(query instanceof BooleanQuery && query.clauses.length <= 2000)
  const repeated = QueryParser.parse('中国人民'.repeat(250), 'b', analyzer)
  t.ok(repeated instanceof BooleanQuery && repeated.clauses.length < 20, 'each term is asked once')
  t.ok(process.cpuUsage(before).user < 3e6, 'bounded work')
  t.end()
})

t.test('a run of several words need not stand as typed, a word must', (t) => {
  const analyzer = new ChineseAnalyzer()
  const parse = (text: string): string => QueryParser.parse(text, 'b', analyzer).toString('b')
  t.equal(
    parse('卸载软件'),
    'b#word:卸载 b#word:软件 (卸载)^0.7 (载软)^0.7 (软件)^0.7 ("卸载 载软 软件")^1.4',
    'words, pairs, and all of it with a weight that puts exact hits first',
  )
  t.equal(parse('魈跬'), '(魈跬)^0.7', 'characters of an unknown word do not rank')
  t.match(parse('数据库表'), /^\+\("数据 据库 库表"\)/, 'a word and one character more stand as typed')
  t.end()
})

t.test('scoring of a site: fields as one, coverage, function words, compounds', (t) => {
  const analyzer = new ChineseAnalyzer()
  const scoring = { bonuses: { t: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS }
  const parse = (text: string): string =>
    QueryParser.parse(text, { fields: { t: 2, b: 1 } }, analyzer, { scoring, lenient: true }).toString('b')
  const asTyped = (text: string): string => `((t:"${text}")^4.08 | ("${text}")^3.4)~0.3`
  t.equal(
    parse('how to sort by value'),
    `+{((t#word^2+b#word):sort)^1.7 ((t#word^2+b#word):valu)^1.7} ${asTyped('how to sort by value')}`,
    'what was typed comes first where it stands so, function words too',
  )
  t.equal(
    parse('how to'),
    `+{((t#word^2+b#word):how)^1.7 ((t#word^2+b#word):to)^1.7} ${asTyped('how to')}`,
    'unless nothing else is asked for',
  )
  t.equal(
    parse('+to sort'),
    '((t#word^2+b#word):sort)^1.7 +((t#word^2+b#word):to)^1.7',
    'nor where it is asked for with a +',
  )
  t.equal(parse('"to be"'), '((t:"to be")^1.2 | "to be")~0.3', 'nor in a phrase')
  t.equal(parse('t:sort'), '(t#word:sort)^1.7', 'one field by itself')
  t.match(
    parse('f-string'),
    /^\{\(\(t#word\^2\+b#word\):f\)\S+ \(\(t#word\^2\+b#word\):string\)\S+ .*t:"f string"/,
    'what was typed as one word',
  )
  t.equal(
    parse('天安门'),
    '#((t:"天安 安门")^0.84 | ("天安 安门")^0.7)~0.3 (t#word^2+b#word):天安门 ((t^2+b):天安)^0.7 ((t^2+b):安门)^0.7',
  )
  t.equal(
    parse('silk silk'),
    `+(((t#word^2+b#word):silk)^1.7)^${1 + Math.log(2)} ${asTyped('silk silk')}`,
    'typed twice',
  )
  t.notMatch(parse('one two three four five six seven eight nine'), '"', 'a long text is no phrase')
  t.match(
    parse('数据库在服务器的位置'),
    /^\+\{(?!.*word\):的.*\}).*\} \(t#word\^2\+b#word\):在 \(t#word\^2\+b#word\):的$/,
    'function words of a run rank what others find',
  )
  t.notMatch(parse('他们和我们'), /^\+/, 'unless there is nothing else')
  const exact: [string, string][] = [
    ['2026-11-30', '2026 11 30'],
    ['CVE-2024-1234', 'cve 2024 1234'],
    ['covid-19', 'covid 19'],
    ['user@example.org', 'user example.org'],
    ['key=value', 'key value'],
    ['TLS/1.3', 'tls 1.3'],
  ]
  for (const [text, terms] of exact) {
    t.equal(parse(text), `((t:"${terms}")^2.04 | ("${terms}")^1.7)~0.3`, `${text} says something only as it stands`)
  }
  t.equal(
    parse('第3章'),
    '+((t^2+b):3)^1.7 #(t#char^2+b#char):第 #(t#char^2+b#char):章 ((t:"第 3 章")^2.04 | ("第 3 章")^1.7)~0.3',
    'characters at the ends may belong to a longer run',
  )
  t.notMatch(parse('in 2026-11-30'), /\{/, 'beside other words, too')
  for (const text of [
    'and/or',
    'state-of-the-art',
    'http://a.org/?page=2',
    'C语言',
    'CPU使用率',
    '2026年报告',
    "don't-know",
  ]) {
    t.match(parse(text), /^\{/, `${text} is words`)
  }
  t.equal(
    QueryParser.parse('2026-11-30', 'b', analyzer).toString('b'),
    '(b#word:2026)^1.7 (b#word:11)^1.7 (b#word:30)^1.7',
    'as in Lucene',
  )
  t.equal(parse('silk (road 卸载软件)').lastIndexOf('{'), 0, 'alternatives of alternatives are one list')
  t.end()
})

t.test('the order of the results', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const pages: [string, string][] = [
    ['5. 贡献', '怎样为文档贡献。'.repeat(5)],
    ['B.5. 附录', '5 个附录。'.repeat(3)],
    ['高级管理', `RAID 5 需要三块硬盘。RAID 5 的重建。${'管理员的日常工作。'.repeat(20)}`],
    ['Value', 'by a script'],
    ['Dictionaries', `sort a dictionary by value. ${'some other text follows. '.repeat(20)}`],
    ['系统工具', `先卸载旧的，再装软件。${'其他内容。'.repeat(5)}`],
    ['软件', '各种软件。'],
    ['指南', `怎样卸载软件。${'其他内容。'.repeat(30)}`],
    ['网页版', '版面与版本'],
    ['快速蒙版', `用蒙版选择。${'其他内容。'.repeat(20)}`],
    ['Strings', 'contain: strings; strings may contain strings'],
    ['Shelves', `pages that contain strings. ${'some other words follow. '.repeat(40)}`],
  ]
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const [title, body] of pages) {
    await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.text('body', body)))
  }
  await writer.commit()
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const scoring = { bonuses: { title: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS }
  const field = { fields: { title: 2, body: 1 } }
  const titles = async (text: string): Promise<string[]> => {
    const hits = await searcher.search(QueryParser.parse(text, field, analyzer, { scoring }))
    const found: string[] = []
    for await (const hit of hits) found.push(hit.document.get('title')!)
    return found
  }
  t.equal((await titles('RAID 5'))[0], '高级管理', 'a number in a short title does not win')
  t.equal((await titles('how to sort a dictionary by value'))[0], 'Dictionaries')
  t.same(await titles('卸载软件'), ['指南', '系统工具', '软件'], 'as typed, all words, some words')
  t.same(await titles('蒙版'), ['快速蒙版'])
  t.equal((await titles('that contain'))[0], 'Shelves', 'what stands as it was typed, in a long text too')
  await searcher.close()
})

t.test('a combined field: words in one list, phrases in its sources', async (t) => {
  const directory = new MemoryDirectory()
  const chinese = new ChineseAnalyzer()
  const combinedFields = [{ name: 'all', fields: { title: 8, headings: 3, body: 1 } }]
  const writer = await IndexWriter.open(directory, {
    analyzer: chinese,
    analyzers: { headings: new StandardAnalyzer() },
    combinedFields,
  })
  const add = (title: string, headings: string, body: string) =>
    writer.addDocument(
      new Document()
        .add(Field.text('title', title))
        .add(Field.text('headings', headings))
        .add(Field.text('body', body)),
    )
  await add('上海', 'silk road', '丝绸之路')
  await add('海上', 'road silk', '上海天安门广场')
  await add('road', 'none', 'the silk road of old')
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const analyzers = indexAnalyzers(searcher.reader)
  t.equal(analyzers.sourcesOf('title'), undefined)
  const parse = (text: string, options: QueryParserOptions = {}): Query =>
    QueryParser.parse(text, 'all', chinese, { analyzers, ...options })
  const ids = async (text: string, options: QueryParserOptions = {}): Promise<number[]> => {
    const hits = await searcher.search(parse(text, options))
    return [...Array(hits.length).keys()].map((i) => hits.docId(i)).sort()
  }
  t.equal(parse('silk').toString('all'), '((all#word:silk)^1.7 | silk)~0.3', 'a weight for each analyzer')
  t.equal(
    parse('丝绸 之路', { analyzers: { ...analyzers, forField: () => letters } }).toString('all'),
    '丝绸 之路',
    'once',
  )
  t.equal(parse('"silk road"').toString(), '((body:"silk road" | title:"silk road")~0.3 | headings:"silk road")~0.3')
  t.same(await ids('"silk road"'), [0, 2])
  t.same(await ids('title:"silk road"'), [])
  t.same(await ids('silk'), [0, 1, 2])
  t.same(await ids('上海'), [0, 1], 'in whatever source')
  t.same(await ids('天安门'), [1], 'a short run is a phrase in one of the sources')
  t.same(await ids('天安门', { scoring: {} }), [1])
  t.same(await ids('海'), [0, 1], 'the layer of characters')
  t.same(await ids('+silk -"road silk"', { scoring: {} }), [0, 2])
  t.same(await ids('天安门广场在哪里', { scoring: {} }), [1])
  t.equal(
    parse('天安门', { scoring: {} })
      .toString('all')
      .match(/body:"天安 安门"\)\^0\.7 \| \(title:"天安 安门"\)\^0\.7/)?.length,
    1,
    'the phrase decides',
  )
  t.match(
    parse('天安门', { scoring: { bonuses: { title: 0.2 } } }).toString('all'),
    /"天安 安门"\)\^0\.7 \| \(title:"天安 安门"\)\^0\.84.* \(all#word\+title#word\^0\):天安门/,
    'a source adds its bonus and no frequency',
  )
})

t.test('words at one place, and words within a distance', (t) => {
  /** Knows a second word for each tea. */
  const synonyms = {
    name: 'synonyms',
    settings: {},
    fingerprint: 'synonyms',
    layers: letters.layers,
    analyze(text: string, sink: TokenSink): void {
      letters.analyze(text, {
        token(term, start, end, increment, layer) {
          sink.token(term, start, end, increment, layer)
          if (term === 'tea') sink.token('cha', start, end, 0, layer)
        },
      })
    },
  }
  const parse = (text: string, analyzer: Analyzer = letters, field: QueryFields = 'f'): string =>
    QueryParser.parse(text, field, analyzer).toString('f')
  t.equal(parse('"green tea cup"~2', synonyms), '"green (tea cha) cup"~2')
  t.equal(parse('a NEAR/3 "b c" NEAR/3 d'), 'spanNear([a, spanNear([b, c], 0, true), d], 3, false)')
  t.equal(parse('+x:a ADJ/0 b c'), '+spanNear([x:a, x:b], 0, true) c')
  t.equal(
    parse('a NEAR/2 b', letters, { fields: { f: 1, g: 2 } }),
    '(spanNear([a, b], 2, false) | (spanNear([g:a, g:b], 2, false))^2.0)~0.3',
  )
  t.equal(parse('1 NEAR/2 b'), 'b', 'what the analyzer leaves')
  t.equal(
    parse('天安门 ADJ/2 广场', new ChineseAnalyzer()),
    'spanNear([spanNear([天安, 安门], 0, true), 广场], 2, true)',
  )
  for (const text of [
    'a NEAR/2',
    'NEAR/2 a',
    'a NEAR/2 b*',
    'a* NEAR/2 b',
    'a NEAR/2 (b)',
    'a NEAR/1 b NEAR/2 c',
    'a NEAR/2 x:b',
    'a NEAR/2 -b',
  ]) {
    t.throws(() => parse(text), { code: 'QUERY_SYNTAX' }, text)
  }
  t.equal(parse('near a NEAR b'), 'near a near b', 'without a number it is a word')
  t.end()
})

t.test('any part of a mixed text finds it, quoted', async (t) => {
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const random = new Random(seed)
  const analyzer = new ChineseAnalyzer()
  const piece = (): string =>
    random.pick(['PDF', '13', '2026', 'utf8', '日', '之', '后', '文', '件', '的', '，', ' ', '-'])
  const texts = Array.from({ length: 60 }, () => Array.from({ length: 12 }, piece))
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const text of texts) await writer.addDocument(new Document().add(Field.text('f', text.join('|'))))
  for (const text of texts) await writer.addDocument(new Document().add(Field.text('f', joined(text))))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  let asked = 0
  for (const [i, text] of texts.entries()) {
    for (let round = 0; round < 5; round++) {
      const from = random.below(text.length - 1)
      const part = joined(text.slice(from, from + 1 + random.below(6)))
      const query = QueryParser.parse(`"${part}"`, 'f', analyzer)
      if (query instanceof MatchNoneQuery) continue
      asked++
      t.same(await searcher.matchingOf(query, [texts.length + i]), [true], `${part} in ${joined(text)}`)
    }
  }
  t.ok(asked > 200)
})

/** Pieces one after the other, words of letters with a space between them. */
function joined(pieces: readonly string[]): string {
  return pieces.join('').replace(/(?<=PDF|13|2026|utf8)(?=PDF|13|2026|utf8)/g, ' ')
}

t.test('a combined field of one layer: what it does not hold is asked of its sources', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const directory = new MemoryDirectory()
  const combinedFields = [{ name: 'all', fields: { title: 2, body: 1 }, layers: ['word'] }]
  const writer = await IndexWriter.open(directory, { analyzer, combinedFields })
  for (const [title, body] of [
    ['上海', 'silken roads'],
    ['海上', '上海天安门广场'],
    ['silk road', 'a road of silk'],
  ] as const) {
    await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.text('body', body)))
  }
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const analyzers = indexAnalyzers(searcher.reader)
  t.ok(analyzers.hasLayer('all', 'word') && !analyzers.hasLayer('all', '') && !analyzers.hasLayer('all', 'char'))
  for (const scoring of [undefined, { bonuses: { title: 0.2 } }]) {
    const parse = (text: string): Query =>
      QueryParser.parse(text, 'all', analyzer, { analyzers, ...(scoring === undefined ? {} : { scoring }) })
    const ids = async (text: string): Promise<number[]> => {
      const hits = await searcher.search(parse(text))
      return [...Array(hits.length).keys()].map((i) => hits.docId(i)).sort()
    }
    t.match(parse('road').toString(), scoring === undefined ? /^\(all#word:road\)/ : /all#word\+title#word\^0\):road/)
    t.same(await ids('road'), [0, 2])
    t.same(await ids('上海'), [0, 1])
    t.same(await ids('海'), [0, 1], 'one character')
    t.same(await ids('天安门广场的历史'), [1])
    t.same(await ids('"road of silk"'), [2])
    t.same(await ids('silke*'), [0], 'a pattern')
    t.same(await ids('si?k'), [2])
  }
})
