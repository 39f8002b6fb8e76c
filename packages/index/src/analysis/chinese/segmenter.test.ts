import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { analyzerFromSpec } from '../registry.js'
import { tokenize } from '../tokenize.js'
import { ChineseAnalyzer } from './chinese-analyzer.js'
import { findNumber } from './number-words.js'

const analyzer = new ChineseAnalyzer()
const words = (text: string): string =>
  tokenize(analyzer, text, 1)
    .map((x) => x.term)
    .join(' ')

const codesOf = (text: string): number[] => Array.from(text, (x) => x.codePointAt(0)!)

t.test('numbers and dates in Han characters are words, measure words stay alone', (t) => {
  t.equal(words('二〇二六年发布'), '二〇二六年 发布')
  t.equal(words('一九四九年十月一日成立'), '一九四九年 十月 一日 成立')
  t.equal(words('共有三百二十五人参加'), '共有 三百二十五 人 参加')
  t.equal(words('第二十三章'), '第二十三 章')
  t.equal(words('增长了百分之五'), '增长 了 百分之五')
  t.equal(words('下降百分之三点五'), '下降 百分之三点五')
  t.equal(words('三十多万册图书'), '三十多万 册 图书')
  t.equal(words('十几名学生和几百名老师'), '十几 名 学生 和 几百 名 老师')
  t.equal(words('数千万元投资'), '数千万 元 投资')
  t.equal(words('过了两三年'), '过 了 两三 年')
  t.equal(words('千万不要三心二意'), '千万 不 要 三心二意')
  t.equal(words('万一下雨'), '万一 下雨')
  t.end()
})

t.test('where a number ends', (t) => {
  const cases: [string, number, number][] = [
    ['三十日本报', 2, 3],
    ['十二月', 2, 3],
    ['三月', 0, 2],
    ['一二月', 2, 0],
    ['九八年', 2, 3],
    ['七八年', 2, 0],
    ['两三年', 2, 0],
    ['二百年', 2, 0],
    ['第三', 2, 0],
    ['第章', 0, 0],
    ['百分之', 0, 0],
    ['万分之一点', 4, 0],
    ['几个', 0, 0],
    ['几十个', 2, 0],
    ['数学', 0, 0],
    ['十余', 2, 0],
    ['三多', 0, 0],
    ['〇'.repeat(40), 32, 0],
  ]
  for (const [text, end, date] of cases) {
    const found = findNumber(codesOf(text), 0, Array.from(text).length)
    t.same(found, { end, date }, text)
  }
  t.end()
})

t.test('names of persons are words', (t) => {
  t.equal(words('李岚清会见了客人'), '李岚清 会见 了 客人')
  t.equal(words('记者王国栋报道'), '记者 王国栋 报道')
  t.equal(words('欧阳晓明和司马懿'), '欧阳晓明 和 司马懿')
  t.equal(words('王小明说他认识陈丽'), '王小明 说 他 认识 陈丽')
  t.equal(words('總統歐陽曉明'), '总统 欧阳晓明', 'in the other script')
  t.equal(words('会见内塔尼亚胡时说'), '会见 内塔尼亚胡 时 说')
  t.equal(words('作家阿列克谢耶维奇'), '作家 阿列克谢耶维奇')
  // What only begins like a name.
  t.equal(words('张开双臂'), '张开 双臂')
  t.equal(words('向前进'), '向 前进')
  t.equal(words('高明白他的意思'), '高 明白 他 的 意思')
  t.equal(words('单元格的行高'), '单元格 的 行 高')
  t.end()
})

t.test('a word whose characters are each said twice is a word', (t) => {
  t.equal(words('扎扎实实地工作'), '扎扎实实 地 工作')
  t.equal(words('大家轻轻松松'), '大家 轻轻松松')
  t.equal(words('人人民民主'), '人 人民 民主', 'another cut is likelier')
  t.end()
})

t.test('a measure word behind digits is a word', (t) => {
  t.equal(words('10日本报讯'), '10 日 本报 讯')
  t.equal(words('１０日本报讯'), '10 日 本报 讯')
  t.equal(words('在日本报道'), '在 日本 报道')
  t.equal(words('登上月球'), '登上 月球')
  t.equal(words('2026年中国经济'), '2026 年 中国 经济')
  t.equal(words('Q版T恤卡拉OK机'), 'q 版 t 恤 卡拉 ok 机')
  t.end()
})

t.test('any run of characters that begin numbers and names: the work grows with the text only', (t) => {
  for (const unit of ['一', '第', '几', '百分之', '王', '欧阳', '尔', '王小', '十几', '三十日']) {
    const steps = [20_000, 200_000].map((length) => {
      const before = analyzer.steps
      analyzer.analyze(unit.repeat(length / unit.length), { token() {} })
      return analyzer.steps - before
    })
    t.ok(steps[1]! <= 10.5 * steps[0]! + 100, `${unit}: ${steps.join(' and ')} steps`)
    t.ok(steps[1]! <= 20 * 200_000, unit)
  }
  t.end()
})

t.test('200 sentences cut by hand', (t) => {
  const file = join(import.meta.dirname, '../../../bench/segmentation-gold.txt')
  const lines = readFileSync(file, 'utf8').split('\n')
  const sentences = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(' '))
  t.equal(sentences.length, 200)
  let right = 0
  let found = 0
  let wanted = 0
  for (const sentence of sentences) {
    const spans = new Set(tokenize(analyzer, sentence.join(''), 1).map((x) => `${x.startOffset}-${x.endOffset}`))
    found += spans.size
    let at = 0
    for (const word of sentence) {
      if (word !== '，') wanted++
      if (spans.has(`${at}-${at + word.length}`)) right++
      at += word.length
    }
  }
  const f1 = (2 * right) / (found + wanted)
  // jieba 0.42 reaches .833, Intl.Segmenter .804.
  t.ok(f1 >= 0.92, `F1 ${f1.toFixed(3)} over ${wanted} words`)
  t.end()
})

t.test('search mode: documents have the words inside of a word too, queries do not', (t) => {
  const search = new ChineseAnalyzer({ searchMode: true })
  const text = '天安门广场与图书馆'
  const inside = tokenize(search, text, 1, 'index').map((x) => `${x.term} ${x.startOffset}`)
  t.same(inside, ['天安门广场 0', '天安 0', '天安门 0', '广场 3', '与 5', '图书馆 6', '图书 6'])
  const asked = tokenize(search, text, 1, 'query').map((x) => x.term)
  t.same(asked, ['天安门广场', '与', '图书馆'])
  for (const layer of [0, 2]) t.same(tokenize(search, text, layer), tokenize(analyzer, text, layer))
  t.same(search.settings.searchMode, true)
  t.not(search.fingerprint, analyzer.fingerprint)
  t.equal(analyzerFromSpec({ name: 'chinese', settings: search.settings }).fingerprint, search.fingerprint)
  t.end()
})
