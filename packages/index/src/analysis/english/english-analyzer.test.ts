/** Words as they stand and their stems, and that each is asked where it should be. */
import t from 'tap'
import { Document } from '../../document/document.js'
import { Field } from '../../document/field.js'
import { IndexWriter } from '../../indexing/index-writer.js'
import { QueryParser } from '../../query-parser/query-parser.js'
import { IndexSearcher } from '../../search/index-searcher.js'
import { MemoryDirectory } from '../../store/memory-directory.js'
import { ChineseAnalyzer } from '../chinese/chinese-analyzer.js'
import { analyzerFromSpec } from '../registry.js'
import { tokenize } from '../tokenize.js'
import { EnglishAnalyzer } from './english-analyzer.js'
import { STEMMERS, type StemmerName, WordStemmer } from './word-stemmer.js'

t.test('two layers', (t) => {
  const analyzer = new EnglishAnalyzer()
  const text = 'The Runners’ café: Python’s ＷＯＲＤＳ, universities, Zürich v3 and 3.14'
  const terms = (layer: number): string[] => tokenize(analyzer, text, layer).map(({ term }) => term)
  t.same(terms(0), [...['the', 'runners', 'café', "python's", 'words', 'universities', 'zürich', 'v3', 'and', '3.14']])
  t.same(terms(1), ['the', 'runner', 'cafe', 'python', 'word', 'univers', 'zurich', 'v3', 'and', '3.14'])
  for (const layer of [0, 1]) {
    for (const { startOffset, endOffset, positionIncrement } of tokenize(analyzer, text, layer)) {
      t.ok(startOffset < endOffset && positionIncrement === 1)
    }
  }
  t.same(tokenize(analyzer, "'s ''").length, 1)
  t.end()
})

t.test('settings: a language, words to be left alone, made again from an index', (t) => {
  const stem = (word: string, stemmer: StemmerName, protectedWords: string[] = []): string =>
    new WordStemmer({ stemmer, protectedWords }).stem(word)
  t.equal(stem('häuser', 'german'), 'haus', 'rules that know the accents')
  t.equal(stem('running', 'none'), 'running')
  t.equal(stem('élan', 'none'), 'elan')
  t.equal(stem('йод', 'none'), 'йод', 'not an и with a mark')
  t.equal(stem('windows', 'english', ['windows']), 'windows')
  t.equal(stem('windows', 'english'), 'window')
  t.throws(() => new WordStemmer({ stemmer: 'klingon' as StemmerName }), /There is no stemmer "klingon": take one of/)
  for (const stemmer of STEMMERS) t.ok(stem('information', stemmer).length > 0, stemmer)
  t.equal(stem("l'étudiante", 'french'), 'etudi', 'without an article')
  const both = new WordStemmer({ stemmer: ['russian', 'english'] })
  t.same([both.stem('книгами'), both.stem('running')], ['книг', 'run'], 'each its script')
  const german = new WordStemmer({ stemmer: 'german' })
  t.equal(german.bareStem('häuser', 'haus'), german.stem('hauser'), 'found by who types no accents')
  t.equal(new WordStemmer({ protectedWords: ['ＷＩＮＤＯＷＳ'] }).stem('windows'), 'windows')
  const unknown = analyzerFromSpec({ name: 'english', settings: { stemmer: ['klingon'], protectedWords: null } })
  t.equal(unknown.fingerprint, new EnglishAnalyzer().fingerprint, 'of an index of another version')
  const several = new EnglishAnalyzer({ stemmer: ['russian', 'english'] })
  t.equal(analyzerFromSpec(several).fingerprint, several.fingerprint)
  const analyzer = new EnglishAnalyzer({ protectedWords: ['windows', 'ant'] })
  t.not(analyzer.fingerprint, new EnglishAnalyzer().fingerprint)
  t.equal(analyzerFromSpec(analyzer).fingerprint, analyzer.fingerprint)
  t.equal(new EnglishAnalyzer({ protectedWords: ['ant', 'windows'] }).fingerprint, analyzer.fingerprint)
  t.end()
})

t.test('no word is forgotten or mixed up, however many there are', (t) => {
  const stemmer = new WordStemmer()
  const words = Array.from(
    { length: 66_000 },
    (_, i) => `w${i.toString(26).replace(/\d/g, (x) => 'qrstuvwxyz'[Number(x)]!)}`,
  )
  const first = words.map((word) => stemmer.stem(word))
  t.same(
    words.map((word) => stemmer.stem(word)),
    first,
  )
  t.end()
})

for (const analyzer of [new EnglishAnalyzer(), new ChineseAnalyzer()]) {
  t.test(`${analyzer.name}: other forms are found (Zurich, Zürich), quoted text as it stands`, async (t) => {
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer })
    for (const body of ['The dog runs', 'running dogs', 'to be or not to be', 'Zürich', 'Zurich, be not']) {
      await writer.addDocument(new Document().add(Field.text('body', body)))
    }
    await writer.close()
    const searcher = await IndexSearcher.open(directory)
    const found = async (text: string): Promise<number[]> => {
      const hits = await searcher.search(QueryParser.parse(text, 'body', analyzer))
      return Array.from({ length: hits.length }, (_, i) => hits.docId(i)).sort()
    }
    t.same(await found('dog'), [0, 1])
    t.same(await found('RUN'), [0, 1])
    t.same(await found('"dog runs"'), [0])
    t.same(await found('"run dog"'), [])
    t.same(await found('"to be or not to be"'), [2], 'stop words never break phrases')
    t.same(await found('"be or not"'), [2])
    t.same(await found('zurich'), [3, 4])
    t.same(await found('Zu\u0308rich'), [3, 4])
    t.same(await found('"Zürich"'), [3])
    t.same(await found('runn*'), [1], 'patterns are those of the words as they stand')
    await searcher.close()
  })
}
