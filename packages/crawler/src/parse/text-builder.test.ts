import t from 'tap'
import { cleanText, oneLine, TextBuilder } from './text-builder.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

t.test('white space is as a reader sees it', async (t) => {
  const built = (...pieces: (string | 'block' | 'gap')[]) => {
    const builder = new TextBuilder()
    for (const piece of pieces) {
      if (piece === 'block') builder.block()
      else if (piece === 'gap') builder.gap()
      else builder.append(piece)
    }
    const { length } = builder
    const text = builder.take()
    t.equal(length, text.length, JSON.stringify(pieces))
    return text
  }
  t.equal(built('  a \t b\n\nc '), 'a b c')
  t.equal(built('a', 'b'), 'ab')
  t.equal(built('a ', 'block', ' b'), 'a\nb')
  t.equal(built('a', 'gap', 'b'), 'a b')
  t.equal(built('block', 'a', 'block'), 'a')
  t.equal(built('中\n文'), '中文')
  t.equal(built('中 文'), '中 文')
  t.equal(built('中\n', 'a'), '中 a')
  t.equal(built('a\u00a0b'), 'a\u00a0b')
  t.equal(built('x'.repeat(50_000), ' ', 'y'.repeat(40_000)), `${'x'.repeat(50_000)} ${'y'.repeat(40_000)}`)
})

t.test('a text with an unclean character is not taken for clean', async (t) => {
  let unclean = 0
  for (let code = 1; code < 0x10000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const text = `a${String.fromCharCode(code)}b`
    const builder = new TextBuilder()
    builder.append(text)
    const { isClean } = builder
    const taken = builder.take()
    if (cleanText(taken) !== taken) {
      unclean++
      if (isClean) t.fail(`U+${code.toString(16)} is not seen`)
    }
    builder.append(text)
    if (builder.takeClean() !== cleanText(taken)) t.fail(`U+${code.toString(16)}`)
    if (!builder.isClean) t.fail('an empty builder is clean')
  }
  t.ok(unclean > 60)
})

t.test('runs of a text are its pieces', async (t) => {
  const chars = [' ', ' ', '\n', '\t', 'a', 'b', '中', '文', '\u00ad', '\u200b', '\u0000', 'é', '😀']
  let state = seed
  const random = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
  t.comment(`SEED=${seed}`)
  for (let round = 0; round < 2000; round++) {
    let text = ''
    for (let n = random(40); n > 0; n--) text += chars[random(chars.length)]
    const units = Uint16Array.from({ length: text.length + 1 }, (_, i) => text.charCodeAt(i) || 0)
    const byRuns = new TextBuilder()
    const byPieces = new TextBuilder()
    for (let i = 0; i < text.length; ) {
      const end = Math.min(text.length, i + 1 + random(8))
      byRuns.appendRun(text, units, i, end)
      byPieces.append(text.slice(i, end))
      if (random(4) === 0) {
        byRuns.mark()
        byPieces.mark()
      }
      i = end
    }
    const found = [byRuns.length, byRuns.isClean, byRuns.takeMarks(), byRuns.take()]
    const expected = [byPieces.length, byPieces.isClean, byPieces.takeMarks(), byPieces.take()]
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      t.strictSame(found, expected, JSON.stringify(text))
      break
    }
  }
})

t.test('one line', async (t) => {
  t.equal(oneLine(' a\n b\u200bc ', 10), 'a bc')
  t.equal(oneLine('abc', 2), 'ab')
  t.equal(oneLine('a😀', 2), 'a')
  t.equal(oneLine('', 2), '')
  t.equal(oneLine('next', 9), 'next', 'nothing is left of the one before')
})
