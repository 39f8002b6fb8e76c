import { randomBytes } from 'node:crypto'
import t from 'tap'
import { isNumber, LINE_BREAK, pageTokens } from './page-tokens.js'
import { sharedCore } from './same-core.js'
import { hammingDistance, MAX_DISTANCE, resemblance, SHINGLE, simhash } from './simhash.js'

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE())
t.comment(`SEED=${seed}`)
let state = seed
function random(n: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}

const latin = (count: number) => Array.from({ length: count }, () => `w${random(5000).toString(36)}`)
const han = (count: number) => Array.from({ length: count }, () => String.fromCharCode(0x4e00 + random(3000)))
/** Lines of ten words. */
function lines(words: readonly string[], glue: string): string {
  return words.map((word, i) => (i % 10 === 9 ? `${word}\n` : word + glue)).join('')
}

t.test('tokens: words, characters of Chinese, signs, line breaks', async (t) => {
  t.same([...pageTokens('foo  foo\tfoo')].length, 3)
  t.equal(new Set(pageTokens('foo Foo foo')).size, 2, 'case matters')
  t.equal(pageTokens('天安门').length, 3)
  t.equal(pageTokens('\u{20BB7}').length, 2, 'a character outside of the first plane')
  t.equal(pageTokens('a+b').length, 3)
  t.notSame(pageTokens('a+b'), pageTokens('a-b'))
  t.same(
    [...pageTokens('a\n\n \nb\n')].map((token) => token === LINE_BREAK),
    [false, true, false],
  )
  t.same([...pageTokens('v2 two 2 ٣')].map(isNumber), [true, false, true, true])
  t.equal(pageTokens('').length, 0)
  t.equal(pageTokens('字'.repeat(10_000)).length, 10_000)
})

t.test('simhash: what is counted by bytes is what is counted by bits', async (t) => {
  const tokens = pageTokens(lines(latin(300), ' '))
  // As Charikar says it, bit by bit.
  const { forEachShingle } = await import('./simhash.js')
  const votes = new Array<number>(64).fill(0)
  forEachShingle(tokens, (low, high) => {
    for (let bit = 0; bit < 64; bit++) votes[bit]! += ((bit < 32 ? low : high) >>> (bit & 31)) & 1 ? 1 : -1
  })
  const { low, high } = simhash(tokens)
  for (let bit = 0; bit < 64; bit++) {
    t.equal(((bit < 32 ? low : high) >>> (bit & 31)) & 1, votes[bit]! > 0 ? 1 : 0, `bit ${bit}`)
  }
  t.equal(hammingDistance({ low: 0, high: 0 }, { low: 0xffffffff, high: 1 }), 33)
})

t.test('simhash: near texts are near, others far', async (t) => {
  for (const [words, glue] of [
    [latin, ' '],
    [han, ''],
  ] as const) {
    let near = 0
    for (let i = 0; i < 50; i++) {
      const text = words(1000)
      const page = pageTokens(lines(text, glue))
      const framed = pageTokens(`${lines(words(8), glue)}\n${lines(text, glue)}\n${lines(words(4), glue)}`)
      if (hammingDistance(simhash(page), simhash(framed)) <= MAX_DISTANCE) near++
      const other = simhash(pageTokens(lines(words(1000), glue)))
      t.ok(hammingDistance(simhash(page), other) > 8)
    }
    t.ok(near >= 49, `${near} of 50 near`)
  }
})

t.test('resemblance: shared shingles of all shingles', async (t) => {
  const text = latin(500).map((word, i) => word + i)
  const a = pageTokens(text.join(' '))
  const b = pageTokens(text.slice(100).join(' '))
  t.equal(resemblance(a, b), (400 - SHINGLE + 1) / (500 - SHINGLE + 1))
  t.equal(resemblance(a, pageTokens('x y z')), 0)
  t.equal(resemblance(pageTokens(''), pageTokens('x')), 1, 'neither has any')
})

t.test('core: one run of whole lines in two frames', async (t) => {
  const body = lines(latin(400), ' ').trim()
  const page = (before: string, text: string, after: string) => pageTokens(`${before}\n${text}\n${after}`)
  t.match(sharedCore(page('Home', body, 'About us'), page('Mirror of docs', body, 'Contact')), {
    outside: 4,
    sameNumbers: true,
  })
  t.equal(sharedCore(pageTokens(body), pageTokens(body))?.share, 1)
  t.match(sharedCore(page('', body, 'page 1'), page('', body, 'page 2')), { sameNumbers: false })
  // The first line differs in its last word alone: it is no frame of one word, but a line of its own.
  const widget = sharedCore(page('', `Widget A\n${body}`, ''), page('', `Widget A Pro\n${body}`, ''))
  t.equal(widget?.outside, 3)
  // A word in the middle makes two pages.
  const changed = body.split(' ')
  changed[200] = 'other'
  const halves = sharedCore(pageTokens(body), pageTokens(changed.join(' ')))
  t.ok(halves === undefined || halves.share < 0.6, `${halves?.share}`)
  t.equal(sharedCore(pageTokens('short page'), pageTokens('short page')), undefined)
  // Many places that look like the middle cost no more than their number.
  const dull = 'a b '.repeat(50_000)
  t.ok(sharedCore(pageTokens(dull), pageTokens(`x ${dull}`)) !== undefined)
})
