/**
 * Speed of the analyzers: `node packages/index/bench/analysis.mjs` (build first). Prints the load time and memory of
 * the dictionary, then characters a second by analyzer and text, then the worst cases. Tokens are counted, not kept.
 * Real text is taken from ../shared/data where it is present, made-up sentences otherwise.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BigramAnalyzer } from '../dist/analysis/bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from '../dist/analysis/chinese/chinese-analyzer.js'
import { CustomAnalyzer } from '../dist/analysis/custom/custom-analyzer.js'
import { EnglishAnalyzer } from '../dist/analysis/english/english-analyzer.js'
import { StandardAnalyzer } from '../dist/analysis/standard/standard-analyzer.js'

const DATA = join(import.meta.dirname, '../../../../shared/data/ir')
const MADE_UP = {
  zh: '北京大学的研究人员在南京市长江大桥附近发现了生命起源的重要证据，这一成果发表在最近一期的科学杂志上。',
  en: 'The quick brown fox jumps over the lazy dog near the river bank; it was 3.14 km away. ',
}

/** About a million characters of text. */
function corpus(set, sample) {
  const file = join(DATA, set, 'docs.jsonl')
  let text = ''
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') text += `${JSON.parse(line).text}\n`
  }
  if (text === '') text = sample
  while (text.length < 1_000_000) text += text
  return Buffer.from(text.slice(0, 1_000_000)).toString()
}

const counter = {
  tokens: 0,
  token() {
    this.tokens++
  },
}

function measure(name, analyzer, text, rounds = 5) {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    counter.tokens = 0
    const start = performance.now()
    analyzer.analyze(text, counter)
    best = Math.min(best, performance.now() - start)
  }
  const speed = (text.length / best / 1000).toFixed(1)
  console.log(
    `${name.padEnd(44)}${best.toFixed(1).padStart(9)} ms${speed.padStart(9)} M char/s${String(counter.tokens).padStart(10)} tokens`,
  )
}

const standard = new StandardAnalyzer()
const english = new EnglishAnalyzer()
const custom = new CustomAnalyzer({ filters: ['fold'], wordFilters: ['fold', 'stop', 'stem'] })
const bigram = new BigramAnalyzer()
const chinese = new ChineseAnalyzer()

const before = process.memoryUsage()
const start = performance.now()
chinese.analyze('研究', counter)
const loaded = performance.now() - start
globalThis.gc?.()
const after = process.memoryUsage()
console.log(
  `dictionary: first Han text ${loaded.toFixed(0)} ms, resident +${((after.rss - before.rss) / 1e6).toFixed(1)} MB`,
)

const zh = corpus('cmrc2018-dev', MADE_UP.zh)
const zht = corpus('drcd-dev', MADE_UP.zh)
const en = corpus('cranfield', MADE_UP.en)
measure('standard, English', standard, en)
const cold = performance.now()
english.analyze(en, counter)
console.log(`english, the first time: ${(performance.now() - cold).toFixed(0)} ms, most of it for stems that are kept`)
measure('english (2 layers), English', english, en)
measure('custom (2 layers of filters), English', custom, en)
measure('chinese, English', chinese, en)
measure('standard, Chinese', standard, zh)
measure('bigram, Chinese', bigram, zh)
measure('chinese (3 layers), Simplified', chinese, zh)
measure('chinese (3 layers), Traditional', chinese, zht)

// Worst cases: no punctuation, one character again and again, words that overlap without end, marks without end.
const han = zh.replace(/[^\p{Script=Han}]/gu, '')
measure('chinese, 10,000 Han without punctuation', chinese, han.slice(0, 10_000))
measure('chinese, 1,000,000 x 中', chinese, '中'.repeat(1_000_000))
measure('chinese, 1,000,000 x 人 (人人 is a word)', chinese, '人'.repeat(1_000_000))
measure('chinese, 研究生命起源 again and again', chinese, '研究生命起源'.repeat(166_666))
measure('chinese, 500,000 x U+20000', chinese, '\u{20000}'.repeat(500_000))
measure('chinese, 中 and 1,000,000 combining marks', chinese, `中${'\u0301'.repeat(1_000_000)}`)
measure("chinese, 1,000,000 x a, 1,000,000 x a'", chinese, 'a'.repeat(1_000_000) + "a'".repeat(500_000))
const names = Array.from({ length: 100_000 }, (_, i) => `getV${i.toString(26)}_x.y`).join(' ')
measure('english, names of programs', english, names)
measure('chinese, half surrogates', chinese, '\ud800'.repeat(1_000_000))
measure('chinese, joined emoji', chinese, '\u{1f469}\u200d'.repeat(333_333))
measure('chinese, letters that fold to 18', chinese, '\ufdfa'.repeat(1_000_000))
