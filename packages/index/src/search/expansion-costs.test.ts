/** What patterns cost on a field with very many terms: work is counted, not timed. */
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { wrap } from '../test-support/wrapped-directory.js'
import { codePoints } from './automaton/byte-nfa.js'
import { levenshteinAutomaton } from './automaton/levenshtein-automaton.js'
import { regexpAutomaton } from './automaton/regexp-automaton.js'
import type { TermAutomaton } from './automaton/term-automaton.js'
import { TermBounds } from './automaton/term-bounds.js'
import { type TermSink, walkMatchingTerms, walkTermRange } from './automaton/term-walk.js'
import { prefixAutomaton, wildcardAutomaton } from './automaton/wildcard-automaton.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { FuzzyQuery } from './query/fuzzy-query.js'
import { PrefixQuery } from './query/prefix-query.js'
import type { Query } from './query/query.js'
import { RegexpQuery } from './query/regexp-query.js'
import { TermQuery } from './query/term-query.js'
import { TermRangeQuery } from './query/term-range-query.js'
import { WildcardQuery } from './query/wildcard-query.js'
import { SearchLimits } from './scorer/search-limits.js'
import { Term } from './term.js'

const TERMS = byEffort(100_000, 1_000_000, 1_000_000)

/** Counts all that an expansion does. */
class CountingLimits extends SearchLimits {
  work = 0

  override expand(work: number): boolean {
    this.work += work
    return super.expand(work)
  }
}

/** Only counts. */
class Counter implements TermSink {
  terms = 0

  add(): boolean {
    this.terms++
    return false
  }

  async flush(): Promise<void> {}
}

const term = (n: number): string => `k${String(n).padStart(7, '0')}`

async function build(): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
  const perDocument = 1000
  for (let from = 0; from < TERMS; from += perDocument) {
    const words = Array.from({ length: perDocument }, (_, i) => term(from + i))
    await writer.addDocument(new Document().add(Field.unStored('body', `all ${words.join(' ')}`)))
  }
  await writer.optimize()
  await writer.close()
  return directory
}

t.test('a field with very many terms', async (t) => {
  const directory = await build()
  const searcher = await IndexSearcher.open(directory)
  await searcher.reader.loaded()
  const ranged = await IndexSearcher.open(directory, { memoryBudget: 100_000 })
  const [{ data }] = searcher.reader.segments
  t.equal(data.terms.termCount('body'), TERMS + 1)

  /** Terms found, and the work of it in terms looked at. */
  const walk = async (automaton: TermAutomaton): Promise<{ found: number; looked: number }> => {
    const limits = new CountingLimits({ expansionLimit: Infinity })
    const counter = new Counter()
    await walkMatchingTerms(data, 'body', automaton, limits, counter)
    return { found: counter.terms, looked: limits.work / 8 }
  }

  await t.test('nothing is looked at that cannot match', async (t) => {
    const cases: [string, TermAutomaton, number, number][] = [
      // pattern, terms found, terms looked at beyond those at most
      ['one prefix', prefixAutomaton(term(4321)), 1, 40],
      ['a prefix of a hundred', prefixAutomaton(term(4300).slice(0, -2)), 100, 40],
      ['letters, then a star', wildcardAutomaton('k00012*8'), 10, 200],
      ['a place for one', wildcardAutomaton('k000?123'), 10, 800],
      ['alternatives far apart', regexpAutomaton('k00(01234|09876)|a[a-z]*'), 3, 150],
      ['an interval', regexpAutomaton('k<0005000-0005009>'), 10, 150],
      ['nothing', regexpAutomaton('#'), 0, 1],
      ['what is in no term', regexpAutomaton('x(a+)+b'), 0, 40],
      ['one edit', levenshteinAutomaton(codePoints(term(4321)), 1, 0, true), 1 + 9 * Math.log10(TERMS) + 4, 600],
      ['one edit behind a prefix', levenshteinAutomaton(codePoints(term(4321)), 1, 6, true), 18 + 1 + 1, 200],
    ]
    for (const [name, automaton, found, beyond] of cases) {
      const result = await walk(automaton)
      t.equal(result.found, found, name)
      t.ok(result.looked <= found + beyond, `${name}: ${result.looked} terms looked at`)
    }
    const limits = new CountingLimits()
    const counter = new Counter()
    const range = { lower: term(10), upper: term(110), includeLower: true, includeUpper: false }
    await walkTermRange(data, 'body', new TermBounds(range), limits, counter)
    t.equal(counter.terms, 100)
    t.ok(limits.work / 8 <= 110, 'a range')
  })

  await t.test('what looks at all terms takes a few steps each', async (t) => {
    const patterns: [string, TermAutomaton][] = [
      ['a star first', wildcardAutomaton('*7')],
      ['fifty stars', wildcardAutomaton('*1'.repeat(50))],
      ['stars and places', wildcardAutomaton('?*?*?*')],
      ['a nested repetition', regexpAutomaton('(k?(0+)+)+b')],
      ['2^20 states', regexpAutomaton('.*1.{20}')],
      ['two hundred characters', levenshteinAutomaton(codePoints('k'.repeat(200)), 2, 0, true)],
      ['two edits', levenshteinAutomaton(codePoints(term(4321)), 2, 0, true)],
    ]
    for (const [name, automaton] of patterns) {
      const { looked } = await walk(automaton)
      t.ok(looked <= 2 * TERMS, `${name}: ${looked} terms looked at`)
    }
  })

  await t.test('every match counts, in memory and by ranges', async (t) => {
    t.notOk(ranged.reader.segments[0].hasResidentTerms)
    const documents = TERMS / 1000
    const cases: [Query, number][] = [
      [new PrefixQuery('body', 'k'), documents],
      [new WildcardQuery('body', '*7'), documents],
      [new TermRangeQuery('body', 'a', 'z'), documents],
      [new TermRangeQuery('body', 'z', 'a'), 0],
      [new TermRangeQuery('body', null, null), documents],
      [new PrefixQuery('body', 'k00043'), 1],
      [new RegexpQuery('body', 'k000[1-3]007'), 3],
      [new FuzzyQuery('body', 'k00x1234', { maxEdits: 1, maxExpansions: 1000 }), Math.min(documents, 10)],
    ]
    for (const [query, count] of cases) {
      t.equal(await searcher.count(query), count, query.toString())
      t.equal(await ranged.count(query), count, `${query}, by ranges`)
    }
  })

  await t.test('by ranges, only those pieces of the dictionary are read that may have a match', async (t) => {
    /** Bytes of terms that a search reads. */
    const bytesFor = async (query: Query): Promise<number> => {
      let bytes = 0
      const counted = wrap(directory, {
        open: async (name) => {
          const input = await directory.open(name)
          return {
            name,
            length: input.length,
            close: () => input.close(),
            read: (target, offset) => {
              if (name.endsWith('.terms')) bytes += target.length
              return input.read(target, offset)
            },
          }
        },
      })
      const fresh = await IndexSearcher.open(counted, { memoryBudget: 100_000 })
      const atOpen = bytes
      t.ok((await fresh.count(query)) > 0)
      await fresh.close()
      return bytes - atOpen
    }
    const all = await bytesFor(new WildcardQuery('body', '*7'))
    t.ok(all > 5 * TERMS, `${all} bytes`)
    for (const [query, blocks] of [
      [new PrefixQuery('body', term(4321)), 1],
      [new WildcardQuery('body', 'k00012?4'), 1],
      [new TermRangeQuery('body', term(70), term(90)), 1],
      [new RegexpQuery('body', 'k00(01234|09876)'), 2],
    ] as const) {
      const bytes = await bytesFor(query)
      // A run may lie across the border of two blocks of 64 KiB.
      t.ok(bytes > 0 && bytes <= 2 * blocks * 65_536, `${query}: ${bytes} of ${all}`)
    }
  })

  await t.test('the limit: an error, or what was found by then', async (t) => {
    const all = new PrefixQuery('body', 'k')
    const either = new BooleanQuery([
      { query: all, occur: 'must' },
      { query: new TermQuery(new Term('body', 'all')), occur: 'must' },
    ])
    for (const { query, limit } of [
      { query: all, limit: 8000 },
      { query: either, limit: 100 * 1000 },
      { query: new TermRangeQuery('body', 'b', 'z'), limit: 8000 },
      { query: new FuzzyQuery('body', term(4321), { maxEdits: 2 }), limit: 8000 },
      { query: new RegexpQuery('body', '.*1.{20}'), limit: 100_000 },
    ]) {
      const options = { expansionLimit: limit }
      for (const one of [searcher, ranged]) {
        await t.rejects(one.search(query, options), { code: 'QUERY_TOO_COMPLEX' }, query.toString())
        await t.rejects(one.count(query, options), { code: 'QUERY_TOO_COMPLEX' })
        const hits = await one.search(query, { ...options, atLimit: 'partial' })
        t.ok(hits.partial, `${query}: partial`)
        t.ok(hits.length < TERMS / 1000)
      }
    }
    t.notOk((await searcher.search(all, { atLimit: 'partial' })).partial)
  })

  await t.test('who has no more time stops inside of an expansion', async (t) => {
    const signal = AbortSignal.abort(new Error('enough'))
    await t.rejects(searcher.search(new PrefixQuery('body', 'k'), { signal }), /enough/)
    await t.rejects(searcher.search(new WildcardQuery('body', '*7'), { timeLimit: 0 }), { code: 'QUERY_TIMEOUT' })
  })
  await searcher.close()
  await ranged.close()
})
