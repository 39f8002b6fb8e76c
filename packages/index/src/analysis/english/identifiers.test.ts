/** Names of programs and machines: found as they are typed and by their parts, and not taken for each other. */
import fc from 'fast-check'
import t from 'tap'
import { Document } from '../../document/document.js'
import { Field } from '../../document/field.js'
import { IndexWriter } from '../../indexing/index-writer.js'
import { QueryParser } from '../../query-parser/query-parser.js'
import { IndexSearcher } from '../../search/index-searcher.js'
import { MemoryDirectory } from '../../store/memory-directory.js'
import { testSeed } from '../../test-support/random.js'
import type { Analyzer } from '../analyzer.js'
import { ChineseAnalyzer } from '../chinese/chinese-analyzer.js'
import { tokenize } from '../tokenize.js'
import { EnglishAnalyzer } from './english-analyzer.js'

const TEXTS = [
  'Programs in C++ and in C# run on .NET, 使用.NET平台',
  'The language C was there before: int img_data_ttl = parseHTML(x);',
  'Edit /etc/apache2/sites-available or .htaccess; install libfoo-dev 3.11.2',
  'Part AB-123/4 costs more than AB-124/3',
  'Ｗｉｄｅ Ｃ＋＋ text, os.path.join, Notepad++',
  'plain data and paths',
]

/** What each query finds, by the numbers of the texts, the best first. */
const QUERIES: readonly (readonly [query: string, found: readonly number[]])[] = [
  ['C++', [0, 4]],
  ['c＋＋', [0, 4]],
  ['C#', [0]],
  ['C', [1]],
  ['.NET', [0]],
  ['net', [0]],
  ['"C++"', [0, 4]],
  ['".net平台"', [0]],
  ['notepad', [4]],
  ['img_data_ttl', [1]],
  ['ttl', [1]],
  ['parsehtml', [1]],
  ['parse +html', [1]],
  ['img_data_*', [1]],
  ['htaccess', [2]],
  ['.htaccess', [2]],
  ['"/etc/apache2/sites-available"', [2]],
  ['"libfoo-dev"', [2]],
  ['3.11.2', [2]],
  ['3.11', [2]],
  ['3.1', []],
  ['"AB-123/4"', [3]],
  ['os.path.join', [4]],
  ['os.path', [4]],
  ['wide', [4]],
  ['ＷＩＤＥ', [4]],
]

for (const analyzer of [new EnglishAnalyzer(), new ChineseAnalyzer()]) {
  t.test(`${analyzer.name}: identifiers are found as typed and by their parts (img_data_ttl)`, async (t) => {
    const searcher = await indexed(analyzer)
    for (const [query, expected] of QUERIES) {
      t.same(await found(searcher, analyzer, query), expected, query)
    }
    const [first] = await found(searcher, analyzer, 'AB-123/4', true)
    t.equal(first, 3, 'as typed first')
    t.same(await found(searcher, analyzer, 'data', true), [5, 1], 'the word itself before a part of another')
    await searcher.close()
  })
}

t.test('a symbol belongs to a word only where it is part of its name', (t) => {
  const words = (text: string): string =>
    tokenize(new EnglishAnalyzer(), text)
      .map((x) => x.term)
      .join(' ')
  t.equal(words('C++, C+++ C++x C++17 a+b A+ 5++'), 'c++ c c x c++ 17 a b a 5')
  t.equal(words('C# C## C#x issue#5 C#\ufe0f\u20e3'), 'c# c c x issue 5 c #\u20e3')
  t.equal(words('.NET x .5 end.Next end).Next ..net ...and (.bashrc)'), '.net x 5 end.next end next net and .bashrc')
  t.equal(words('++ # . C'), 'c')
  t.end()
})

t.test('tokens of the word layer are forms or parts of the word in the main layer', (t) => {
  const analyzer = new EnglishAnalyzer({ stemmer: 'french' })
  const unit = fc.constantFrom(..."aAbBéÉß_.:'1 +#＋ſİ")
  const property = fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
    for (const mode of ['index', 'query'] as const) {
      const main = tokenize(analyzer, text, 0, mode)
      const forms = new Set<string>()
      for (const { startOffset, endOffset, positionIncrement, term } of tokenize(analyzer, text, 1, mode)) {
        const word = main.find((x) => x.startOffset <= startOffset && endOffset <= x.endOffset)
        if (word === undefined || term === '') throw new Error(`${term} is of no word`)
        const whole = word.startOffset === startOffset && word.endOffset === endOffset
        if (positionIncrement === 1) forms.add(`${startOffset}`)
        if (positionIncrement === 1 && !whole) throw new Error(`${term} comes first`)
      }
      if (forms.size !== main.length) throw new Error(`${main.length} words, ${forms.size} of them have a form`)
    }
  })
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000, seed }))
  t.end()
})

async function indexed(analyzer: Analyzer): Promise<IndexSearcher> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const text of TEXTS) await writer.addDocument(new Document().add(Field.text('body', text)))
  await writer.close()
  return IndexSearcher.open(directory)
}

/** @param ranked in the order of the hits, with the scoring of a site; otherwise in that of the texts */
async function found(searcher: IndexSearcher, analyzer: Analyzer, text: string, ranked = false): Promise<number[]> {
  const scoring = ranked ? { scoring: {} } : {}
  const hits = await searcher.search(QueryParser.parse(text, 'body', analyzer, scoring))
  const docs = Array.from({ length: hits.length }, (_, i) => hits.docId(i))
  return ranked ? docs : docs.sort((a, b) => a - b)
}
