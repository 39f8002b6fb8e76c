/** Collections of documents for both engines: one made here, the judged ones beside the repository, a file of lines. */
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Random } from '../support/random.js'
import { projectRoot } from '../support/spindle-process.js'
import type { TestDocument } from './engine.js'

/** The judged collections: a folder each with `docs.jsonl`. */
const judged = join(projectRoot, '../shared/data/ir')

/** Names of the judged collections that are there. */
export const judgedCollections: readonly string[] = existsSync(judged) ? readdirSync(judged).sort() : []

/** A word of letters and digits, or one Chinese character. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+/gu
/** Longer words are cut by Lucene's tokenizer. */
const MAX_WORD = 100

/** A judged collection. */
export async function judgedCollection(name: string, random: Random): Promise<TestDocument[]> {
  const lines = (await readFile(join(judged, name, 'docs.jsonl'), 'utf8')).trim().split('\n')
  return lines.map((line, i) => {
    const { title = '', text = '', date = '' } = JSON.parse(line) as Record<string, string>
    const year = /\d{4}/.exec(date)
    return withNumbers(`${i}`, wordsOf(title), wordsOf(text), random, year === null ? undefined : Number(year[0]))
  })
}

/** The first lines of a file, a document each, its first words being the title. */
export async function collectionOfLines(file: string, count: number, random: Random): Promise<TestDocument[]> {
  const documents: TestDocument[] = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const title = line.split(' ', 6).join(' ')
    documents.push(withNumbers(`${documents.length}`, title, line, random))
    if (documents.length === count) break
  }
  return documents
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(WORD) ?? []).filter((word) => word.length <= MAX_WORD).join(' ')
}

/** Keywords and numbers that depend on chance, with a few values that many documents share. */
function withNumbers(id: string, title: string, body: string, random: Random, year?: number): TestDocument {
  const tags = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => `tag${Math.floor(30 * random.next() ** 2)}`)
  const sizes = year !== undefined ? [year] : random.chance(0.2) ? [] : [Math.floor(10 ** (6 * random.next()))]
  if (random.chance(0.05)) sizes.push(-random.below(100))
  const rank = random.chance(0.3) ? null : random.pick([random.next(), random.below(20), -random.next() * 1e6, 0])
  return { id, title, body, tags: [...new Set(tags)], sizes, rank }
}

/** Words that go wrong where something treats them as more than words. */
const ODD_WORDS = [
  'constructor',
  '__proto__',
  'a',
  'ab',
  'abc',
  'abd',
  'bad',
  'é',
  '中',
  '中文',
  '𠮷',
  '𠮷野',
  '😀',
  '\ufffd',
]

/**
 * Short texts of few words, many of them repeated: dense postings, phrases that match in several places, equal scores.
 * No document has more than {@link MAX_EXACT_LENGTH} words, so that all lengths are exact.
 */
export function madeCollection(count: number, random: Random): TestDocument[] {
  const words = [...ODD_WORDS, ...Array.from({ length: 80 }, (_, i) => `w${i.toString(36)}`)]
  const text = (least: number, most: number): string =>
    Array.from({ length: least + random.below(most - least + 1) }, () => {
      return words[Math.floor(words.length * random.next() ** 2.5)]!
    }).join(' ')
  return Array.from({ length: count }, (_, i) => {
    const title = random.chance(0.1) ? '' : text(1, 6)
    return withNumbers(`${i}`, title, random.chance(0.05) ? '' : text(1, MAX_EXACT_LENGTH - 6), random)
  })
}

/** Lengths up to here fit the byte of a norm exactly. */
const MAX_EXACT_LENGTH = 39
