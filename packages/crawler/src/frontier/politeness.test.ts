import t from 'tap'
import { Politeness } from './politeness.js'
import { MAX_RETRY_AFTER_MS, parseRetryAfter } from './retry-after.js'

function clock() {
  let time = 1_000_000
  const now = () => time
  now.advance = (ms: number) => {
    time += ms
  }
  return now
}

t.test('one connection a host and the delay after each answer', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 1000, connections: 8, now })
  t.equal(p.nextIn(), undefined, 'nothing to do')
  p.offer('a')
  p.offer('a')
  p.offer('b')
  t.equal(p.nextIn(), 0)
  t.equal(p.take(), 'a')
  t.equal(p.take(), 'b')
  t.equal(p.take(), undefined, 'both are busy')
  p.offer('a')
  t.equal(p.take(), undefined, 'one connection only')
  now.advance(300)
  p.finished('a')
  t.equal(p.take(), undefined)
  t.equal(p.nextIn(), 1000, 'from the end of the answer')
  now.advance(999)
  t.equal(p.take(), undefined)
  now.advance(1)
  t.equal(p.take(), 'a')
  p.withdraw('a')
  t.equal(p.take(), undefined, 'nothing waits there')
  p.offer('a')
  t.equal(p.take(), 'a', 'and it may be asked at once when something does')
})

t.test('a delay of 0 allows many connections', async (t) => {
  const p = new Politeness({ delayMs: 0, connections: 3, now: clock() })
  p.offer('a')
  t.same([p.take(), p.take(), p.take(), p.take()], ['a', 'a', 'a', undefined])
  p.finished('a')
  t.equal(p.take(), 'a')
  p.withdraw('a')
  t.equal(p.take(), undefined)
})

t.test('the larger of delay and crawl delay counts', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 0, connections: 3, now })
  p.offer('a')
  p.take()
  p.setCrawlDelay('a', 5000)
  t.equal(p.take(), undefined, 'one connection from now on')
  p.finished('a')
  t.equal(p.nextIn(), 5000)
  p.setCrawlDelay('a', 0)
  now.advance(5000)
  t.equal(p.take(), 'a')
  t.equal(p.take(), 'a', 'no crawl delay any more')
  const q = new Politeness({ delayMs: 1000, connections: 3, now })
  q.offer('a')
  q.take()
  q.setCrawlDelay('a', 200)
  q.finished('a')
  t.equal(q.nextIn(), 1000)
})

t.test('a request outside of the turns (robots.txt) keeps the distance, too', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 1000, connections: 1, now })
  p.offer('a')
  t.equal(p.take(), 'a')
  p.touched('a')
  t.equal(p.waitFor('a'), 1000)
  p.postpone('a')
  t.equal(p.take(), undefined)
  now.advance(1000)
  t.equal(p.take(), 'a')
})

t.test('a pause holds the whole host and is never shortened', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 0, connections: 3, now })
  p.offer('a')
  p.offer('b')
  t.equal(p.take(), 'a')
  p.pause('a', 60_000)
  p.pause('a', 10)
  p.finished('a')
  t.equal(p.take(), 'b')
  now.advance(59_999)
  t.equal(p.take(), 'b')
  t.equal(p.take(), 'b')
  t.equal(p.take(), undefined)
  now.advance(1)
  t.equal(p.take(), 'a')
})

t.test('a pause that comes while the host is asleep is kept', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 100, connections: 1, now })
  p.offer('a')
  p.take()
  p.finished('a')
  p.pause('a', 5000)
  now.advance(100)
  t.equal(p.take(), undefined)
  t.equal(p.nextIn(), 4900)
  now.advance(4900)
  t.equal(p.take(), 'a')
})

t.test('a parked host does not keep the crawl going but comes back', async (t) => {
  const now = clock()
  const p = new Politeness({ delayMs: 0, connections: 1, now })
  p.offer('a')
  p.take()
  t.equal(p.failed('a'), 1)
  t.equal(p.failed('a'), 2)
  p.succeeded('a')
  t.equal(p.failed('a'), 1)
  p.park('a', 1000)
  p.postpone('a')
  t.same(p.parked(), ['a'])
  t.equal(p.nextIn(), undefined)
  p.offer('b')
  p.take()
  p.pause('b', 2000)
  p.finished('b')
  t.equal(p.nextIn(), 2000)
  now.advance(1000)
  t.equal(p.isParked('a'), false)
  t.equal(p.take(), 'a')
})

t.test('Retry-After: seconds, dates, nonsense', async (t) => {
  const now = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT')
  const cases: [string | undefined, number | undefined][] = [
    ['5', 5000],
    [' 120 ', 120_000],
    ['0', 0],
    ['1000000000', MAX_RETRY_AFTER_MS],
    ['Wed, 21 Oct 2015 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2015 07:00:00 GMT', 0],
    ['Wed, 21 Oct 2099 07:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['soon', undefined],
    ['Sometime, later', undefined],
    ['-5', undefined],
    ['5.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [header, expected] of cases) t.equal(parseRetryAfter(header, now), expected, String(header))
})
