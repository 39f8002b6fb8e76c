import { getEventListeners } from 'node:events'
import t from 'tap'
import { Exchange } from './exchange.js'
import { RunningExchanges } from './running-exchanges.js'

const LIMITS = { maxBody: 1000, totalTimeout: 60_000, maxHeaderBytes: 1000, slowAfter: 10_000 }

t.test('a signal ends its exchanges, those of others go on', async (t) => {
  const running = new RunningExchanges()
  const ended: string[] = []
  const start = (name: string, signal: AbortSignal | undefined): Exchange => {
    const exchange: Exchange = new Exchange(
      new URL(`http://site.test/${name}`),
      LIMITS,
      () => t.fail('nothing is answered'),
      ({ reason }) => {
        running.delete(exchange, signal)
        ended.push(`${name} ${reason}`)
      },
      undefined,
    )
    running.add(exchange, signal)
    return exchange
  }
  const crawl = new AbortController()
  const other = new AbortController()
  const first = start('a', crawl.signal)
  start('b', crawl.signal)
  start('c', other.signal)
  start('d', undefined)
  const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length
  t.equal(listeners(crawl.signal), 1, 'one listener for both')
  first.abort()
  t.strictSame(ended, ['a aborted'])
  t.equal(listeners(crawl.signal), 1)
  crawl.abort()
  t.strictSame(ended, ['a aborted', 'b aborted'])
  t.equal(listeners(crawl.signal), 0, 'none is left behind')
  t.equal(listeners(other.signal), 1)
  running.abortAll()
  t.strictSame(ended, ['a aborted', 'b aborted', 'c aborted', 'd aborted'])
  t.equal(listeners(other.signal), 0)
})
