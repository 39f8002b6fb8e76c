import t from 'tap'
import { Random, testSeed } from '../../test-support/random.js'
import { tokenize } from '../tokenize.js'
import { ChineseAnalyzer } from './chinese-analyzer.js'
import { simplifiedFolder } from './simplified-folder.js'
import { standardDictionary } from './standard-dictionary.js'
import { isDictionaryWord, WordDictionary, weightCost } from './word-dictionary.js'

const cut = (dictionary: WordDictionary, text: string): string =>
  tokenize(new ChineseAnalyzer({ dictionary }), text, 1)
    .map((x) => x.term)
    .join(' ')

t.test('words of a user are cut out of text, and the dictionary below stays as it is', (t) => {
  const base = standardDictionary()
  const own = base.with([{ word: '云桌面' }, { word: '永和服' }, { word: '𠮷野家' }])
  t.equal(cut(base, '使用云桌面登录'), '使用 云 桌面 登录')
  t.equal(cut(own, '使用云桌面登录'), '使用 云桌面 登录')
  t.equal(cut(own, '使用雲桌面登錄'), '使用 云桌面 登录', 'in the other script')
  t.equal(cut(own, '在𠮷野家吃饭'), '在 𠮷野家 吃饭', 'a character outside of the basic plane')
  t.equal(cut(own, '永和服装饰品'), '永和服 装饰品', 'likelier than any other cut of the same characters')
  t.equal(own.wordCount, base.wordCount + 3)
  t.equal(base.costOf('云桌面'), 0)
  t.ok(base.costOf('中国') > 0)
  t.ok(own.costOf('云桌面') <= weightCost(20_000) + 0.002)
  t.end()
})

t.test('weights: a word is made rarer, likelier, or taken out', (t) => {
  const base = standardDictionary()
  t.equal(cut(base, '南京市长江大桥'), '南京市 长江 大桥')
  t.equal(cut(base.with([{ word: '长江大桥', weight: 1 }]), '南京市长江大桥'), '南京市 长江 大桥', 'too rare')
  t.equal(cut(base.with([{ word: '长江大桥', weight: 5000 }]), '南京市长江大桥'), '南京市 长江大桥')
  t.equal(cut(base.with([{ word: '南京市', weight: 0 }]), '南京市长江大桥'), '南京 市 长江 大桥')
  const twice = base.with([
    { word: '中国', weight: 0 },
    { word: '中國', weight: 60 },
  ])
  t.equal(twice.costOf('中国').toFixed(2), weightCost(60).toFixed(2), 'the last entry counts')
  t.equal(twice.wordCount, base.wordCount)
  for (const weight of [Number.MAX_VALUE, 1e-300, -1]) base.with([{ word: '中国', weight }])
  t.end()
})

t.test('what a dictionary cannot hold is left out', (t) => {
  const base = standardDictionary()
  const bad = ['', 'abc', 'C语言', '中 国', '中，国', '\ud842', '中'.repeat(65), '中\0国', '👍']
  for (const word of bad) t.notOk(isDictionaryWord(word), JSON.stringify(word))
  for (const word of ['中', 'カタカナ', 'が', '한국어', '中'.repeat(64)]) t.ok(isDictionaryWord(word), word)
  t.equal(base.with(bad.map((word) => ({ word }))).wordCount, base.wordCount)
  t.end()
})

t.test('any words: the trie answers as a map does, while it grows and after copies', (t) => {
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const random = new Random(seed)
  const chars = Array.from('一二三四五六七八九十あいうカキク가나다𠮷𡃁')
  const word = (): string => Array.from({ length: 1 + random.below(6) }, () => random.pick(chars)).join('')
  let dictionary = WordDictionary.of(simplifiedFolder, () => {})
  const model = new Map<string, number>()
  for (let round = 0; round < 6; round++) {
    const before = dictionary
    const known = new Map(model)
    const words = Array.from({ length: 800 }, () => ({ word: word(), weight: random.below(4) * 1000 }))
    dictionary = dictionary.with(words)
    for (const { word, weight } of words) {
      if (weight === 0) model.delete(word)
      else model.set(word, weight)
    }
    const asked = [...model.keys(), ...Array.from({ length: 2000 }, word)]
    for (const [dict, map] of [[dictionary, model] as const, [before, known] as const]) {
      const wrong = asked.filter((x) => {
        const weight = map.get(x)
        return Math.abs(dict.costOf(x) - (weight === undefined ? 0 : weightCost(weight))) > 0.002
      })
      t.same(wrong, [], `round ${round}`)
      t.equal(dict.wordCount, map.size)
    }
  }
  t.end()
})
