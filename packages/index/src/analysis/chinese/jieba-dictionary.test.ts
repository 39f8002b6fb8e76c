import t from 'tap'
import { tokenize } from '../tokenize.js'
import { ChineseAnalyzer } from './chinese-analyzer.js'
import { parseJiebaDictionary } from './jieba-dictionary.js'

const wordsBy =
  (lines: string) =>
  (text: string): string =>
    tokenize(new ChineseAnalyzer({ dictionary: parseJiebaDictionary(lines, 'words.txt') }), text, 1)
      .map((x) => x.term)
      .join(' ')

t.test('a dictionary of jieba instead of the product’s', (t) => {
  const words = wordsBy(
    '\ufeff研究 500 v\r\n研究生 100 n\n生命 300 n\n起源 200 n\n# no word\n\n命 50\nC++ 10 nz\n長江 40 ns\n',
  )
  t.equal(words('研究生命起源'), '研究 生命 起源')
  t.equal(words('長江长江'), '长江 长江', 'both scripts')
  const dictionary = parseJiebaDictionary('研究 3 v\n国 0\n', 'x')
  t.equal(dictionary.wordCount, 2)
  t.ok(dictionary.costOf('研究') < dictionary.costOf('国'))
  t.end()
})

t.test('Japanese: words of Kana and Han', (t) => {
  const words = wordsBy(
    '検索 50 名詞\nエンジン 40\nを 900\n作る 30\n日本語 60\nの 1000\n東京都 20\n東京 50\nに 800\n住む 10\n',
  )
  t.equal(words('日本語の検索エンジンを作る'), '日本语 の 検索 エンジン を 作る')
  t.equal(words('東京都に住む'), '东京都 に 住む')
  t.equal(words('ｴﾝｼﾞﾝを作る'), 'エンジン を 作る', 'half-width Katakana')
  t.equal(words('検索エンジンすごい'), '検索 エンジン すご ごい', 'what is no word is in pairs, apart from words')
  t.equal(words('検索エンジンだ'), '検索 エンジン だ')
  t.end()
})

t.test('Korean: words without spaces between', (t) => {
  const words = wordsBy('검색 50\n엔진 40\n을 900\n만들다 30\n')
  t.equal(words('검색엔진을 만들다'), '검색 엔진 을 만들다')
  t.equal(words('\u1100\u1165\u11b7\u1109\u1162\u11a8엔진'), '검색 엔진', 'syllables in parts')
  t.end()
})

t.test('a line without a count is told', (t) => {
  for (const [text, line] of [
    ['研究 5\n生命\n', 2],
    ['研究 5 v\n生命 many n\n', 2],
    ['研究 -1', 1],
    [`${'中'.repeat(2000)}`, 1],
  ] as const) {
    const read = (): unknown => parseJiebaDictionary(text, 'words.txt')
    t.throws(read, { code: 'DICTIONARY_INVALID', message: new RegExp(`^Line ${line} of words.txt`) })
  }
  t.equal(parseJiebaDictionary('', 'x').wordCount, 0)
  t.equal(parseJiebaDictionary(`${'中'.repeat(65)} 5\n`, 'x').wordCount, 0, 'too long')
  t.end()
})
