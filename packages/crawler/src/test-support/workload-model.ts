/**
 * Random histories of a {@link Workload} beside a plain model that is compared with it after each step: every address in exactly
 * one queue (S020–S022), ends that are final within a generation (S023), a set (S028), nothing queued twice (S036), first in first
 * out among equal numbers (S033), and at the end a crawl that comes to rest when, and only when, nothing waits or runs (S024).
 */
import fc from 'fast-check'
import type { Test } from 'tap'
import { breadthFirst, depthFirst } from '../frontier/crawl-order.js'
import {
  type CrawlOrder,
  type FinishedUrl,
  hostOf,
  isBefore,
  type NewUrl,
  QUEUES,
  type QueueName,
  type Workload,
} from '../frontier/workload.js'
import type { WorkloadHarness } from './workload-harness.js'

const A = 'http://a.example'
const B = 'http://b.example:8080'
const effort = process.env.SPINDLE_EFFORT ?? 'sample'
const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff)

const address = fc.integer({ min: 0, max: 19 }).map((i) => (i % 3 === 0 ? `${B}/${i}` : `${A}/${i}`))
const offered = fc.record(
  { url: address, depth: fc.nat(4), redirects: fc.constant(0), priority: fc.double({ min: -5, max: 5, noNaN: true }) },
  { requiredKeys: ['url', 'depth', 'redirects'] },
)
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), links: fc.array(offered, { maxLength: 4 }) }),
  fc.record({ do: fc.constant('claim' as const), host: fc.constantFrom(undefined, 'a.example', 'b.example:8080') }),
  fc.record({ do: fc.constant('claim' as const), except: fc.constantFrom('a.example', 'b.example:8080') }),
  fc.record({ do: fc.constant('release' as const), pick: fc.nat(20) }),
  fc.record({
    do: fc.constant('finish' as const),
    picks: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
    ok: fc.boolean(),
    page: fc.constantFrom('new' as const, 'none' as const, 'kept' as const),
    links: fc.array(offered, { maxLength: 6 }),
    skips: fc.array(address, { maxLength: 3 }),
  }),
  fc.record({
    do: fc.constant('prioritize' as const),
    changes: fc.array(fc.tuple(address, fc.integer()), { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('order' as const), order: fc.constantFrom(breadthFirst, depthFirst) }),
  fc.record({ do: fc.constant('generation' as const), before: fc.nat(80) }),
  fc.record({ do: fc.constant('wrong' as const), url: address }),
  fc.record({ do: fc.constant('reopen' as const), kill: fc.boolean() }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs histories; a failure names the seed and the least history that fails. */
export async function randomHistories(t: Test, harness: WorkloadHarness): Promise<void> {
  const histories = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    await new History(await harness.create(t), harness).run(steps)
  })
  await fc.assert(histories, { seed, numRuns: harness.reopen === undefined ? 200 : effort === 'sample' ? 25 : 500 })
}

interface Entry {
  readonly url: string
  readonly sequence: number
  readonly redirects: number
  depth: number
  priority: number
  queue: QueueName
  page: number | undefined
  finishedAt: number | undefined
  disposition: string | undefined
}

class History {
  readonly #harness: WorkloadHarness
  readonly #entries = new Map<string, Entry>()
  readonly #skipped = new Set<string>()
  #workload: Workload
  #order: CrawlOrder = breadthFirst
  #generation = 1
  #clock = 0

  constructor(workload: Workload, harness: WorkloadHarness) {
    this.#workload = workload
    this.#harness = harness
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      this.#clock++
      await this.#do(step)
      await this.#compare()
    }
    await this.#finishAll()
    await this.#workload.close()
  }

  async #do(step: Step): Promise<void> {
    const workload = this.#workload
    const running = this.#in('running')
    if (step.do === 'add') {
      const before = this.#entries.size
      this.#offer(step.links)
      equal((await workload.add(step.links)).added, this.#entries.size - before, 'added')
    } else if (step.do === 'claim') {
      const except = 'except' in step ? new Set<string>([step.except]) : undefined
      const host = 'host' in step ? step.host : undefined
      const next = this.#next((name) => (host ?? name) === name && except?.has(name) !== true)
      const claimed = await workload.claim(host, except)
      equal(claimed?.url, next?.url, 'claimed')
      equal(claimed?.previous?.page, next?.finishedAt === undefined ? undefined : next.page, 'page kept')
      if (next !== undefined) next.queue = 'running'
    } else if (step.do === 'release' && running.length > 0) {
      const entry = running[step.pick % running.length]!
      await workload.release(entry.url)
      entry.queue = 'waiting'
    } else if (step.do === 'finish' && running.length > 0) {
      const ended = new Set(step.picks.map((pick) => running[pick % running.length]!))
      await this.#finish([...ended], step)
    } else if (step.do === 'prioritize') {
      const changes = new Map(step.changes)
      await workload.prioritize(changes)
      for (const [url, priority] of changes) {
        const entry = this.#entries.get(url)
        if (entry !== undefined) entry.priority = priority
      }
    } else if (step.do === 'order') {
      await workload.useOrder(step.order)
      if (step.order !== this.#order) {
        for (const entry of this.#entries.values()) entry.priority = step.order.priority(toNew(entry))
      }
      this.#order = step.order
    } else if (step.do === 'generation' && running.length === 0) {
      const due = [...this.#entries.values()].filter(
        ({ queue, finishedAt }) => queue !== 'waiting' && finishedAt! < step.before,
      )
      equal(await workload.beginGeneration(step.before), due.length, 'due')
      for (const entry of due) entry.queue = 'waiting'
      this.#generation++
    } else if (step.do === 'wrong') {
      if (this.#entries.get(step.url)?.queue !== 'running') await this.#refuses(step.url)
    } else if (step.do === 'reopen') {
      const reopen = step.kill ? (this.#harness.kill ?? this.#harness.reopen) : this.#harness.reopen
      if (reopen === undefined) return
      this.#workload = await reopen.call(this.#harness, workload)
      await this.#workload.useOrder(this.#order)
      for (const entry of running) entry.queue = 'waiting'
    }
  }

  async #finish(entries: readonly Entry[], how: Extract<Step, { do: 'finish' }>): Promise<void> {
    const queue = how.ok ? 'complete' : 'error'
    const skipped = how.skips.map((url) => ({ url, reason: 'off-host' }))
    const batch = entries.map(({ url }): FinishedUrl => {
      const page = how.page === 'new' ? this.#clock : undefined
      const more = how.page === 'kept' ? { keepsPage: true } : { page }
      const disposition = `reason-${how.page}`
      return { url, queue, disposition, status: 200, finishedAt: this.#clock, links: how.links, skipped, ...more }
    })
    await this.#workload.finish(batch)
    for (const entry of entries) {
      entry.queue = queue
      entry.finishedAt = this.#clock
      entry.disposition = `reason-${how.page}`
      if (how.page !== 'kept') entry.page = how.page === 'new' ? this.#clock : undefined
      this.#offer(how.links)
      for (const url of how.skips) if (!this.#entries.has(url)) this.#skipped.add(url)
    }
  }

  /** What is not running can neither end nor be released, whatever queue it is in. */
  async #refuses(url: string): Promise<void> {
    const running = this.#in('running').map((entry) => ({ url: entry.url, page: 1 }))
    const batch = [...running, { url }].map((more) => ({
      queue: 'complete' as const,
      disposition: 'wrong',
      status: 200,
      finishedAt: this.#clock,
      links: [{ url: 'http://never.example/', depth: 0, redirects: 0 }],
      skipped: [],
      ...more,
    }))
    for (const wrong of [() => this.#workload.finish(batch), () => this.#workload.release(url)]) {
      const refused = await wrong().then(
        () => false,
        () => true,
      )
      if (!refused) throw new Error(`${url} is not running and was moved`)
    }
  }

  #offer(links: readonly NewUrl[]): void {
    for (const link of links) {
      const { url, depth, redirects } = link
      const priority = link.priority ?? this.#order.priority(link)
      const known = this.#entries.get(url)
      if (known === undefined) {
        const sequence = this.#entries.size + 1
        const ended = { page: undefined, finishedAt: undefined, disposition: undefined }
        this.#entries.set(url, { url, depth, redirects, priority, sequence, queue: 'waiting', ...ended })
        this.#skipped.delete(url)
      } else if (known.queue === 'waiting') {
        known.depth = Math.min(depth, known.depth)
        known.priority = Math.min(priority, known.priority)
      }
    }
  }

  #in(queue: QueueName): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.queue === queue)
  }

  #next(isAsked: (host: string) => boolean): Entry | undefined {
    return this.#in('waiting')
      .filter(({ url }) => isAsked(hostOf(url)))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))[0]
  }

  async #compare(): Promise<void> {
    const workload = this.#workload
    let total = 0
    for (const queue of QUEUES) {
      const listed = await workload.list(queue, 1000)
      const expected = this.#in(queue)
      if (queue === 'waiting') expected.sort((a, b) => (isBefore(a, b) ? -1 : 1))
      const show = ({
        url,
        depth,
        priority,
        page,
        finishedAt,
        disposition,
      }: Omit<Entry, 'queue' | 'sequence' | 'redirects'>) =>
        [url, depth, priority, page, finishedAt, disposition].join(' ')
      const found = listed.map(show)
      const wanted = expected.map(show)
      if (queue !== 'waiting') for (const list of [found, wanted]) list.sort()
      equal(found.join('\n'), wanted.join('\n'), queue)
      equal(workload.counts()[queue], listed.length, `count of ${queue}`)
      total += listed.length
    }
    equal(total, this.#entries.size, 'each address is in one queue')
    equal((await workload.listSkipped(100)).map(({ url }) => url).join(), [...this.#skipped].sort().join(), 'skipped')
    const ended = [...this.#in('complete'), ...this.#in('error')]
    const tally = workload.tally()
    equal(
      [...tally.complete.values(), ...tally.error.values()].reduce((a, b) => a + b, 0),
      ended.length,
      'tally',
    )
    const pages = [...this.#entries.values()].filter(({ page }) => page !== undefined).length
    equal(workload.pageCount(), pages, 'pages')
    equal(workload.generation(), this.#generation, 'generation')
    const waiting = new Set(this.#in('waiting').map(({ url }) => hostOf(url)))
    equal((await workload.waitingHosts()).sort().join(), [...waiting].sort().join(), 'hosts that wait')
  }

  /** A crawl without new links comes to rest: as many claims as addresses wait, then none. */
  async #finishAll(): Promise<void> {
    for (const entry of this.#in('running')) {
      await this.#workload.release(entry.url)
      entry.queue = 'waiting'
    }
    for (let left = this.#in('waiting').length; left > 0; left--) {
      const next = this.#next(() => true)!
      equal((await this.#workload.claim())?.url, next.url, 'claimed at the end')
      next.queue = 'running'
      await this.#finish([next], { do: 'finish', picks: [], ok: true, page: 'new', links: [], skips: [] })
    }
    equal(await this.#workload.claim(), undefined, 'nothing is left')
    await this.#compare()
  }
}

function toNew({ url, depth, redirects }: Entry): NewUrl {
  return { url, depth, redirects }
}

function equal(found: unknown, expected: unknown, what: string): void {
  if (!Object.is(found, expected))
    throw new Error(`${what}: ${String(found)} instead of ${String(expected)} (SEED=${seed})`)
}
