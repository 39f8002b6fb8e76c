/** Corrections of words and queries by the terms of an index. */
import t from 'tap'
import {
  type Analyzer,
  ChineseAnalyzer,
  Document,
  Field,
  IndexReader,
  IndexWriter,
  MemoryDirectory,
  SpellChecker,
  StandardAnalyzer,
} from '../index.js'
import { SearchLimits } from '../search/scorer/search-limits.js'
import { Random, testSeed } from '../test-support/random.js'
import { spellingCost } from './spelling-cost.js'
import { WordSpeller } from './word-speller.js'

async function readerOf(texts: readonly string[], analyzer: Analyzer): Promise<IndexReader> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const [i, text] of texts.entries()) {
    await writer.addDocument(new Document().add(Field.text('body', text)))
    // several segments, so that a term of more than one counts in all
    if (i % 7 === 6) await writer.commit()
  }
  await writer.close()
  return IndexReader.open(directory)
}

async function checkerOf(texts: readonly string[], analyzer: Analyzer = new ChineseAnalyzer()): Promise<SpellChecker> {
  return new SpellChecker(await readerOf(texts, analyzer), { fields: ['body'], analyzer })
}

/** The likeliest correction, or what was typed. */
async function best(checker: SpellChecker, query: string): Promise<string> {
  return (await checker.corrections(query))[0]?.text ?? query
}

const ENGLISH = [
  ...Array<string>(8).fill('the database server of an open source search engine'),
  ...Array<string>(3).fill('a search machine with a serve command'),
  'silk road utf8 python3',
]

t.test('words of letters', async (t) => {
  const checker = await checkerOf(ENGLISH)
  for (const [typed, meant] of [
    ['databse', 'database'],
    ['serach', 'search'],
    ['saerch enigne', 'search engine'],
    ['Databsae', 'database'],
    ['opensource', 'open source'],
    ['data base', 'database'],
    ['data-base', 'database'],
    ['+serach -enigne', '+search -enigne'],
    ['"serach engin"', '"search engine"'],
    ['zearch', 'search'],
    ['sevrer', 'server'],
  ] as const) {
    t.equal(await best(checker, typed), meant, typed)
  }
})

t.test('what is right, or no word, stays', async (t) => {
  const checker = await checkerOf(ENGLISH)
  for (const query of [
    '',
    'search',
    'SEARCH engine',
    'silk',
    'utf9',
    'pyton3',
    'serach-2024-1234',
    'databse#7',
    'xqzvw',
    'se',
    'title:serach',
    'serach:silk',
    'site:databse.example',
    '-databse',
    '!databse',
    'databse*',
    'databse~2',
    'datab?se',
    'databse.html',
    '/databse/',
    'silk AND road',
    '\ud800 \u0000',
    'a'.repeat(1000),
    'serach '.repeat(13),
  ]) {
    t.strictSame(await checker.corrections(query), [], JSON.stringify(query))
  }
})

t.test('a frequent word is right, a rare one beside a much more frequent one is not', async (t) => {
  const texts = [...Array<string>(200).fill('the text'), ...Array<string>(6).fill('a test'), 'teh end']
  const checker = await checkerOf(texts, new StandardAnalyzer())
  t.equal(await best(checker, 'test'), 'test')
  t.equal(await best(checker, 'teh'), 'the')
})

t.test('Chinese of the same sound, one other character, both scripts', async (t) => {
  const checker = await checkerOf([
    ...Array<string>(5).fill('安装数据库和搜索引擎的方法'),
    ...Array<string>(3).fill('打印机的设置'),
    '电子表格',
  ])
  for (const [typed, meant] of [
    ['数剧库', '数据库'],
    ['搜锁引擎', '搜索引擎'],
    ['安庄', '安装'],
    ['怎么安装数剧库', '怎么安装数据库'],
    ['數劇庫', '数据库'],
    ['打引机', '打印机'],
    ['打映机', '打印机'],
    ['search 数剧库', 'search 数据库'],
  ] as const) {
    t.equal(await best(checker, typed), meant, typed)
  }
  const many = (right: number): string =>
    [...Array(right).fill('数据库'), ...Array(12 - right).fill('数剧库')].join(' ')
  t.equal(await best(checker, many(0)), many(8), 'work is bounded: three spans each, 24 in all')
  for (const query of ['数据库', '安装打印机', '饕餮盛宴', '库', '数剧库'.repeat(10)]) {
    t.strictSame(await checker.corrections(query), [], query)
  }
})

t.test('an analyzer without words of Chinese, an index without documents', async (t) => {
  t.strictSame(await (await checkerOf(['数据库'], new StandardAnalyzer())).corrections('数剧库'), [])
  t.strictSame(await (await checkerOf([])).corrections('serach 数剧库'), [])
})

t.test('the words found are those of the whole dictionary that are near enough', async (t) => {
  const seed = testSeed()
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const word = (): string => Array.from({ length: 3 + random.below(6) }, () => random.pick([...'abcé'])).join('')
  const words = [...new Set(Array.from({ length: 120 }, word))]
  const reader = await readerOf(words, new StandardAnalyzer())
  const speller = new WordSpeller(reader, ['body'], new SearchLimits())
  for (let round = 0; round < 60; round++) {
    const typed = word()
    if (words.includes(typed)) continue
    const edits = typed.length < 6 ? 1 : 2
    let near = words.filter((other) => other[0] === typed[0] && distance(typed, other) <= edits)
    if (near.length === 0 && typed.length > 3) near = words.filter((other) => distance(typed, other) <= 1)
    const costs = near.map((other) => spellingCost(typed, other)).sort((a, b) => a - b)
    const found = await speller.corrections(typed, 0)
    t.strictSame(
      found.map(({ text }) => spellingCost(typed, text)),
      costs.slice(0, 3),
      `${typed}: ${found.map(({ text }) => text)}`,
    )
  }
})

/** Optimal string alignment distance, by its definition. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j))
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = least
    }
  }
  return rows[a.length]![b.length]!
}
