/** The matchers against frequencies that Lucene 9.12.3 gave, and against every choice of positions there is. */
import t from 'tap'
import { Random, testSeed } from '../../test-support/random.js'
import { placedWords } from '../../test-support/stacked-text.js'
import { type NearClause, NearQuery } from '../query/near-query.js'
import { Term } from '../term.js'
import { countPairs } from './exact-matcher.js'
import { MAX_STEPS } from './position-matcher.js'
import { type PositionPattern, phrasePattern } from './position-pattern.js'
import { Spans } from './spans.js'
import { TermPositions } from './term-positions.js'

/** A phrase of slots, `a|b` for a choice. */
function phrase(words: string, slop: number, positions?: readonly number[]): PositionPattern {
  const slots = words.split(' ').map((slot) => slot.split('|'))
  return phrasePattern(words, 'f', slots, positions ?? slots.map((_, i) => i), slop)
}

function patternOf(query: NearQuery): PositionPattern {
  let found: PositionPattern | undefined
  query.visit({
    term: () => {},
    phrase: () => {},
    near: (pattern) => {
      found = pattern
    },
  })
  return found!
}

type Part = string | readonly Part[] | NearQuery
const clause = (part: Part): NearClause =>
  typeof part === 'string' ? new Term('f', part) : part instanceof NearQuery ? part : part.map(clause)
const ordered = (slop: number, ...parts: Part[]): NearQuery => new NearQuery(parts.map(clause), { slop })
const unordered = (slop: number, ...parts: Part[]): NearQuery =>
  new NearQuery(parts.map(clause), { slop, inOrder: false })

function read(pattern: PositionPattern, text: string): TermPositions {
  const words = placedWords(text)
  const document = new TermPositions(pattern.terms.length)
  pattern.terms.forEach((term, number) => {
    const positions = words.filter(({ word }) => word === term).map(({ position }) => position)
    document.reserve(number, positions.length).set(positions)
  })
  return document
}

function find(pattern: PositionPattern, document: TermPositions, limit = Infinity): Spans {
  const found = new Spans()
  pattern.createMatcher(true).find(document, found, limit)
  return found
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6

t.test('sloppy phrases have the frequencies that Lucene gives them', (t) => {
  const cases: [string, number, string, number][] = [
    ['a b', 1, 'a b', 1],
    ['a b', 1, 'b a', 0],
    ['a b', 2, 'b a', 1 / 3],
    ['a b', 1, 'a x b', 0.5],
    ['a b', 2, 'a b a b', 2],
    ['a b', 3, 'a a b b', 1],
    ['a b', 4, 'a x b y a b', 1.5],
    ['a b c', 1, 'a b c', 1],
    ['a b c', 4, 'c b a', 0.2],
    ['a b c', 3, 'c b a', 0],
    ['a b c', 3, 'a x b x c a b c', 4 / 3],
    ['a b', 1, 'a ^b', 0.5],
    // A word of the text is taken once.
    ['a a', 9, 'a', 0],
    ['a a', 1, 'a a', 1],
    ['a a', 1, 'a x a', 0.5],
    ['a a', 2, 'a a a a', 3],
    ['a b a', 4, 'a b a', 1],
    ['a b a', 4, 'b a a', 1 / 3],
    ['a b a', 4, 'a a b', 1 / 3],
    ['a b c a', 6, 'a b c a b a c b a', 2.8333333],
    // A choice of words.
    ['a|b c', 1, 'a c b c', 2],
    ['a|b a|c', 3, 'a b a c', 2],
    ['a|b a|b', 3, 'a b', 1],
    ['a|b a|b b', 3, 'b a b b', 2],
  ]
  for (const [words, slop, text, frequency] of cases) {
    const pattern = phrase(words, slop)
    const found = find(pattern, read(pattern, text)).frequency()
    t.ok(near(found, frequency), `"${words}"~${slop} in ${text}: ${found}`)
  }
  const gap = phrase('a b', 2, [0, 3])
  t.equal(find(gap, read(gap, 'a x x b')).frequency(), 1)
  t.equal(find(gap, read(gap, 'a b x b')).frequency(), 1)
  t.end()
})

t.test('exact phrases with a choice of words, some at one place', (t) => {
  const cases: [string, readonly number[], string, number][] = [
    ['a|b c', [0, 1], 'a ^b c', 2],
    ['a c|d', [0, 1], 'a ^b c', 1],
    ['a b|c', [0, 1], 'a b ^c c', 1],
    ['a|b c', [0, 2], 'a x c b x c c', 2],
    ['a|b c', [0, 1], 'c a x', 0],
  ]
  for (const [words, positions, text, frequency] of cases) {
    const pattern = phrase(words, 0, positions)
    const document = read(pattern, text)
    t.equal(find(pattern, document).frequency(), frequency, `"${words}" in ${text}`)
    t.ok(pattern.createMatcher(false).maxFrequency(document.counts) >= frequency)
  }
  t.end()
})

t.test('near queries have the frequencies that Lucene gives its spans', (t) => {
  const cases: [NearQuery, string, number][] = [
    [ordered(0, 'a', 'b'), 'a b', 1],
    [ordered(9, 'a', 'b'), 'b a', 0],
    [unordered(0, 'a', 'b'), 'b a', 1 / 3],
    [ordered(1, 'a', 'b'), 'a x b a b', 1.5],
    [unordered(1, 'a', 'b'), 'a x b a b', 0.9166667],
    [unordered(1, 'a', 'a'), 'a a a', 2.1666667],
    [unordered(0, 'a', 'a'), 'a x a', 1],
    [ordered(0, 'a', 'a'), 'a a', 1],
    [ordered(1, ordered(0, 'a', 'b'), 'd'), 'a b c d', 0.5],
    [ordered(0, ordered(0, 'a', 'b'), 'd'), 'a b c d', 0],
    [unordered(0, ordered(0, 'a', 'b'), 'c'), 'c a b', 0.25],
    [ordered(1, ['a', 'b'], 'c'), 'a b x c', 0.5],
    [ordered(2, ['a', 'b'], 'c'), 'a b x c', 0.8333333],
    [unordered(3, ['a', 'b'], 'c', 'b'), 'a b x c b', 0.9833333],
    [ordered(2, [ordered(2, 'a', 'c'), 'b'], 'b'), 'a b c a c b', 1.3333333],
    [unordered(3, 'a', 'b', 'c'), 'a x b x c a b c', 0.8666667],
  ]
  for (const [query, text, frequency] of cases) {
    const pattern = patternOf(query)
    const found = find(pattern, read(pattern, text)).frequency()
    t.ok(near(found, frequency), `${query} in ${text}: ${found}`)
  }
  t.end()
})

/** Every choice of one position a term. */
function* choices(lists: readonly (readonly number[])[]): Generator<number[]> {
  if (lists.length === 0) {
    yield []
    return
  }
  for (const rest of choices(lists.slice(1))) for (const first of lists[0]!) yield [first, ...rest]
}

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const WORDS = ['a', 'b', 'c', 'd', 'e']
/** Some words share a position, different ones. */
const randomText = (): string => {
  const words: string[] = []
  for (let i = random.below(9); i >= 0; i--) {
    const word = random.pick(WORDS)
    const last = words.at(-1)
    const stacked = last !== undefined && !last.endsWith(word) && !last.startsWith('^') && random.next() < 0.1
    words.push(stacked ? `^${word}` : word)
  }
  return words.join(' ')
}
const distinctWords = (count: number): string[] => {
  const words = [...WORDS]
  return Array.from({ length: count }, () => words.splice(random.below(words.length), 1)[0]!)
}

t.test('matches are those among all choices of positions', (t) => {
  let matches = 0
  for (let i = 0; i < 4000; i++) {
    const text = randomText()
    const slop = 1 + random.below(6)
    const words = distinctWords(2 + random.below(2))
    const lists = words.map((term) =>
      placedWords(text)
        .filter(({ word }) => word === term)
        .map(({ position }) => position),
    )
    const all = [...choices(lists)]
    const phrases = phrase(words.join(' '), slop)
    const document = read(phrases, text)
    const moves = all.map((choice) => {
      const places = choice.map((position, slot) => position - slot)
      return Math.max(...places) - Math.min(...places)
    })
    const sloppy = find(phrases, document)
    const shortest = Math.min(...moves)
    const distances = [...sloppy.distances.subarray(0, sloppy.length)]
    if (shortest <= slop) matches++
    if (shortest <= slop ? Math.min(...distances) !== shortest : sloppy.length > 0) {
      t.fail(`"${words.join(' ')}"~${slop} in ${text} (SEED=${seed})`)
    }
    for (const inOrder of [true, false]) {
      const query = new NearQuery(words.map(clause), { slop, inOrder })
      const expected = all.some((choice) => {
        if (inOrder && choice.some((position, k) => k > 0 && position <= choice[k - 1]!)) return false
        return Math.max(...choice) + 1 - Math.min(...choice) - words.length <= slop
      })
      const pattern = patternOf(query)
      const spans = find(pattern, read(pattern, text))
      if (expected !== spans.length > 0) t.fail(`${query} in ${text} (SEED=${seed})`)
    }
  }
  t.ok(matches > 500, `${matches} sloppy phrases match`)
  t.end()
})

t.test('a word that is repeated in a phrase takes a word of the text each time; no more than the bound', (t) => {
  let matches = 0
  for (let i = 0; i < 4000; i++) {
    const text = randomText()
    const slots = Array.from({ length: 2 + random.below(4) }, () =>
      Array.from({ length: random.next() < 0.7 ? 1 : 2 }, () => random.pick(WORDS.slice(0, 3))).join('|'),
    )
    const slop = random.below(8)
    const pattern = phrase(slots.join(' '), slop)
    const document = read(pattern, text)
    const found = find(pattern, document)
    const where = `"${slots.join(' ')}"~${slop} in ${text} (SEED=${seed})`
    if (pattern.createMatcher(false).maxFrequency(document.counts) < found.frequency()) t.fail(`bound of ${where}`)
    const first = find(pattern, document, 1)
    if (first.length !== Math.min(found.length, 1) || first.starts[0] !== found.starts[0]) t.fail(`first of ${where}`)
    if (slop === 0 || found.length === 0) continue
    matches++
    const lists = slots.map((slot) =>
      placedWords(text)
        .filter(({ word }) => slot.split('|').includes(word))
        .map(({ position }) => position),
    )
    const possible = [...choices(lists)].some((choice) => {
      const places = choice.map((position, slot) => position - slot)
      const shared = choice.some((position, k) =>
        choice.some((other, j) => j < k && other === position && slots[j] === slots[k]),
      )
      return !shared && Math.max(...places) - Math.min(...places) <= slop
    })
    if (!possible) t.fail(where)
  }
  t.ok(matches > 300, `${matches} match`)
  t.end()
})

t.test('near queries of any shape are bounded, and stop at the limit', (t) => {
  const part = (depth: number): Part => {
    const kind = random.next()
    if (depth === 0 || kind < 0.5) return random.pick(WORDS)
    const parts = Array.from({ length: 1 + random.below(3) }, () => part(depth - 1))
    return kind < 0.7 ? parts : (kind < 0.85 ? ordered : unordered)(random.below(4), ...parts)
  }
  let matches = 0
  for (let i = 0; i < 4000; i++) {
    const text = randomText()
    const parts = Array.from({ length: 1 + random.below(3) }, () => part(2))
    const query = (random.next() < 0.5 ? ordered : unordered)(random.below(5), ...parts)
    const pattern = patternOf(query)
    const document = read(pattern, text)
    const found = find(pattern, document)
    if (found.length > 0) matches++
    const bound = pattern.createMatcher(false).maxFrequency(document.counts)
    if (bound < found.frequency()) t.fail(`bound of ${query} in ${text} (SEED=${seed})`)
    const first = find(pattern, document, 1)
    if (first.length !== Math.min(found.length, 1)) t.fail(`first of ${query} in ${text} (SEED=${seed})`)
    for (let k = 0; k < found.length; k++) {
      if (!(found.starts[k]! >= 0 && found.starts[k]! < found.ends[k]!)) t.fail(`${query} in ${text} (SEED=${seed})`)
      if (k > 0 && found.starts[k]! < found.starts[k - 1]!) t.fail(`order of ${query} in ${text} (SEED=${seed})`)
    }
  }
  t.ok(matches > 500, `${matches} match`)
  t.end()
})

t.test('the work in one document is bounded', (t) => {
  const count = 100_000
  const steps = (pattern: PositionPattern): { taken: number; found: number } => {
    const document = new TermPositions(pattern.terms.length)
    for (let term = 0; term < pattern.terms.length; term++) {
      const list = document.reserve(term, count)
      for (let i = 0; i < count; i++) list[i] = i
    }
    const found = new Spans()
    return { taken: pattern.createMatcher(false).find(document, found, Infinity), found: found.length }
  }
  const thousand = Array.from({ length: 1000 }, () => 'a')
  let deep = unordered(9, 'a', 'b')
  for (let i = 0; i < 40; i++) deep = unordered(9, deep, 'a')
  for (const [name, pattern] of [
    ['sloppy', phrase(thousand.join(' '), 2 ** 30)],
    ['ordered', patternOf(ordered(9, ...thousand))],
    ['unordered', patternOf(unordered(9, ...thousand))],
    ['nested', patternOf(deep)],
  ] as const) {
    const { taken, found } = steps(pattern)
    t.ok(found > 0, `${name}: ${found} matches`)
    t.ok(taken <= MAX_STEPS * 1.1, `${name}: ${taken} steps`)
  }
  const choice = phrase(thousand.map(() => 'a|b').join(' '), 9)
  t.ok(steps(choice).taken <= MAX_STEPS * 1.1)
  t.end()
})

t.test('pairs of words: the same as looking at every pair of positions', (t) => {
  const random = new Random(testSeed())
  const differences = (positions: readonly number[]): number[] => positions.map((p, i) => p - (positions[i - 1] ?? 0))
  const count = (a: readonly number[], b: readonly number[], offset: number, limit = 0x7fffffff): number => {
    // Neither begins at 0, and behind each there is room for one more.
    const first = Int32Array.from([7, 7, ...differences(a), 9])
    const second = Int32Array.from([7, ...differences(b), 9])
    return countPairs(first, 2, a.length, second, 1, b.length, offset, limit)
  }
  for (let round = 0; round < 3000; round++) {
    const some = (): number[] =>
      Array.from({ length: 1 + random.below(12) }, () => random.below(40)).sort((x, y) => x - y)
    const a = some()
    const b = [...new Set(some())]
    const offset = random.below(9) - 4
    const expected = a.filter((place) => b.includes(place + offset)).length
    const found = count(a, b, offset)
    if (found !== expected) t.equal(found, expected, `${a} | ${b} | ${offset}`)
    if (count(a, b, offset, 1) !== Math.min(expected, 1)) t.fail(`first of ${a} | ${b} | ${offset}`)
  }
  t.equal(count([0, 2 ** 30 - 22], [1, 2 ** 30 - 21], 1), 2)
  t.equal(count([5, 2 ** 30], [6, 2 ** 30 + 1], 1), -1, 'too large to tell')
  t.equal(count([2 ** 31 - 1], [2 ** 31 - 1], -1), -1)
  t.end()
})
