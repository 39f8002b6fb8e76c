/**
 * Every changed byte of an index that is read by ranges, in little memory and over HTTP: the answers of the original, or
 * an error that names file and offset. Never another answer.
 */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { publishIndex } from '../reading/publish-index.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { NumberRangeQuery } from '../search/query/number-range-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import type { Directory } from '../store/directory.js'
import { HttpDirectory } from '../store/http-directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { FETCH_ADDRESS, fetchOf } from '../test-support/fetch-directory.js'
import { testSeed } from '../test-support/random.js'
import { byEffort, hasTime } from '../test-support/test-effort.js'
import { directoryOf, type Files, filesOf, isKnown } from '../test-support/tiny-index.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)

/** Enough of them for a dictionary of over 64 KiB, which a reader over HTTP reads by ranges too. */
const rare = (n: number) => `${(n * 7919) % 100_003}-${'x'.repeat(n % 23)}`
const RARE = 3600

async function build(): Promise<Files> {
  const directory = new MemoryDirectory('tiny')
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
  for (let i = 0; i < 240; i++) {
    const words = Array.from({ length: RARE / 240 }, (_, n) => rare((i * RARE) / 240 + n))
    const text = `a b a ${'b c '.repeat(i % 7)} ${words.join(' ')}`
    const document = new Document().add(Field.keyword('id', String(i))).add(Field.text('body', text))
    await writer.addDocument(document.add(Field.integer('year', 1990 + (i % 30))))
  }
  await writer.commit()
  await writer.deleteDocuments({ field: 'id', text: '3' })
  await writer.updateDocValues({ field: 'id', text: '8' }, 'rank', 0.25)
  await writer.close()
  await publishIndex(directory)
  return filesOf(directory)
}

const word = (text: string): Query => new TermQuery(new Term('body', text))
const QUERIES: readonly Query[] = [
  word('a'),
  word(rare(5)),
  word(rare(4000)),
  new PhraseQuery('body', ['b', 'c']),
  new BooleanQuery(['b', 'c', rare(77)].map((text) => ({ query: word(text), occur: 'should' as const }))),
  new NumberRangeQuery('year', { gte: 2000, lte: 2004 }),
]

/** What all queries answer, with scores and stored fields. */
async function answers(directory: Directory): Promise<string> {
  const reader = await IndexReader.open(directory, { memoryBudget: 1 })
  try {
    if (reader.memoryUse.resident !== 0) throw new Error('nothing is read by ranges')
    const searcher = new IndexSearcher(reader)
    const lines: string[] = []
    for (const query of QUERIES) {
      const hits = await searcher.search(query, { limit: 5 })
      for (let i = 0; i < hits.loaded; i++) {
        const docId = await hits.docId(i)
        lines.push(`${docId} ${hits.score(i)} ${(await reader.document(docId)).get('body')}`)
      }
      lines.push(String(hits.length))
    }
    return lines.join('\n')
  } finally {
    await reader.close()
  }
}

const WAYS: readonly (readonly [string, (directory: MemoryDirectory) => Directory])[] = [
  ['in little memory', (directory) => directory],
  ['over HTTP', (directory) => new HttpDirectory(FETCH_ADDRESS, { fetch: fetchOf(directory), retries: 0 })],
]
const CHANGES = [(byte: number, at: number) => byte ^ (1 << (at & 7)), () => 0, () => 0xff]

/** Distance of two places of a round: a prime, so that no round meets the same bytes of a structure again and again. */
const STEP = 199

/** Every 199th byte of each file, from another one on in each round. */
function* places(files: Files, rounds: number) {
  for (let round = 0; round < rounds; round++) {
    for (const [name, original] of files) {
      for (let at = (seed + round) % STEP; at < original.length; at += STEP) yield { name, original, at }
    }
  }
}

t.test('every changed byte, read by ranges', { timeout: 36_000_000 }, async (t) => {
  const files = await build()
  const terms = files.get('_0.terms')!
  t.ok(terms.length > 64 * 1024, `${terms.length} bytes of terms`)
  const expected = await answers(await directoryOf(files))
  // One byte of 199 in each round, so that a run that ends early has been everywhere. All of them with `npm run
  // test:fault`, as far as its time goes, each with one change and one way; all changes in all ways at night.
  const rounds = byEffort(1, STEP, STEP)
  const all = byEffort(0, 0, 1) === 1
  const found: string[] = []
  const results = { told: 0, same: 0 }
  for (const { name, original, at } of places(files, rounds)) {
    if (found.length === 5 || !hasTime()) break
    for (const [c, change] of CHANGES.entries()) {
      for (const [w, [way, open]] of WAYS.entries()) {
        // A prime number of changes and ways, so that each byte of a neighbourhood meets another pair.
        if (!all && (at + (at >> 3)) % 6 !== c * 2 + w) continue
        const bytes = original.slice()
        bytes[at] = change(bytes[at], at)
        if (bytes[at] === original[at]) continue
        const where = `byte ${at} of ${name} = ${bytes[at]}, ${way}`
        try {
          if ((await answers(open(await directoryOf(files, name, bytes)))) === expected) results.same++
          else found.push(`${where}: other answers`)
        } catch (error) {
          results.told++
          const message = String((error as Error).message).replaceAll(FETCH_ADDRESS, 'tiny/')
          if (!isKnown(Object.assign(error as Error, { message }))) found.push(`${where}: ${error}`)
        }
      }
    }
    // Searchers that are gone let go of their files only between two turns of the event loop.
    await setImmediate()
  }
  t.same(found, [], `SEED=${seed}`)
  t.comment(`${JSON.stringify(results)} of ${[...files.values()].reduce((sum, { length }) => sum + length, 0)} bytes`)
  t.ok(results.told > 100 && results.same > 20, JSON.stringify(results))
})
