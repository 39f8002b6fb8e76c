import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DirectoryLock } from '@spindle/core'
import { IndexReader } from '@spindle/index'
import t, { type Test } from 'tap'
import { page, serveSite, type TestSite, treeSite } from '../test-support/test-site.js'
import { main } from './main.js'

const ENTRY = `
  import { main } from ${JSON.stringify(new URL('./main.js', import.meta.url).href)}
  process.exitCode = await main(['crawl', ...process.argv.slice(1)])
`
const CONCURRENCY = 8
/** See frontier/batch.ts. */
const BATCH = 64

type Event = { readonly type: string; readonly [field: string]: unknown }

interface Child {
  readonly process: ChildProcess
  readonly events: Event[]
  /** Resolves with the first event that fits. */
  until(fits: (event: Event, events: Event[]) => boolean): Promise<void>
  readonly done: Promise<{ code: number | null; signal: string | null; out: string; err: string }>
}

function run(...args: string[]): Child {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const child = spawn(process.execPath, ['--input-type=module', '-e', ENTRY, '--', ...args], { env })
  const events: Event[] = []
  const watchers = new Set<() => void>()
  let out = ''
  let err = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    out += `${line}\n`
    if (!line.startsWith('{')) return
    events.push(JSON.parse(line))
    for (const watcher of watchers) watcher()
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return {
    process: child,
    events,
    until: (fits) =>
      new Promise((resolve) => {
        const watcher = (): void => {
          const last = events[events.length - 1]
          if (last === undefined || !fits(last, events)) return
          watchers.delete(watcher)
          resolve()
        }
        watchers.add(watcher)
      }),
    done: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, out, err }))),
  }
}

/** The command without a process of its own. */
async function inProcess(
  t: Test,
  ...args: string[]
): Promise<{ code: number; out: string; err: string; events: Event[] }> {
  const out = t.capture(process.stdout, 'write')
  const err = t.capture(process.stderr, 'write')
  const code = await main(['crawl', ...args])
  const text = (captured: typeof out): string => {
    const written = captured()
      .map((call) => String(call.args[0]))
      .join('')
    captured.restore()
    return written
  }
  const lines = text(out)
  const events = lines.split('\n').filter((line) => line.startsWith('{'))
  return { code, out: lines, err: text(err), events: events.map((line) => JSON.parse(line) as Event) }
}

/** Every page of the site is in the index once. */
async function checkIndex(t: Test, data: string, urls: readonly string[]): Promise<void> {
  const reader = await IndexReader.open(join(data, 'index'))
  t.equal(reader.numDocs, urls.length, 'documents')
  const wrong = []
  for (const url of urls) if ((await reader.docFreq('url', url)) < 1) wrong.push(url)
  t.same(wrong, [], 'every page is in the index')
  await reader.close()
}

function counts(site: TestSite): { paths: number; requests: number } {
  const paths = site.paths()
  return { paths: new Set(paths).size, requests: paths.length }
}

t.test('killed at any moment, a crawl goes on and loses nothing', async (t) => {
  const routes = treeSite(6, 3)
  const total = Object.keys(routes).length
  const seed = Number(process.env.SPINDLE_TEST_SEED ?? Math.floor(Math.random() * 1e6))
  t.comment(`SPINDLE_TEST_SEED=${seed}`)
  for (const kill of [20 + (seed % 60), 120 + (seed % 130)]) {
    const site = await serveSite(t, routes)
    const data = join(t.testdir(), `killed-${kill}`)
    const args = [site.at('/'), '--data', data, '--delay', '0', '--concurrency', String(CONCURRENCY), '--json']
    const first = run(...args)
    await first.until((_event, events) => events.filter(({ type }) => type === 'fetched').length >= kill)
    first.process.kill('SIGKILL')
    t.equal((await first.done).signal, 'SIGKILL')
    const before = counts(site)
    const second = await inProcess(t, ...args)
    const { code, err } = second
    t.equal(code, 0, `exit code after a kill at ${kill} (${err})`)
    const after = counts(site)
    t.equal(after.paths, total, `all pages are fetched (${before.paths} before the kill)`)
    const again = after.requests - total
    t.ok(again <= CONCURRENCY + BATCH, `${again} pages are fetched twice`)
    t.match(second.events.at(-1), { type: 'done', reason: 'finished', waiting: 0, complete: { fetched: total } })
    await checkIndex(
      t,
      data,
      Object.keys(routes).map((path) => site.at(path)),
    )
    await site.close()
  }
})

t.test('Ctrl-C stops in good order, a second start goes on, a third has nothing to do', async (t) => {
  const routes = treeSite(4, 3)
  const total = Object.keys(routes).length
  const site = await serveSite(t, routes)
  const data = join(t.testdir(), 'data')
  const args = [site.at('/'), '--data', data, '--delay', '1', '--json']
  const first = run(...args)
  await first.until((_event, events) => events.filter(({ type }) => type === 'fetched').length >= 10)
  const stopped = performance.now()
  first.process.kill('SIGINT')
  const ended = await first.done
  t.equal(ended.code, 130)
  t.ok(performance.now() - stopped < 30_000)
  t.match(ended.err, /Stopped; nothing is lost\. Go on with: npm run crawl -- --data /)
  t.match(first.events.at(-1), { type: 'done', reason: 'stopped' })
  t.ok(
    first.events.some(({ type }) => type === 'commit'),
    'what was fetched can be found',
  )
  const fetched = counts(site)
  t.equal(fetched.requests, fetched.paths)
  const second = await inProcess(t, '--data', data, '--delay', '0', '--json')
  t.equal(second.code, 0)
  t.same(counts(site), { paths: total, requests: total }, 'nothing is fetched twice')
  await checkIndex(
    t,
    data,
    Object.keys(routes).map((path) => site.at(path)),
  )
  const third = await inProcess(t, site.at('/'), '--data', data)
  t.equal(third.code, 0)
  t.match(third.err, /Nothing to fetch: this crawl is finished, with \d+ pages .*--recrawl.*--fresh/)
  const early = await inProcess(t, site.at('/'), '--data', data, '--preset', 'news')
  t.equal(early.code, 0)
  t.match(early.err, /Nothing to fetch yet: of the \d+ pages .*--older-than 0s/)
  t.notMatch(early.err, /add --recrawl/, 'it is one')
  t.same(counts(site), { paths: total, requests: total })
  const other = await serveSite(t, { '/': page('Other') })
  const more = await inProcess(t, other.at('/'), '--data', data, '--delay', '0', '--json')
  t.equal(more.code, 0)
  t.match(more.events.at(-1), { complete: { fetched: total + 1 }, pages: 1 }, 'a new address is crawled in addition')
  const fresh = await inProcess(t, other.at('/'), '--data', data, '--delay', '0', '--fresh', '--json')
  t.match(fresh.err, /Starting over in .*: the queues and stored pages of the old crawl are removed/)
  t.match(fresh.events.at(-1), { complete: { fetched: 1 } })
  await checkIndex(t, data, [other.at('/')])
})

t.test('SIGTERM is a Ctrl-C; a second one stops at once, and the crawl goes on all the same', async (t) => {
  const site = await serveSite(t, {
    '/': page('Start', ['/hang']),
    '/hang': (_request, response, count) => void (count > 1 && response.end('at last')),
  })
  const data = join(t.testdir(), 'data')
  const child = run(site.at('/'), '--data', data, '--delay', '0', '--no-index', '--json')
  await child.until(({ type }) => type === 'fetched')
  while (!site.paths().includes('/hang')) await new Promise((resolve) => setTimeout(resolve, 5))
  child.process.kill('SIGTERM')
  await new Promise((resolve) => child.process.stderr?.once('data', resolve))
  const second = performance.now()
  child.process.kill('SIGINT')
  t.equal((await child.done).code, 130)
  t.ok(performance.now() - second < 10_000)
  const again = await inProcess(t, '--data', data, '--delay', '0', '--no-index', '--json')
  t.match(again.events.at(-1), { reason: 'finished', waiting: 0, pages: 1 })
  t.same(site.paths(), ['/', '/hang', '/hang'])
})

t.test('a second process on the same folder is refused', async (t) => {
  const data = t.testdir()
  const lock = await DirectoryLock.acquire(data, 'crawl.lock')
  const { code, err } = await inProcess(t, 'http://127.0.0.1:9/', '--data', data)
  await lock.release()
  t.equal(code, 1)
  t.match(err, /^spindle crawl: The folder .* is being written by process \d+/)
  t.equal(err.trimEnd().split('\n').length, 1, 'one line')
})

t.test('wrong usage: one line and exit code 2', async (t) => {
  const data = t.testdir()
  writeFileSync(join(data, 'bad.json'), '{"crawl": {"delay": -1}}')
  const cases: [string[], RegExp][] = [
    [['--bogus'], /unknown option '--bogus'/],
    [['ftp://example.org/'], /"ftp:\/\/example\.org\/" cannot be crawled/],
    [['--delay', 'soon'], /--delay .*"soon".*whole number/],
    [['--scope', 'galaxy'], /--scope .*"galaxy".*host/],
    [['--seeds', join(data, 'none.txt')], /none\.txt cannot be read/],
    [['--config', join(data, 'bad.json')], /bad\.json sets "crawl\.delay" to -1/],
    [['--user-agent', 'a\nb'], /--user-agent/],
    [['--proxy', 'foo', 'http://example.org/'], /"proxy" is no address of a proxy/],
    [['--scan', '80'], /--scan asks every address of ranges/],
    [['--scan', '80', '--scope', '10.0.0.0/8'], /would ask 16777216 addresses, and at most 4096/],
    [['--scan', 'web', '--scope', '10.0.0.0/24'], /--scan .*"web".*ports/],
  ]
  for (const [args, message] of cases) {
    const { code, out, err } = await inProcess(t, '--data', join(data, 'data'), ...args)
    t.equal(code, 2, args.join(' '))
    t.equal(out, '')
    t.match(err, message)
    t.equal(err.trimEnd().split('\n').length, 1, 'one line')
  }
  t.notOk(readdirSync(data).includes('data'), 'nothing is created')
  const help = await inProcess(t, '--help')
  t.equal(help.code, 0)
  t.match(help.out, /--max-pages <n>/)
})

t.test('table, log file, seeds file, stored pages without an index', async (t) => {
  const site = await serveSite(t, { ...treeSite(2, 1), '/robots.txt': 'User-agent: spindle\nDisallow: /p-1' })
  const dir = t.testdir()
  const data = join(dir, 'data')
  writeFileSync(join(dir, 'seeds.txt'), `# start\n${site.at('/')}\n`)
  const log = join(dir, 'logs', 'crawl.log')
  const args = ['--seeds', join(dir, 'seeds.txt'), '--data', data, '--delay', '0', '--log', log, '--no-index']
  const { code, out, err } = await inProcess(t, ...args)
  t.equal(code, 0, err)
  t.match(out, /^complete +2$/m)
  t.match(out, /^ {2}robots +1 /m)
  t.match(out, /^2 pages \(.*\) in .*pages a second$/m)
  const lines = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(
    lines.find(({ message }) => message === 'skipped'),
    { url: site.at('/p-1'), reason: 'robots' },
  )
  t.equal(readdirSync(join(data, 'index')).length, 0)
  const later = await inProcess(t, '--data', data, '--json')
  t.equal(later.code, 0)
  t.match(
    later.events.find(({ type }) => type === 'commit'),
    { pages: 2, documents: 2 },
    'indexed without fetching',
  )
  t.equal(counts(site).requests, 2)
  await checkIndex(t, data, [site.at('/'), site.at('/p-0')])
  const dead = await serveSite(t, {})
  await dead.close()
  const failed = await inProcess(t, dead.at('/'), '--data', join(dir, 'dead'), '--no-index')
  t.equal(failed.code, 1)
  t.match(failed.err, /does not answer: its robots\.txt could not be fetched \(.*ECONNREFUSED/)
  writeFileSync(join(dir, 'many.txt'), Array.from({ length: 30 }, (_, i) => `http://127.0.1.${i}:9/`).join('\n'))
  const many = await inProcess(t, '--seeds', join(dir, 'many.txt'), '--data', join(dir, 'many'), '--no-index')
  t.equal(many.err.match(/ does not answer: /g)?.length, 10, 'not a line for each of thousands')
  t.match(many.err, /^20 more hosts do not answer: /m)
})

t.test('a reader of the output that goes away is no fault', async (t) => {
  const child = run('--help')
  child.process.stdout?.destroy()
  t.match(await child.done, { code: 0, signal: null, err: '' })
})
