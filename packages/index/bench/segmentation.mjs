/**
 * How words are cut out of Chinese text: `node packages/index/bench/segmentation.mjs [FILE…]` (build first). Prints what
 * loading the dictionary costs, characters a second and the worst cases in CPU time, precision, recall and F1 over the
 * sentences of segmentation-gold.txt (and of each FILE of the same form: a sentence a line, words between spaces), and
 * the same of Intl.Segmenter and, with `--jieba DIR` where DIR/node_modules has @node-rs/jieba, of jieba.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { ChineseAnalyzer } from '../dist/analysis/chinese/chinese-analyzer.js'
import { Segmenter } from '../dist/analysis/chinese/segmenter.js'
import { standardDictionary } from '../dist/analysis/chinese/standard-dictionary.js'

const GOLD = join(import.meta.dirname, 'segmentation-gold.txt')
const HAN = /\p{Script=Han}/u
const HAN_RUNS = /\p{Script=Han}+/gu

const { files, jieba } = readArguments(process.argv.slice(2))
const loading = cpu(() => standardDictionary())
const dictionary = standardDictionary()
console.log(
  `dictionary: ${dictionary.wordCount} words, ${(dictionary.bytes / 1e6).toFixed(1)} MB, ${ms(loading)} of CPU to load, ` +
    `${ms(cpu(() => dictionary.with([{ word: '云桌面' }])))} for another with one word more`,
)

const gold = readSentences(GOLD)
speed(gold)
console.log('\ntext                  segmenter   precision  recall  F1')
for (const file of [GOLD, ...files]) {
  const sentences = readSentences(file)
  for (const [name, cut] of segmenters(jieba)) {
    const { precision, recall, f1 } = score(sentences, cut)
    const row = [name.padEnd(11), ...[precision, recall, f1].map((x) => x.toFixed(3))]
    console.log(`${file.split('/').at(-1).slice(0, 21).padEnd(21)} ${row.join('   ')}`)
  }
}

/** Characters a second of the segmenter alone and of the analyzer, and inputs made to be slow. */
function speed(sentences) {
  let text = ''
  while (text.length < 2_000_000) for (const words of sentences) text += `${words.join('')}。`
  const runs = text.match(HAN_RUNS).map((run) => Int32Array.from(run, (x) => x.codePointAt(0)))
  const characters = runs.reduce((sum, run) => sum + run.length, 0)
  const segmenter = new Segmenter(dictionary, 4096)
  const analyzer = new ChineseAnalyzer()
  const sink = { token() {} }
  const segment = () => {
    for (const codes of runs) segmenter.segment(codes, codes.length, true)
  }
  segment()
  console.log(`segmenter: ${rate(characters, cpu(segment))}`)
  analyzer.analyze(text, sink)
  console.log(
    `analyzer, three layers: ${rate(
      text.length,
      cpu(() => analyzer.analyze(text, sink)),
    )}`,
  )
  const unpunctuated = text.match(HAN_RUNS).join('')
  for (const [name, input] of [
    ['10,000 characters without punctuation', unpunctuated.slice(0, 10_000)],
    ['100,000 characters without punctuation', unpunctuated.slice(0, 100_000)],
    ['1,000,000 characters without punctuation', unpunctuated.slice(0, 1_000_000)],
    ['中 × 100,000', '中'.repeat(100_000)],
    ['中 × 1,000,000', '中'.repeat(1_000_000)],
    ['一 × 1,000,000', '一'.repeat(1_000_000)],
    ['欧阳 × 500,000', '欧阳'.repeat(500_000)],
    ['尔 × 1,000,000', '尔'.repeat(1_000_000)],
  ]) {
    console.log(`${name}: ${ms(cpu(() => analyzer.analyze(input, sink)))}`)
  }
}

function segmenters(jieba) {
  const analyzer = new ChineseAnalyzer()
  const intl = new Intl.Segmenter('zh', { granularity: 'word' })
  const rows = [
    ['ours', (text) => ourSpans(analyzer, text)],
    ['Intl', (text) => spansOf(Array.from(intl.segment(text), (x) => x.segment))],
  ]
  if (jieba === null) return rows
  const load = createRequire(join(resolve(jieba), 'node_modules/'))
  const { Jieba } = load('@node-rs/jieba')
  const instance = Jieba.withDict(load('@node-rs/jieba/dict').dict)
  return [
    ...rows,
    ['jieba', (text) => spansOf(instance.cut(text, true))],
    ['jieba, no HMM', (text) => spansOf(instance.cut(text, false))],
  ]
}

function ourSpans(analyzer, text) {
  const spans = []
  analyzer.analyze(text, {
    token(_term, start, end, _increment, layer) {
      if (layer === 1 && HAN.test(text[start])) spans.push(`${start}-${end}`)
    },
  })
  return spans
}

/** Where the Han parts of words are; a word of digits or letters and Han is cut between them. */
function spansOf(words) {
  const spans = []
  let at = 0
  for (const word of words) {
    for (const part of word.matchAll(HAN_RUNS)) spans.push(`${at + part.index}-${at + part.index + part[0].length}`)
    at += word.length
  }
  return spans
}

function score(sentences, cut) {
  let right = 0
  let found = 0
  let wanted = 0
  for (const words of sentences) {
    const expected = new Set(spansOf(words))
    const spans = cut(words.join(''))
    wanted += expected.size
    found += spans.length
    for (const span of spans) if (expected.has(span)) right++
  }
  return { precision: right / found, recall: right / wanted, f1: (2 * right) / (found + wanted) }
}

function readSentences(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.trim().split(/\s+/))
}

function readArguments(given) {
  const files = []
  let jieba = null
  for (let i = 0; i < given.length; i++) {
    if (given[i] === '--jieba') jieba = given[++i] ?? '.'
    else files.push(given[i])
  }
  return { files, jieba }
}

/** CPU time of this process that a piece of work takes, in milliseconds. */
function cpu(work) {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function ms(time) {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`
}

function rate(characters, time) {
  return `${(characters / time / 1000).toFixed(1)} M characters/s`
}
