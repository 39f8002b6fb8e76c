import fc from 'fast-check'
import t from 'tap'
import type { Analyzer } from '../analyzer.js'
import { CHUNK_CELLS, isHan } from '../bigram/cjk-scanner.js'
import { analyzerFromSpec, registerAnalyzer } from '../registry.js'
import { StandardAnalyzer } from '../standard/standard-analyzer.js'
import { type Token, tokenize } from '../tokenize.js'
import { ChineseAnalyzer } from './chinese-analyzer.js'
import { Segmenter } from './segmenter.js'
import { simplifiedFolder } from './simplified-folder.js'
import { standardDictionary } from './standard-dictionary.js'

const analyzer = new ChineseAnalyzer()
const terms = (text: string, layer: number, mode: 'index' | 'query' = 'index'): string[] =>
  tokenize(analyzer, text, layer, mode).map((x) => x.term)
const words = (text: string): string => terms(text, 1).join(' ')

t.test('three layers', (t) => {
  t.same(
    analyzer.layers.map((x) => [x.name, x.options, x.norms]),
    [
      ['', 'positions', true],
      ['word', 'freqs', true],
      ['char', 'docs', false],
    ],
  )
  const text = '上海的上海 iPhone手机'
  t.same(terms(text, 0), ['上海', '海的', '的上', '上海', 'iphone', '手机'])
  t.same(terms(text, 1), ['上海', '的', '上海', 'iphon', 'phone', '手机'], 'stems and parts of other words')
  t.same(terms(text, 2), ['上', '海', '的', '手', '机'], 'every character once')
  t.same(terms(text, 2), ['上', '海', '的', '手', '机'], 'once a text, not once an analyzer')
  t.same(terms('中', 0), ['中'])
  t.same(terms('', 0), [])
  t.end()
})

t.test('words', (t) => {
  t.equal(words('研究生命起源'), '研究 生命 起源')
  t.equal(words('北京天安门广场'), '北京 天安门广场')
  t.equal(words('南京市长江大桥'), '南京市 长江 大桥')
  t.equal(words('他说的确实在理'), '他 说 的 确实 在理')
  t.equal(words('使用户满意'), '使 用户 满意')
  t.equal(words('结婚的和尚未结婚的'), '结婚 的 和 尚未 结婚 的')
  t.equal(words('搜索引擎为中文网页建立索引'), '搜索 引擎 为 中文 网页 建立 索引')
  t.equal(words('囧\u{20000}龘'), '囧 \u{20000} 龘', 'a character that is no word is a word of its own')
  t.equal(words('こんにちは、カナ'), 'こん んに にち ちは カナ', 'Kana is in pairs')
  t.end()
})

t.test('traditional and simplified text give the same terms', (t) => {
  const pairs = [
    ['南京市長江大橋', '南京市长江大桥'],
    ['搜尋引擎與資料庫，臺灣圖書館', '搜寻引擎与资料库，台湾图书馆'],
    ['電腦科學的發展歷史', '电脑科学的发展历史'],
    ['\uf900\u2f08ＡＢ', '岂人ab'],
    ['接著瞭解，反覆藉此', '接着了解，反复借此'],
  ]
  for (const [traditional, simplified] of pairs) {
    for (const layer of [0, 1, 2])
      t.same(terms(traditional!, layer), terms(simplified!, layer), `${traditional} ${layer}`)
  }
  t.same(tokenize(analyzer, '長江', 0), [{ term: '长江', startOffset: 0, endOffset: 2, positionIncrement: 1 }])
  let changing = 0
  for (let code = 0; code < 0x30000; code++) {
    const folded = simplifiedFolder.fold(code)
    if (folded !== code) changing++
    if (simplifiedFolder.fold(folded) !== folded) t.fail(`folding U+${code.toString(16)} twice changes it again`)
  }
  t.ok(changing > 4000, `${changing} characters fold`)
  t.end()
})

t.test('question words are dropped from queries where something else remains', (t) => {
  t.same(terms('什么是搜索引擎', 1, 'query'), ['是', '搜索', '引擎'])
  t.same(terms('北京哪里好玩吗', 0, 'query'), ['北京', '好玩'])
  t.same(terms('北京哪里好玩吗', 2, 'query'), ['北', '京', '好', '玩'])
  t.same(terms('北京哪里好玩吗', 0, 'index'), ['北京', '京哪', '哪里', '里好', '好玩', '玩吗'])
  t.same(terms('如何學習Java', 0, 'query'), ['学习', 'java'])
  t.same(terms('为什么', 0, 'query'), ['为什', '什么'], 'a query of question words only stays')
  t.same(terms('什么 谁', 1, 'query'), ['什么', '谁'])
  t.same(terms('哪吒闹海', 1, 'query').join('').slice(0, 2), '哪咤', 'a word that only begins like one stays')
  // The positions of what is left are those that it has without dropping.
  const text = '北京哪里好玩呢java什么书店'
  const all = positions(tokenize(analyzer, text, 0, 'index'))
  const left = positions(tokenize(analyzer, text, 0, 'query'))
  t.same([...left.keys()], ['北京', '好玩', 'java', '书店'])
  for (const [term, position] of left) t.equal(position, all.get(term), term)
  t.end()
})

function positions(tokens: readonly Token[]): Map<string, number> {
  let at = -1
  const found = new Map<string, number>()
  for (const token of tokens) {
    at += token.positionIncrement
    found.set(token.term, at)
  }
  return found
}

t.test('any string: no error, offsets in order, terms are the folded text, every pair is there', (t) => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom(...'中国國人长長江江大大桥市研究生命起源什么哪里 ，a1\u{20000}\u3099'),
      maxLength: 40,
    }),
    fc.constantFrom(
      'ｶﾞ',
      '\ud800',
      '\udc00',
      'don’t',
      'C++',
      '.NET',
      'C#\ufe0f\u20e3',
      'parseÀHTMLName_x.y',
      '1.2.3.4',
      '3️⃣',
      '👩‍❤️‍👩',
      '\uf900',
      '葛\u{e0100}',
      'İ',
      '__proto__',
      '한국',
    ),
  )
  const property = fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
    const text = parts.join('')
    for (const mode of ['index', 'query'] as const) {
      const last = [0, 0, 0]
      analyzer.analyze(
        text,
        {
          token(term, start, end, increment, layer) {
            const placed = increment >= (layer === 1 ? 0 : 1)
            const fine = start >= last[layer]! && end > start && end <= text.length && placed && term.length > 0
            if (!fine || term.length > 255)
              throw new Error(`bad token ${JSON.stringify([term, start, end, increment])}`)
            last[layer] = start
            const original = text.slice(start, end)
            if ([...original].every((x) => isHan(x.codePointAt(0)!)) && foldHan(original) !== term) {
              throw new Error(`${original} became ${term}`)
            }
          },
        },
        mode,
      )
    }
    const pairs = terms(text, 0)
    const chars = new Set(terms(text, 2))
    const found = new Map<string, number>()
    for (const pair of pairs) found.set(pair, (found.get(pair) ?? 0) + 1)
    // Two marks of Vietnamese are Han by their script; like other marks they belong to the character before.
    for (const run of text.match(/[^\P{Script=Han}\p{M}]+/gu) ?? []) {
      const folded = Array.from(foldHan(run))
      for (const char of folded) if (!chars.has(char)) throw new Error(`no ${char}`)
      for (let i = 1; i < folded.length; i++) {
        const pair = folded[i - 1]! + folded[i]!
        const left = (found.get(pair) ?? 0) - 1
        // A mark between the two belongs to the first, so they are still a pair.
        if (left < 0) throw new Error(`no ${pair}`)
        found.set(pair, left)
      }
    }
  })
  const seed = Number(process.env.SPINDLE_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  t.comment(`SPINDLE_TEST_SEED=${seed}`)
  t.doesNotThrow(() => fc.assert(property, { numRuns: 400, seed }))
  t.end()
})

function foldHan(text: string): string {
  return Array.from(text, (x) => String.fromCodePoint(simplifiedFolder.fold(x.codePointAt(0)!))).join('')
}

t.test('the work grows with the text only', (t) => {
  const texts = ['中', '人', '研究生命起源', '人人人民民主主义', '中华人民共和国', '\u{20000}', 'あ', '一心一意一']
  for (const unit of texts) {
    const short = unit.repeat(Math.ceil(10_000 / unit.length))
    const long = unit.repeat(Math.ceil(100_000 / unit.length))
    const before = analyzer.steps
    const shortTokens = count(analyzer, short)
    const middle = analyzer.steps
    const longTokens = count(analyzer, long)
    const shortSteps = middle - before
    const longSteps = analyzer.steps - middle
    t.ok(longSteps <= 16 * long.length, `${unit}: ${longSteps} steps for ${long.length} units`)
    t.ok(longSteps <= 10.5 * shortSteps + 100, `${unit}: ten times the text, ${shortSteps} and ${longSteps} steps`)
    t.ok(longTokens <= 10.5 * shortTokens, `${unit}: ${longTokens} tokens`)
  }
  t.end()
})

function count(of: Analyzer, text: string): number {
  let tokens = 0
  of.analyze(text, { token: () => tokens++ })
  return tokens
}

t.test('chunks of a long run give the words of the whole run', (t) => {
  const dictionary = standardDictionary()
  t.ok(dictionary.wordCount > 110_000, `${dictionary.wordCount} words`)
  const sentence = '北京大学的研究人员在南京市长江大桥附近发现了生命起源的重要证据'
  const run = sentence.repeat(Math.ceil((3 * CHUNK_CELLS) / sentence.length))
  const codes = Int32Array.from(run, (x) => x.charCodeAt(0))
  const whole = new Segmenter(dictionary, codes.length)
  t.equal(whole.segment(codes, codes.length, true), codes.length)
  const ends = tokenize(analyzer, run, 1).map((x) => x.endOffset)
  t.same(ends, Array.from(whole.ends.subarray(0, whole.count)))
  t.end()
})

t.test('analyzers are made again from their names and settings', (t) => {
  for (const name of ['standard', 'bigram', 'chinese', 'english', 'keyword']) {
    const first = analyzerFromSpec({ name })
    const again = analyzerFromSpec({ name: first.name, settings: first.settings })
    t.equal(again.name, name)
    t.equal(again.fingerprint, first.fingerprint)
    t.match(first.fingerprint, /^[0-9a-f]{16}$/)
  }
  const short = analyzerFromSpec({ name: 'standard', settings: { maxTokenLength: 5 } })
  t.not(short.fingerprint, new StandardAnalyzer().fingerprint, 'settings are part of the fingerprint')
  t.same(
    tokenize(short, 'toolong').map((x) => x.term),
    ['toolo', 'ng'],
  )
  for (const name of ['nobody', 'constructor', '__proto__']) {
    t.throws(() => analyzerFromSpec({ name }), { code: 'ANALYZER_UNKNOWN' })
  }
  const own: Analyzer = {
    ...{ name: 'own', settings: {}, fingerprint: 'x', layers: [{ name: '', options: 'docs', norms: false }] },
    analyze: (text, sink) => sink.token(text, 0, text.length, 1, 0),
  }
  registerAnalyzer('own', () => own)
  t.equal(analyzerFromSpec({ name: 'own' }), own)
  t.end()
})
