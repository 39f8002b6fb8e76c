import fc from 'fast-check'
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { ENGLISH_FUNCTION_WORDS } from '../query-parser/english-function-words.js'
import { indexAnalyzers } from '../query-parser/index-analyzers.js'
import { QueryParser } from '../query-parser/query-parser.js'
import { IndexReader } from '../reading/index-reader.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { WildcardQuery } from '../search/query/wildcard-query.js'
import { Term } from '../search/term.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { combinedFieldsWith } from './combined-fields-with.js'
import { type HighlightOptions, highlight, highlightWhole } from './highlight.js'

const chinese = new ChineseAnalyzer()
const standard = new StandardAnalyzer()

const parse = (text: string, analyzer = chinese as ChineseAnalyzer | StandardAnalyzer): Query =>
  new QueryParser({ field: { fields: { title: 2, body: 1 } }, analyzer, lenient: true }).parse(text)

const zh = (query: string, text: string, options: HighlightOptions = {}): string =>
  highlight(parse(query), 'body', text, chinese, options).html
const en = (query: string, text: string, options: HighlightOptions = {}): string =>
  highlight(parse(query, standard), 'body', text, standard, options).html

/** Takes tags and escapes away again. */
function plain(html: string): string {
  return html
    .replaceAll('<em>', '')
    .replaceAll('</em>', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

t.test('Chinese', (t) => {
  t.equal(zh('上海', '从上海到海上'), '从<em>上海</em>到海上', '海上 is not 上海')
  t.equal(
    zh('天安门', '北京天安门广场，安门'),
    '北京<em>天安门</em>广场，安门',
    'one stretch, and only the whole phrase',
  )
  t.equal(zh('天安门', '北京天安門廣場'), '北京<em>天安門</em>廣場', 'as it is written')
  t.equal(zh('廣場', '天安门广场'), '天安门<em>广场</em>')
  t.equal(zh('海', '上海的海，海'), '上<em>海</em>的<em>海</em>，<em>海</em>', 'one character, everywhere')
  t.equal(zh('門', '门与門'), '<em>门</em>与<em>門</em>')
  t.equal(zh('"安门广"', '天安门广场 安门'), '天<em>安门广</em>场 安门', 'quoted: any part of a run')
  t.equal(zh('天安门 广场', '天安门广场'), '<em>天安门广场</em>', 'marks that touch are one')
  t.equal(zh('-上海 北京', '上海北京'), '上海<em>北京</em>', 'excluded words are not marked')
  t.equal(zh('title:上海', '上海'), '上海', 'words of another field are not marked')
  t.equal(zh('人工智能技术的发展', '技术是的'), '<em>技术</em>是的', 'single characters of a long query are not marked')
  t.equal(zh('C语言', 'c语言'), '<em>c语言</em>')
  t.equal(zh('什么', '没有'), '没有')
  t.end()
})

t.test('other texts, escapes, options', (t) => {
  t.equal(en('net', 'The NET of the Netherlands'), 'The <em>NET</em> of the Netherlands')
  t.equal(en('"b c"', 'b a c b c'), 'b a c <em>b</em> <em>c</em>'.replace('</em> <em>', ' '))
  t.equal(en('b', '<b>&"\'</b> <em>'), '&lt;<em>b</em>&gt;&amp;&quot;&#39;&lt;/<em>b</em>&gt; &lt;em&gt;')
  t.equal(en('a', 'a & b', { pre: '[', post: ']' }), '[a] &amp; b')
  t.equal(en('constructor __proto__', 'constructor __proto__'), '<em>constructor</em> <em>__proto__</em>')
  const url = new TermQuery(new Term('url', 'http://a/'))
  t.equal(highlightWhole(url, 'url', 'http://a/', new KeywordAnalyzer()).html, '<em>http://a/</em>')
  t.equal(en('a', ''), '')
  t.equal(highlight(parse(''), 'body', 'x', standard).html, 'x')
  const title = 'word '.repeat(100)
  const whole = highlightWhole(parse('word', standard), 'title', title, standard)
  t.equal(plain(whole.html), title)
  t.equal(whole.marks, 100)
  t.same([whole.cutBefore, whole.cutAfter], [false, false])
  t.end()
})

t.test('the best part of a text, from sentence to sentence', (t) => {
  const filler = 'Nothing to see in this sentence. '.repeat(20)
  const text = `${filler}An apple alone. ${filler}Here are an apple and a pear. ${filler}`
  const found = highlight(parse('apple pear', standard), 'body', text, standard, { maxLength: 80 })
  t.match(
    found.html,
    /^Here are an <em>apple<\/em> and a <em>pear<\/em>\. /,
    'both words, from the start of the sentence',
  )
  t.ok(found.cutBefore && found.cutAfter)
  t.ok(found.end - found.start <= 80)
  t.equal(found.firstMark, text.indexOf('apple and a pear'))
  t.equal(plain(found.html), text.slice(found.start, found.end))
  const start = highlight(parse('absent', standard), 'body', text, standard, { maxLength: 40 })
  t.equal(start.html, 'Nothing to see in this sentence.', 'the beginning where nothing is found')
  t.equal(start.firstMark, undefined)
  const zhText = `${'这里没有要找的东西。'.repeat(30)}长江大桥在南京。${'这里也没有。'.repeat(30)}`
  t.match(zh('南京 长江', zhText, { maxLength: 40 }), /^这里没有要找的东西。<em>长江<\/em>大桥在<em>南京<\/em>。/)
  const last = highlight(parse('end', standard), 'body', `${filler}the end`, standard, { maxLength: 60 })
  t.ok(last.end - last.start > 30, 'at the end of a text the room before the word is used')
  t.end()
})

t.test('what says nothing is neither shown first nor marked', (t) => {
  const scoring = { functionWords: ENGLISH_FUNCTION_WORDS }
  const box = (query: string, text: string, options: HighlightOptions = {}): string => {
    const parser = new QueryParser({
      field: { fields: { title: 2, body: 1 } },
      analyzer: chinese,
      lenient: true,
      scoring,
    })
    return highlight(parser.parse(query), 'body', text, chinese, options).html
  }
  t.equal(
    box('SELinux是什么', 'SELinux是安全模块，是的'),
    '<em>SELinux</em>是安全模块，是的',
    'what is left of a question',
  )
  t.equal(box('是', '是的'), '<em>是</em>的', 'unless there is nothing else')
  t.equal(box('是什么', '这是什么，是的'), '这<em>是什么</em>，是的')
  t.equal(box('how to sort a list', 'to sort and to list'), 'to <em>sort</em> and to <em>list</em>')
  t.equal(box('how to sort a list', 'how to sort a list by a key'), '<em>how to sort a list</em> by a key', 'as typed')
  t.equal(box('sorting lists', 'a sorted list'), 'a <em>sorted</em> <em>list</em>', 'other forms of a word')
  t.equal(box('zurich', 'in Zürich'), 'in <em>Zürich</em>', 'diacritics')
  t.equal(box('html', 'parseHTML(x)'), 'parse<em>HTML</em>(x)', 'a part of a name')
  t.equal(box('parseHtml', 'parseHTML, parse the HTML'), '<em>parseHTML</em>, <em>parse</em> the <em>HTML</em>')
  t.equal(box('C++', 'C, C++ and c#'), 'C, <em>C++</em> and c#')
  t.equal(box('the C language', 'C and the language'), '<em>C</em> and the <em>language</em>', 'a word of one letter')
  t.equal(box('卸载软件', '卸载软件，软件卸载'), '<em>卸载软件</em>，<em>软件卸载</em>')
  t.equal(box('卸载软件', '装载软木'), '装载软木', 'a pair across two words of the query')
  const filler = '这里没有要找的东西。'.repeat(20)
  const words = `${filler}产品和服务。${filler}穿和服。${filler}`
  t.match(box('和服', words, { maxLength: 40 }), /穿<em>和服<\/em>/, 'a word rather than a part of two')
  const navigation = `首页 域名 下载 ${filler}注册域名。${filler}`
  t.match(box('域名', navigation, { maxLength: 40 }), /注册<em>域名<\/em>/, 'not the navigation')
  const page = `首页 注册域名 怎样注册域名？先找一家注册商，再付钱。${filler}`
  t.match(
    box('注册域名', page, { maxLength: 40, title: '注册域名 - 帮助' }),
    /^怎样<em>注册域名<\/em>？/,
    'not the title again',
  )
  t.match(box('没见过', page, { maxLength: 20, title: '注册域名 - 帮助' }), /^怎样/)
  t.equal(box('域名', '注册域名', { title: '注册域名' }), '注册<em>域名</em>', 'unless there is nothing else')
  t.end()
})

t.test('any text, any query: only our marks, no cut pair, a part of the text', (t) => {
  const piece = fc.oneof(
    fc.constantFrom(
      '上海',
      '海上',
      '天安门',
      '門',
      'apple',
      ' ',
      '. ',
      '。',
      '<em>',
      '</em>',
      '&amp;',
      '"',
      "'",
      '😀',
      'é',
    ),
    fc.constantFrom('👨‍👩‍👧', '\ud800', '\udc00', '\u0000', 'e\u0301', '\u202e'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  const texts = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''))
  const queries = fc.constantFrom(
    '上海',
    '海',
    '天安门 apple',
    '"海上" OR 門',
    '上海海上天安门广场',
    'apple',
    'é',
    '😀',
  )
  fc.assert(
    fc.property(texts, queries, fc.integer({ min: 1, max: 50 }), (text, query, maxLength) => {
      const { html, start, end, marks } = highlight(parse(query), 'body', text, chinese, { maxLength })
      const bad = (reason: string): boolean => t.fail(`${reason}: ${JSON.stringify({ text, query, maxLength, html })}`)
      if (plain(html) !== text.slice(start, end)) bad('not a part of the text')
      if (end - start > Math.max(maxLength, 2)) bad('too long')
      const tags = html.match(/<[^>]*>/g) ?? []
      if (tags.some((tag, i) => tag !== (i % 2 === 0 ? '<em>' : '</em>'))) bad('unbalanced')
      if (tags.length !== 2 * marks) bad('wrong count')
      if (html.includes('<em></em>') || html.includes('</em><em>')) bad('empty or torn mark')
      const cut = (at: number): boolean =>
        /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(0, at - 1), at + 1))
      if ((start > 0 && cut(start)) || (end < text.length && cut(end))) bad('a pair is cut')
      if (plain(highlightWhole(parse(query), 'body', text, chinese).html) !== text) bad('not the whole text')
    }),
    { numRuns: 1000 },
  )
  t.pass('checked')
  t.end()
})

t.test('large texts', (t) => {
  const before = performance.now()
  const text = '上海'.repeat(1 << 20)
  const { html, marks } = highlight(parse('上海 海 "海上海"'), 'body', text, chinese)
  t.ok(marks >= 1 && html.length < 400)
  const long = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
  highlight(parse(long), 'body', long.repeat(100), chinese)
  t.ok(performance.now() - before < 60_000, 'bounded work')
  const zalgo = `a${'\u0301'.repeat(100_000)}`
  t.ok(highlight(parse('a', standard), 'body', zalgo, standard).end <= 160)
  t.end()
})

t.test('a text longer than is analyzed at once: what stands only behind its beginning is found there', (t) => {
  const filler = '这里没有要找的东西。'.repeat(200)
  const text = `${filler}Then gen_server 启动天安门广场的服务。${filler}`
  const options = { maxAnalyzed: 500, maxLength: 40 }
  for (const [query, html] of [
    ['天安门', '<em>天安门</em>'],
    ['GEN_SERVER', '<em>gen_server</em>'],
    ['天安门 没有这个', '<em>没有</em>'],
  ] as const) {
    const found = highlight(parse(query), 'body', text, chinese, options)
    t.ok(found.html.includes(html), `${query}: ${found.html}`)
    t.equal(plain(found.html), text.slice(found.start, found.end))
    t.ok(found.end - found.start <= 40)
  }
  const later = highlight(parse('天安门'), 'body', text, chinese, options)
  t.equal(later.firstMark, text.indexOf('天安门'))
  t.ok(later.cutBefore && later.cutAfter)
  t.equal(highlight(parse('不在文中'), 'body', text, chinese, { maxAnalyzed: 30 }).start, 0)
  t.end()
})

t.test('words that were asked of a combined field', async (t) => {
  const directory = new MemoryDirectory()
  const combinedFields = [
    { name: 'all', fields: { title: 8, body: 1 } },
    { name: 'other', fields: { title: 1 } },
  ]
  const writer = await IndexWriter.open(directory, { analyzer: chinese, combinedFields })
  const text = '从上海到海上 by silk road'
  await writer.addDocument(new Document().add(Field.text('title', '上海')).add(Field.text('body', text)))
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.teardown(() => reader.close())
  const query = QueryParser.parse('上海 silk "road" 海', 'all', chinese, { analyzers: indexAnalyzers(reader) })
  t.same(combinedFieldsWith(reader, 'body'), ['all'])
  t.same(combinedFieldsWith(reader, 'title'), ['all', 'other'])
  t.same(combinedFieldsWith(reader, 'all'), [])
  t.equal(highlight(query, 'body', text, chinese).marks, 0, 'nothing was asked of the field itself')
  const options = { combinedFields: combinedFieldsWith(reader, 'body') }
  t.equal(
    highlight(query, 'body', text, chinese, options).html,
    '从<em>上海</em>到<em>海</em>上 by <em>silk</em> <em>road</em>',
  )
})

t.test('words of prefixes and patterns', (t) => {
  const mark = (query: Query, text: string, analyzer = standard as StandardAnalyzer | ChineseAnalyzer): string =>
    highlight(query, 'body', text, analyzer).html
  t.equal(
    mark(new PrefixQuery('body', 'sp'), 'Spin a spindle, spin'),
    '<em>Spin</em> a <em>spindle</em>, <em>spin</em>',
  )
  t.equal(
    mark(new WildcardQuery('body', 's?n*'), 'sun and sand & sin'),
    '<em>sun</em> and <em>sand</em> &amp; <em>sin</em>',
  )
  t.equal(mark(new PrefixQuery('title', 'sp'), 'spindle'), 'spindle', 'asked of another field')
  t.equal(mark(new PrefixQuery('body', 'data'), '数据 database 数据库', chinese), '数据 <em>database</em> 数据库')
  const both = new BooleanQuery([
    { query: new PrefixQuery('body', 'a'), occur: 'should' },
    { query: new WildcardQuery('body', 'b*'), occur: 'mustNot' },
    { query: new TermQuery(new Term('body', 'apple')), occur: 'should' },
  ])
  t.equal(mark(both, 'an apple, a bee'), '<em>an</em> <em>apple</em>, <em>a</em> bee')
  t.end()
})
