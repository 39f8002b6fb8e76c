import fc from 'fast-check'
import t from 'tap'
import { Document } from '../../document/document.js'
import { Field } from '../../document/field.js'
import { IndexWriter } from '../../indexing/index-writer.js'
import { QueryParser } from '../../query-parser/query-parser.js'
import { IndexReader } from '../../reading/index-reader.js'
import { IndexSearcher } from '../../search/index-searcher.js'
import { MemoryDirectory } from '../../store/memory-directory.js'
import { testSeed } from '../../test-support/random.js'
import { analyzerFromSpec } from '../registry.js'
import { StandardAnalyzer } from '../standard/standard-analyzer.js'
import { tokenize } from '../tokenize.js'
import type { PartSpec } from './chain-parts.js'
import { CustomAnalyzer, type CustomAnalyzerSettings } from './custom-analyzer.js'
import { tokenFilters } from './token-filters.js'

/** Terms, each with the text that it stands for where that is another. */
const tokens = (settings: CustomAnalyzerSettings, text: string, layer = 0): string[] =>
  tokenize(new CustomAnalyzer(settings), text, layer).map(({ term, startOffset, endOffset }) => {
    const original = text.slice(startOffset, endOffset)
    return original === term ? term : `${term}<${original}`
  })

t.test('tokenizers', (t) => {
  t.same(tokens({}, "Can't stop, 3.14"), ["Can't", 'stop', '3.14'])
  t.same(tokens({ tokenizer: 'whitespace' }, ' C++ \n#tag, \u{1f600} '), ['C++', '#tag,', '\u{1f600}'])
  t.same(tokens({ tokenizer: 'keyword' }, 'New York'), ['New York'])
  t.same(tokens({ tokenizer: 'keyword' }, ''), [])
  t.same(tokens({ tokenizer: { name: 'ngram', min: 2, max: 3 } }, 'a\u{1f600}bc'), [
    ...['a\u{1f600}', 'a\u{1f600}b', '\u{1f600}b', '\u{1f600}bc', 'bc'],
  ])
  const grams = tokenize(new CustomAnalyzer({ tokenizer: { name: 'ngram', min: 1, max: 2 } }), 'abc')
  t.same(
    grams.map(({ positionIncrement }) => positionIncrement),
    [1, 0, 1, 0, 1],
  )
  t.end()
})

t.test('token filters', (t) => {
  const filtered = (filters: readonly PartSpec[], text: string): string[] => tokens({ filters }, text)
  t.same(filtered(['lowercase', 'diacritics'], 'Zürich'), ['zurich<Zürich'])
  t.same(filtered(['fold'], 'Ｃａｆé ﬁne'), ['café<Ｃａｆé', 'fine<ﬁne'])
  t.same(filtered([{ name: 'stem', stemmer: 'german' }], 'häuser'), ['haus<häuser'])
  t.same(filtered([{ name: 'length', min: 2, max: 3 }], 'a ab abc abcd'), ['ab', 'abc'])
  t.same(filtered(['parts', 'lowercase'], 'parseHTML'), ['parsehtml<parseHTML', 'parse', 'html<HTML'])
  t.same(filtered([{ name: 'edge', min: 2, max: 3 }], 'spindle x'), ['sp<spindle', 'spi<spindle', 'x'])
  const compound = { name: 'compound', words: ['Daten', 'datenbank', 'Verwaltung', 'bank'], min: 4 }
  t.same(filtered(['lowercase', compound], 'Datenbankverwaltung datenbank'), [
    ...['datenbankverwaltung<Datenbankverwaltung', 'datenbank<Datenbank', 'bank', 'verwaltung', 'datenbank', 'daten'],
    'bank',
  ])
  t.end()
})

t.test('what is left out leaves its position open', async (t) => {
  const analyzer = new CustomAnalyzer({ filters: ['lowercase', 'stop'] })
  t.same(
    tokenize(analyzer, 'The war of the worlds').map(({ term, positionIncrement }) => [term, positionIncrement]),
    [
      ['war', 2],
      ['worlds', 3],
    ],
  )
  t.equal(tokenize(analyzer, 'worlds')[0]!.positionIncrement, 1, 'in each text anew')
  const searcher = await indexed(analyzer, ['war of the worlds', 'war worlds'])
  t.same(await found(searcher, analyzer, '"war of the worlds"'), [0])
  t.same(await found(searcher, analyzer, '"war worlds"'), [1])
  await searcher.close()
})

t.test('character filters keep the places of the original', (t) => {
  const mapping = { name: 'mapping', mappings: { '&': ' and ', ß: 'ss', '-': '', 'a.b': 'dot' } }
  t.same(tokens({ characters: [mapping] }, 'R&D Straße e-mail a.b'), [
    ...['R', 'and<&', 'D', 'Strasse<Straße', 'email<e-mail', 'dot<a.b'],
  ])
  t.same(tokens({ characters: ['nfkc', mapping] }, 'ﬁ＆ e\u0301'), ['fi<ﬁ', 'and<＆', '\u00e9<e\u0301'])
  t.same(tokens({ characters: ['nfkc'] }, '㍍'), ['メートル<㍍'])
  t.same(tokens({ characters: [{ name: 'mapping', mappings: { '': 'x' } }] }, 'ab'), ['ab'])
  t.end()
})

t.test('two layers: one answers phrases, one ranks', async (t) => {
  const analyzer = new CustomAnalyzer({ filters: ['fold'], wordFilters: ['fold', 'stop', 'stem'] })
  const searcher = await indexed(analyzer, ['to be running', 'he runs', 'be to'])
  t.same(await found(searcher, analyzer, 'run'), [0, 1])
  t.same(await found(searcher, analyzer, '"to be"'), [0])
  t.same(await found(searcher, analyzer, 'RUNN*'), [0], 'patterns are folded')
  await searcher.close()
})

t.test('an index makes its analyzer again, with parts of a program', async (t) => {
  tokenFilters.register('reversed', ({ twice }) => ({
    token(term, start, end, positionIncrement, next) {
      next.token(twice === true ? term : [...term].reverse().join(''), start, end, positionIncrement)
    },
  }))
  const analyzer = new CustomAnalyzer({ tokenizer: 'whitespace', filters: [{ name: 'reversed', twice: false }] })
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  await writer.addDocument(new Document().add(Field.text('body', 'abc')))
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.same(tokenize(reader.analyzers.default, 'xyz'), [
    { term: 'zyx', startOffset: 0, endOffset: 3, positionIncrement: 1 },
  ])
  await reader.close()
  const other = new CustomAnalyzer({ tokenizer: 'whitespace', filters: [{ name: 'reversed', twice: true }] })
  await t.rejects(IndexWriter.open(directory, { analyzer: other }), { code: 'ANALYZER_MISMATCH' })
  t.throws(() => new CustomAnalyzer({ filters: ['nothing'] }), {
    code: 'ANALYZER_UNKNOWN',
    message: /no token filter "nothing" \(known: compound, diacritics, .*: register it/,
  })
  const damaged = analyzerFromSpec({
    name: 'custom',
    settings: { filters: [1, null, 'fold'], tokenizer: 3, characters: 'x' },
  })
  t.same(damaged.settings, { characters: [], tokenizer: 'standard', filters: ['fold'] })
})

t.test('parts put together are the StandardAnalyzer', (t) => {
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const standard = new StandardAnalyzer()
  const custom = new CustomAnalyzer({ filters: ['lowercase'] })
  const text = fc.string({ unit: fc.constantFrom(...'aAé\u0301 .,中かカ한1_\ud800\u{1f600}ǅß'), maxLength: 30 })
  const property = fc.property(text, (x) => {
    const made = JSON.stringify(tokenize(custom, x))
    if (made !== JSON.stringify(tokenize(standard, x))) throw new Error(`${JSON.stringify(x)}: ${made}`)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000, seed }))
  t.end()
})

t.test('any chain gives tokens that an index takes', (t) => {
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const filter = fc.constantFrom<PartSpec>(
    ...['fold', 'lowercase', 'diacritics', 'stop', 'stem', 'parts', 'edge'],
    ...[
      { name: 'length', min: 2, max: 4 },
      { name: 'compound', words: ['aa', 'ab', 'ba'], min: 2 },
    ],
  )
  const settings = fc.record({
    characters: fc.array(
      fc.constantFrom<PartSpec>('nfkc', { name: 'mapping', mappings: { a: '', b: 'aba', ' ': '  ', é: ' ' } }),
      { maxLength: 3 },
    ),
    tokenizer: fc.constantFrom<PartSpec>('standard', 'whitespace', 'keyword', { name: 'ngram', min: 1, max: 3 }),
    filters: fc.array(filter, { maxLength: 4 }),
    wordFilters: fc.array(filter, { maxLength: 2 }),
  })
  const text = fc.string({ unit: fc.constantFrom(...'abAB_é\u0301 .\u00adﬁ㍍\u{1f600}\ud800'), maxLength: 300 })
  const property = fc.property(settings, text, (chain, x) => {
    const last = [0, 0]
    const sink = {
      token(term: string, start: number, end: number, increment: number, layer: number): void {
        const fine = term.length > 0 && term.length <= 255 && start >= last[layer]! && start < end && end <= x.length
        if (!fine || increment < 0) throw new Error(JSON.stringify([term, start, end, increment, layer]))
        last[layer] = start
      },
    }
    new CustomAnalyzer(chain).analyze(x, sink)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000, seed }))
  t.end()
})

async function indexed(analyzer: CustomAnalyzer, texts: readonly string[]): Promise<IndexSearcher> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const text of texts) await writer.addDocument(new Document().add(Field.text('body', text)))
  await writer.close()
  return IndexSearcher.open(directory)
}

async function found(searcher: IndexSearcher, analyzer: CustomAnalyzer, text: string): Promise<number[]> {
  const hits = await searcher.search(QueryParser.parse(text, 'body', analyzer))
  return Array.from({ length: hits.length }, (_, i) => hits.docId(i)).sort()
}
