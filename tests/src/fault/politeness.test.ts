/**
 * Politeness measured at the servers: twenty hosts of different manners, visited at the same time by the product's own
 * command, which is killed once and started again. A minute in the full stage, ten in the nightly one.
 */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { byEffort } from '../support/effort.js'
import { SpindleProcess } from '../support/spindle-process.js'
import { type HostManner, violations, WatchedHost } from '../support/watched-hosts.js'

const HOSTS = 20
const DELAY = byEffort(200, 500, 1000)
const SECONDS = byEffort(6, 60, 600)

const RULES = 'User-agent: *\nDisallow: /private/\n'
const MANNERS: readonly HostManner[] = [
  { robots: RULES },
  { robots: 404 },
  { robots: `${RULES}Crawl-delay: ${(2 * DELAY) / 1000}\n`, crawlDelay: 2 * DELAY },
  { robots: RULES, slowness: 300 },
  { robots: RULES, busyEvery: 5 },
  { robots: 503 },
]

function pagesOf(host: WatchedHost): number {
  return host.visits.filter(({ path }) => path !== '/robots.txt').length
}

t.test('no host is visited faster or elsewhere than it allows', { timeout: (SECONDS + 120) * 1000 }, async (t) => {
  const hosts = Array.from({ length: HOSTS }, (_, i) => new WatchedHost(MANNERS[i % MANNERS.length]!))
  for (const host of hosts) await host.listen()
  t.teardown(() => Promise.all(hosts.map((host) => host.close())))
  // A redirect to another host is under that one's rules and delay.
  for (const [i, host] of hosts.entries()) {
    const target = hosts[(i + 1) % HOSTS]!
    host.redirectTo(() => `${target.url}p${host.visits.length + 1000}`)
  }
  const data = t.testdir()
  const args = ['crawl', ...hosts.map(({ url }) => url), '--data', data, '--delay', String(DELAY), '--no-index']
  // Half of the time, and until each that may be visited was.
  const phase = async (pages: number): Promise<void> => {
    await setTimeout(SECONDS * 500)
    while (hosts.some((host) => host.manner.robots !== 503 && pagesOf(host) < pages)) await setTimeout(50)
  }
  const first = new SpindleProcess(args)
  t.teardown(() => first.child.kill('SIGKILL'))
  await phase(1)
  const { signal } = await first.stop('SIGKILL')
  t.equal(signal, 'SIGKILL', first.stderr)
  const second = new SpindleProcess(args)
  t.teardown(() => second.child.kill('SIGKILL'))
  await phase(2)
  const { code, stderr } = await second.stop('SIGINT')
  t.equal(code, 130, stderr)
  let requests = 0
  for (const [i, host] of hosts.entries()) {
    requests += host.visits.length
    const found = violations(host, DELAY)
    t.same(found, [], `host ${i}: ${JSON.stringify(host.manner)}`)
    if (host.manner.robots === 503) t.equal(pagesOf(host), 0)
  }
  t.comment(`${requests} requests to ${HOSTS} hosts in ${SECONDS} s, a delay of ${DELAY} ms`)
})
