import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tokenize } from '../tokenize.js'
import { ChineseAnalyzer } from './chinese-analyzer.js'
import { standardDictionary } from './standard-dictionary.js'
import { UserDictionary } from './user-dictionary.js'
import { MAX_DICTIONARY_BYTES, readUserDictionary } from './user-dictionary-file.js'
import { WordFinder } from './word-finder.js'

const WORDS = 1

function words(analyzer: ChineseAnalyzer, text: string): string[] {
  return tokenize(analyzer, text, WORDS).map(({ term }) => term)
}

t.test('reads what jieba reads', async (t) => {
  // the sample that comes with jieba, its comment apart
  const sample = `云计算 5
李小福 2 nr
创新办 3 i
easy_install 3 eng
好用 300
韩玉赏鉴 3 nz
八一双鹿 3 nz
台中
凱特琳 nz
Edu Trust认证 2000
`
  const dictionary = UserDictionary.parse(`\ufeff# words of ours\r\n\r\n${sample.replaceAll('\n', '\r\n')}`, 'user.txt')
  t.strictSame(
    [...dictionary.entries],
    [
      { word: '台中' },
      { word: '好用', weight: 300 },
      { word: '云计算', weight: 5 },
      { word: '凱特琳', tag: 'nz' },
      { word: '创新办', weight: 3, tag: 'i' },
      { word: '李小福', weight: 2, tag: 'nr' },
      { word: '八一双鹿', weight: 3, tag: 'nz' },
      { word: '韩玉赏鉴', weight: 3, tag: 'nz' },
    ],
  )
  t.strictSame(dictionary.unused, [6, 12], 'lines with letters say nothing and do no harm')
  t.strictSame(UserDictionary.parse(dictionary.toString(), 'copy').revision, dictionary.revision)
})

t.test('says what is wrong, and where', async (t) => {
  const cases: [line: string, message: RegExp][] = [
    ['云计算 -5', /^Line 3 of my\.txt \("云计算 -5"\) has a weight that is no number/],
    ['云计算 5e3', /a weight that is no number/],
    ['云计算 1000000001', /a weight that is no number/],
    ['云计算 5个', /a weight that is no number/],
    ['云\0计算', /control characters/],
    ['云计\ud800算', /halves of characters/],
    ['云\ufffd', /halves of characters/],
    ['中'.repeat(65), /a word of more than 64 characters/],
    ['中'.repeat(1001), /longer than 1000 characters/],
    ['x'.repeat(1_000_000), /longer than 1000 characters/],
  ]
  for (const [line, message] of cases) {
    const error = t.throws(() => UserDictionary.parse(`好用\n\n${line}\n好用`, 'my.txt'), {
      code: 'DICTIONARY_INVALID',
    })
    t.match((error as unknown as Error).message, message)
    t.ok((error as unknown as Error).message.length < 250, 'one sentence')
  }
  const many = Array.from({ length: 200_001 }, (_, i) => String.fromCodePoint(0xac00 + (i >> 8), 0xac00 + (i & 255)))
  t.equal(UserDictionary.parse(many.slice(1).join('\n'), 'my.txt').size, 200_000)
  t.throws(() => UserDictionary.parse(many.join('\n'), 'my.txt'), {
    code: 'DICTIONARY_INVALID',
    message: /200,000 words/,
  })
  for (const line of ['云.*计算', '(云|计)+', '\\p{Han}', '云 计算', 'C++', '', '#', '   ']) {
    t.equal(UserDictionary.parse(line, 'my.txt').size, 0, `${line} is no word`)
  }
})

t.test('the revision is that of what counts', async (t) => {
  const of = (text: string) => UserDictionary.parse(text, '').revision
  t.equal(of('# nothing'), '')
  t.equal(of('云计算\n好用 3'), of('好用 3 n\r\n# so\r\n雲計算 nz'), 'order, tags and script do not')
  t.equal(of('好用 3\n好用 5'), of('好用 5'), 'the last line of a word')
  t.equal(new Set(['云计算', '云计算 3', '云计算 0', '云计', '云计\n算'].map(of)).size, 5)
})

t.test('changed words are those added, removed and weighed anew', async (t) => {
  const before = UserDictionary.parse('云计算\n好用 3\n台中 2\n長江', '')
  const after = UserDictionary.parse('云计算 nz\n好用 4\n区块链\n长江', '')
  t.strictSame(before.changedWords(after).sort(), ['区块链', '台中', '好用'].sort())
  t.strictSame(after.changedWords(before).sort(), ['区块链', '台中', '好用'].sort())
  t.strictSame(before.changedWords(before), [])
  t.equal(after.get('雲計算')?.tag, 'nz')
})

t.test('moves the borders of words, in both scripts, whatever the order of its lines', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const text = '他说的確認屆時鏈面云很好'
  t.notOk(words(analyzer, text).includes('链面云'))
  const lines = ['链面云', '面云很好', '链面']
  const cuts = [lines, lines.toReversed()].map((order) => {
    analyzer.dictionary = UserDictionary.parse(order.join('\n'), '').over(standardDictionary())
    return words(analyzer, text)
  })
  t.strictSame(cuts[0], cuts[1])
  analyzer.dictionary = UserDictionary.parse('链面云', '').over(standardDictionary())
  t.ok(words(analyzer, text).includes('链面云'))
  t.notOk(words(new ChineseAnalyzer(), text).includes('链面云'), 'that of others is as it was')
})

t.test('finds words in texts', async (t) => {
  const finder = new WordFinder(['长江大桥', '云', 'カタカナ', '한국어'])
  for (const text of ['南京市長江大橋', '雲', `${'中'.repeat(4094)}长江大桥`, 'x カタカナ y', '한국어를']) {
    t.ok(finder.isIn(text), text.slice(-8))
  }
  for (const text of ['', '长江 大桥', '长江大', 'long cloud', '\ud800长江大\udc00桥', '中'.repeat(10_000)]) {
    t.notOk(finder.isIn(text), text.slice(-8))
  }
  t.notOk(new WordFinder([]).isIn('长江大桥'))
})

t.test('reads files, and tells what is no dictionary', async (t) => {
  const folder = t.testdir({ 'good.txt': '云计算 5\n', 'bad.txt': '云计算 x5\n好 -1\n', folder: {} })
  const path = (name: string) => join(folder, name)
  t.equal((await readUserDictionary(path('good.txt'))).size, 1)
  t.equal(await readUserDictionary(path('none.txt')), UserDictionary.EMPTY)
  t.equal(await readUserDictionary(path('none/at/all.txt')), UserDictionary.EMPTY)
  writeFileSync(path('gbk.txt'), Buffer.from([0xd4, 0xc6, 0xbc, 0xc6, 0x0a]))
  writeFileSync(path('large.txt'), Buffer.alloc(MAX_DICTIONARY_BYTES + 1, 0x0a))
  writeFileSync(path('line.txt'), Buffer.alloc(1_000_000, 0x78))
  const pipe = path('pipe')
  if (process.platform !== 'win32') execFileSync('mkfifo', [pipe])
  const cases: [name: string, message: RegExp][] = [
    ['bad.txt', /Line 2 of .*bad\.txt/],
    ['folder', /is no file/],
    ['gbk.txt', /is not UTF-8/],
    ['large.txt', /larger than 16 MiB/],
    ['line.txt', /Line 1 of .*longer than 1000/],
    ...(process.platform === 'win32' ? [] : ([['pipe', /is no file/]] as [string, RegExp][])),
  ]
  for (const [name, message] of cases) {
    await t.rejects(readUserDictionary(path(name)), { code: 'DICTIONARY_INVALID', message }, name)
  }
})
