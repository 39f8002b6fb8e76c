/** What several parts load: nothing to wait for, all of it, and failures of which none is left without a hearer. */
import t from 'tap'
import { loadEach } from './weight.js'

t.test('nothing to wait for', (t) => {
  const seen: number[] = []
  const loading = loadEach([1, 2, 3], (part) => {
    seen.push(part)
    return null
  })
  t.equal(loading, null)
  t.same(seen, [1, 2, 3])
  t.end()
})

t.test('all that is on its way', async (t) => {
  const done: number[] = []
  const load = async (part: number): Promise<void> => {
    await null
    done.push(part)
  }
  await loadEach([1, 2, 3], (part) => (part === 2 ? null : load(part)))
  t.same(done, [1, 3])
})

t.test('one fails at once, another one later', async (t) => {
  const unheard: unknown[] = []
  const hear = (reason: unknown): void => {
    unheard.push(reason)
  }
  process.on('unhandledRejection', hear)
  let failLater = (_: Error): void => {}
  const later = new Promise<void>((_, reject) => {
    failLater = reject
  })
  const loading = loadEach(['later', 'at once'], (part) => {
    if (part === 'later') return later
    throw new Error('at once')
  })
  await t.rejects(loading!, { message: 'at once' })
  failLater(new Error('later'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', hear)
  t.same(unheard, [])
})
