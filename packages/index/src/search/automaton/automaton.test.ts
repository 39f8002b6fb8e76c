/** Automata against evaluators that are too simple to be wrong, and what hostile patterns cost, counted in steps. */
import t from 'tap'
import { editDistance } from '../../test-support/edit-distance.js'
import { Random, testSeed } from '../../test-support/random.js'
import { codePoints } from './byte-nfa.js'
import { levenshteinAutomaton } from './levenshtein-automaton.js'
import { regexpAutomaton } from './regexp-automaton.js'
import { MAX_REGEXP_LENGTH, parseRegexp, type RegexpNode } from './regexp-parser.js'
import { prefixAutomaton, wildcardAutomaton } from './wildcard-automaton.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

const ALPHABETS = ['ab', 'abc', 'a中丬', 'aé中😀', '0129', 'ab"\\.#@<>-&~']

function word(most = 7): string {
  const letters = [...random.pick(ALPHABETS)]
  return Array.from({ length: random.below(most + 1) }, () => random.pick(letters)).join('')
}

/** Where a part of an expression can end that begins at a place. */
function ends(node: RegexpNode, text: readonly string[], from: number): Set<number> {
  switch (node.kind) {
    case 'points': {
      const point = text[from]?.codePointAt(0) ?? -1
      const inside = node.ranges.some((first, i) => i % 2 === 0 && first <= point && point <= node.ranges[i + 1])
      return new Set(inside ? [from + 1] : [])
    }
    case 'text': {
      const letters = [...node.text]
      return new Set(letters.every((letter, i) => text[from + i] === letter) ? [from + letters.length] : [])
    }
    case 'anyText':
      return places(text, from)
    case 'nothing':
      return new Set()
    case 'union':
      return new Set(node.parts.flatMap((part) => [...ends(part, text, from)]))
    case 'intersection': {
      const [first, ...others] = node.parts.map((part) => ends(part, text, from))
      return new Set([...first].filter((end) => others.every((set) => set.has(end))))
    }
    case 'sequence':
      return node.parts.reduce((at, part) => after(part, text, at), new Set([from]))
    case 'complement': {
      const inside = ends(node.part, text, from)
      return new Set([...places(text, from)].filter((end) => !inside.has(end)))
    }
    case 'repeat': {
      let at = new Set([from])
      for (let n = 0; n < node.min; n++) at = after(node.part, text, at)
      const all = new Set(at)
      for (let n = node.min; n < Math.min(node.max, node.min + text.length + 1); n++) {
        at = after(node.part, text, at)
        for (const end of at) all.add(end)
      }
      return all
    }
    case 'interval': {
      const found = new Set<number>()
      for (let end = from + 1; end <= text.length; end++) {
        const digits = text.slice(from, end).join('')
        if (!/^[0-9]+$/.test(digits) || (node.digits > 0 && digits.length !== node.digits)) continue
        if (Number(digits) >= node.min && Number(digits) <= node.max) found.add(end)
      }
      return found
    }
  }
}

const places = (text: readonly string[], from: number): Set<number> =>
  new Set(Array.from({ length: text.length - from + 1 }, (_, i) => from + i))

const after = (part: RegexpNode, text: readonly string[], from: ReadonlySet<number>): Set<number> =>
  new Set([...from].flatMap((at) => [...ends(part, text, at)]))

const ATOMS = [
  ...[
    'a',
    'b',
    'c',
    '中',
    'é',
    '😀',
    '.',
    '#',
    '@',
    '"ab"',
    '()',
    '[ab]',
    '[^a]',
    '[a-c]',
    '[^中]',
    '[é-中]',
    '[^\\d]',
  ],
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\\\', '\\.', '<1-31>', '<01-31>', '<5-2>', '<0-100>', '<007-019>'],
  ...['[\u0800-\uffff]', '[\u{10000}-\u{10ffff}]', '[\u0000-\u07ff]', '[^a-z0-9]'],
]

function expression(depth: number): string {
  const kind = depth === 0 ? 0 : random.below(11)
  if (kind < 3) return random.pick(ATOMS)
  if (kind < 6) return expression(depth - 1) + expression(depth - 1)
  if (kind === 6) return `(${expression(depth - 1)}|${expression(depth - 1)})`
  if (kind === 7) return `(${expression(depth - 1)}&${expression(depth - 1)})`
  if (kind === 8) return `~(${expression(depth - 1)})`
  return `(${expression(depth - 1)})${random.pick(['?', '*', '+', '{2}', '{1,}', '{0,2}', '**'])}`
}

t.test('expressions against an evaluator of their trees', (t) => {
  const words = Array.from({ length: 100 }, () => word())
  let accepted = 0
  let wrong = 0
  for (let n = 0; n < 300; n++) {
    const pattern = expression(1 + random.below(4))
    const tree = parseRegexp(pattern)
    const automaton = regexpAutomaton(pattern)
    for (const one of words) {
      const text = [...one]
      const expected = ends(tree, text, 0).has(text.length)
      if (expected) accepted++
      if (automaton.test(one) === expected) continue
      if (wrong++ === 0) t.fail(`/${pattern}/ and ${JSON.stringify(one)}: ${!expected}`)
    }
  }
  t.equal(wrong, 0)
  t.ok(accepted > 1000, `${accepted} accepted`)
  t.end()
})

t.test('the syntax, as Lucene reads it', (t) => {
  const yes: Record<string, readonly string[]> = {
    '': [''],
    'a|b': ['a', 'b'],
    'a|': [],
    'ab|cd': ['ab', 'cd'],
    'a(b|c)d': ['abd', 'acd'],
    ')': [],
    '*a': ['*a'],
    'a**': ['', 'aaa'],
    'a{2}': ['aa'],
    'a{2,}': ['aa', 'aaaaa'],
    'a{0,2}': ['', 'a', 'aa'],
    '"a.b"': ['a.b'],
    '""': [''],
    'a&b': [],
    '.*&~(.*b.*)': ['', 'aac'],
    '~a': ['', 'b', 'aa'],
    '~~a': ['a'],
    '@b': ['b', 'ab', 'bbb'],
    'a#': [],
    '<1-31>': ['1', '01', '31'],
    '<01-31>': ['01', '31'],
    '<9-11>': ['9', '10', '11'],
    '[]]': [],
    '[a-]': [],
    '[-a]': ['-', 'a'],
    '[\\]]': [']'],
    '[\\d_]': ['7', '_'],
    '\\"': ['"'],
    'ä.中': ['äß中', 'ä😀中'],
  }
  const no: Record<string, readonly string[]> = {
    a: ['', 'aa', 'ba', 'ab'],
    '.': ['', 'ab'],
    'a{2}': ['a', 'aaa'],
    '<1-31>': ['0', '32', '1a', ''],
    '<01-31>': ['1', '001'],
    '[^a]': ['a', '', 'bb'],
    '~a': ['a'],
  }
  for (const [pattern, terms] of Object.entries(yes)) {
    for (const term of terms) t.ok(regexpAutomaton(pattern).test(term), `/${pattern}/ ${term}`)
  }
  for (const [pattern, terms] of Object.entries(no)) {
    for (const term of terms) t.notOk(regexpAutomaton(pattern).test(term), `/${pattern}/ ${term}`)
  }
  const faults = [
    'a|',
    'a(',
    '(a',
    '(a))',
    'a)',
    '[a',
    '[b-a]',
    '[]',
    '[a-]',
    '"a',
    '<1-',
    '<a>',
    '<1-2-3>',
    '\\',
    '\\q',
  ]
  faults.push('a{', 'a{x}', 'a{2', 'a{3,2}', 'a{99999999999}', 'a&', '~', '[\\z]')
  for (const pattern of faults) t.throws(() => regexpAutomaton(pattern), { code: 'QUERY_SYNTAX' }, `/${pattern}/`)
  t.throws(() => regexpAutomaton('ab(c'), /"ab\(c" cannot be read at character 5: '\)' is missing/)
  t.end()
})

t.test('expressions that would need too much say so', (t) => {
  const many = (text: string, count: number): string => text.repeat(count)
  const bad = [
    'a{1,100000}',
    'a{2000000000}',
    '(){2000000000}',
    '((a{1,100}){1,100}){1,100}',
    `${many('(', 400)}a${many(')', 400)}`,
    '~(.*a.{30})',
    '(.*a.{20})&(.*b.{20})',
    `~(${many('(a|b)*a(a|b){9}', 20)})`,
    many('a', MAX_REGEXP_LENGTH + 1),
  ]
  for (const pattern of bad) {
    t.throws(() => regexpAutomaton(pattern), { code: 'REGEX_TOO_COMPLEX' }, pattern.slice(0, 40))
  }
  const good = [`${many('~', 998)}a`, `${many('(a|', 150)}a${many(')', 150)}`, `${many('(@&', 20)}a${many(')', 20)}`]
  for (const pattern of good) {
    t.equal(regexpAutomaton(pattern).test('a'), true, pattern.slice(0, 40))
  }
  // What is linear in its text has no limit.
  t.ok(prefixAutomaton(many('中', 20_000)).test(many('中', 20_001)))
  t.notOk(wildcardAutomaton(many('?*', 20_000)).test(many('中', 19_999)))
  t.ok(levenshteinAutomaton(codePoints(many('中', 5000)), 2, 0, true).test(many('中', 4998)))
  t.end()
})

t.test('no pattern takes more than linear time or much memory', (t) => {
  const long = 'a'.repeat(30_000)
  const cost = (automaton: ReturnType<typeof regexpAutomaton>, text: string): number => {
    const before = automaton.work
    automaton.test(text)
    return automaton.work - before
  }
  // Steps that states cost: once for each state that is met, never once a character.
  t.ok(cost(regexpAutomaton('(a+)+b'), long) < 100)
  t.ok(cost(regexpAutomaton('(a|aa)+b'), long) < 100)
  t.ok(cost(regexpAutomaton('(a*)*(a*)*(a*)*b'), long) < 100)
  t.ok(cost(wildcardAutomaton('*a'.repeat(50)), long) < 50 * 60 * 2)
  t.ok(cost(wildcardAutomaton('*?'.repeat(50)), long) < 50 * 60 * 2)
  const far = levenshteinAutomaton(codePoints('a'.repeat(200)), 2, 0, true)
  t.ok(cost(far, long) < 200 * 100)
  // As many states as there are texts: what is known is forgotten, and found again.
  const bits = regexpAutomaton('(a|b)*a(a|b){30}')
  let wrong = 0
  const { epoch } = bits
  for (let n = 0; n < 400; n++) {
    const text = Array.from({ length: 200 }, () => random.pick(['a', 'b'])).join('')
    if (bits.test(text) !== (text.at(-31) === 'a')) wrong++
  }
  t.equal(wrong, 0)
  t.ok(bits.epoch > epoch, `forgot ${bits.epoch - epoch} times`)
  t.end()
})

t.test('edits against the definition of the distance', (t) => {
  let near = 0
  let wrong = 0
  for (let n = 0; n < 1500; n++) {
    const text = codePoints(word())
    const maxEdits = random.below(3)
    const prefixLength = random.below(3)
    const transpositions = random.below(2) === 0
    const automaton = levenshteinAutomaton(text, maxEdits, prefixLength, transpositions)
    for (let k = 0; k < 10; k++) {
      const term = word()
      const points = codePoints(term)
      const begins = text.slice(0, prefixLength).every((point, i) => points[i] === point)
      const rest = editDistance(
        text.slice(prefixLength),
        points.slice(Math.min(prefixLength, text.length)),
        transpositions,
      )
      const expected = begins && rest <= maxEdits
      if (expected) near++
      if (automaton.test(term) !== expected && wrong++ === 0) {
        t.fail(`${String.fromCodePoint(...text)}~${maxEdits} ${prefixLength} ${transpositions}: ${term}`)
      }
    }
  }
  t.equal(wrong, 0)
  t.ok(near > 300, `${near} near`)
  t.end()
})
