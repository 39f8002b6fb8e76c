import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { indexPages, until } from '../test-support/site-fixture.js'
import { main } from './main.js'
import { terminalText } from './search.js'
import { namesSeeds } from './start.js'

const MAIN = JSON.stringify(new URL('./main.js', import.meta.url).href)
const RUN = `const { main } = await import(${MAIN}); process.exitCode = await main(process.argv.slice(1))`

/** Without what the test runner puts into the environment of its children: it makes each start slower. */
const CLEAN_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|_?TAP)/.test(name)),
)

interface Run {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly code: Promise<number | null>
}

function spindle(args: readonly string[]): Run {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, '--', ...args], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: CLEAN_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const code = once(child, 'close').then(([status]) => status as number | null)
  t.teardown(() => child.kill('SIGKILL'))
  return { child, out: () => out, err: () => err, code }
}

/** The same in this process: nearly free, for commands that end by themselves. */
async function spindleHere(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' }
  const restore = [process.stdout, process.stderr].map((stream, i) => {
    const write = stream.write
    stream.write = ((text: string | Uint8Array) => {
      texts[i === 0 ? 'out' : 'err'] += String(text)
      return true
    }) as typeof stream.write
    return () => {
      stream.write = write
    }
  })
  try {
    return { code: await main(args), ...texts }
  } finally {
    for (const put of restore) put()
  }
}

/** Processes whose parent is the one given, as far as the system tells. */
async function childrenOf(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid) found.push(Number(name))
  }
  return found
}

async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/\) [ZX] /.test(stat)
}

/** A site of a few linked pages that counts its visits. */
async function smallSite(pages: number, delayMs = 0): Promise<{ server: Server; url: string; visits: () => number }> {
  let visits = 0
  const server = createServer((request, response) => {
    const n = Number(/^\/p(\d+)\.html$/.exec(request.url ?? '')?.[1] ?? (request.url === '/' ? 0 : Number.NaN))
    if (Number.isNaN(n) || n >= pages) {
      response.writeHead(404).end()
      return
    }
    visits++
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    const body = `<!doctype html><html lang="en"><title>Heron page ${n}</title><p>The night heron number ${n}.</p><a href="/p${n + 1}.html">next</a></html>`
    setTimeout(() => response.end(body), delayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, visits: () => visits }
}

t.test('wrong usage is one line and exit code 2', async (t) => {
  const cases = [
    ['serve', '--nonsense'],
    ['search'],
    ['search', ' '],
    ['search', '-foo'],
    ['serve', '--port', '99999'],
    ['search', 'x', '--size', '0'],
    ['serve', '--config', '/nonexistent.json'],
    ['nonsense'],
  ]
  for (const args of cases) {
    const { code, err, out } = await spindleHere(args)
    t.equal(code, 2, args.join(' '))
    t.match(err, /^[^\n]+\n$/, `${args.join(' ')}: ${err}`)
    t.equal(out, '')
  }
  t.match((await spindleHere(['search', '-foo'])).err, 'put -- before them')
  t.equal((await spindleHere(['serve', 'x'])).err.split(':')[0], 'spindle serve')
  t.match((await spindleHere(['search'])).err, /; see spindle search --help\n$/)
  const file = join(t.testdir({ file: 'x' }), 'file')
  for (const args of [['serve', '--port', '0'], ['search', 'x'], ['start']]) {
    const { code, err } = await spindleHere([...args, '--data', file])
    t.equal(code, 1)
    t.equal(err, `${file} is not a folder: name a data folder with --data.\n`)
  }
  const help = await spindleHere(['serve', '--help'])
  t.equal(help.code, 0)
  t.match(help.out, '--port')
})

t.test('search in the terminal', async (t) => {
  const data = t.testdir()
  const missing = await spindleHere(['search', 'silk', '--data', data])
  t.equal(missing.code, 1)
  t.match(missing.err, /^[^\n]+\n$/)
  await indexPages(data, [
    { url: 'http://a.example/1', title: 'Silk \u001b[31m<road>', body: 'raw silk & glass' },
    { url: 'http://a.example/2', title: '', body: 'silk again' },
  ])
  const text = await spindleHere(['search', 'silk', 'road', '--data', data])
  t.equal(text.code, 0)
  t.match(text.out, /1\. Silk \[31m<road>\n {3}http:\/\/a\.example\/1\n {3}raw silk & glass\n/)
  t.match(text.out, /2 results \(\d\.\d{3} s\)/)
  const json = await spindleHere([
    'search',
    'silk',
    '--data',
    data,
    '--json',
    '--size',
    '1',
    '--page',
    '2',
    '--explain',
  ])
  t.equal(json.code, 0)
  t.match(JSON.parse(json.out), { query: 'silk', total: 2, page: 2, size: 1, hits: [{ explanation: /\d/ }] })
  const none = await spindleHere(['search', 'xyzzyx', '--data', data])
  t.equal(none.code, 0)
  t.match(none.out, '0 results')
})

t.test('highlights become terminal text', async (t) => {
  t.equal(terminalText('a <em>b</em> &lt;em&gt; &amp;amp; &#39;&quot;', false), 'a b <em> &amp; \'"')
  t.equal(terminalText('<em>b</em>', true), '\u001b[1mb\u001b[0m')
  t.equal(terminalText('x\u001b]0;evil\u0007y&#27;[2J', false), 'x]0;evily[2J')
})

t.test('serve answers until it is told to stop', async (t) => {
  const data = t.testdir()
  await indexPages(data, [{ url: 'http://a.example/1', title: 'Silk', body: 'silk' }])
  const run = spindle(['serve', '--data', data, '--port', '0'])
  await until(() => /serves http/.test(run.out()), 'the server', 60_000)
  const url = /http:\S+/.exec(run.out())![0]
  const answer = (await (await fetch(`${url}api/v1/search?q=silk`)).json()) as { total: number }
  t.equal(answer.total, 1)
  const taken = await spindleHere(['serve', '--data', data, '--port', new URL(url).port])
  t.equal(taken.code, 1)
  t.match(taken.err, /^Port \d+ on 127\.0\.0\.1 is taken[^\n]+\n$/)
  t.equal(run.err(), '')
  // whoever read the output leaves, and then something is to be said
  for (const stream of [run.child.stdout!, run.child.stderr!]) stream.destroy()
  for (const name of await readdir(join(data, 'index'))) await rm(join(data, 'index', name))
  const state = async () => ((await (await fetch(`${url}healthz`)).json()) as { status: string }).status
  await until(async () => (await state()) === 'degraded', 'the loss to be seen')
  t.equal(((await (await fetch(`${url}api/v1/search?q=silk`)).json()) as { total: number }).total, 1)
  run.child.kill('SIGTERM')
  t.equal(await run.code, 0)
})

t.test('which arguments of start name a site', async (t) => {
  t.equal(namesSeeds([]), false)
  t.equal(namesSeeds(['--depth', '2']), false)
  t.equal(namesSeeds(['https://example.org/']), true)
  t.equal(namesSeeds(['--depth', '2', 'https://example.org/']), true)
  t.equal(namesSeeds(['example.org']), true)
  t.equal(namesSeeds(['--seeds', 'x.txt']), true)
})

t.test(
  'start crawls and serves at the same time, and not twice',
  { skip: process.platform === 'win32' && 'signals' },
  async (t) => {
    const site = await smallSite(8)
    const data = t.testdir()
    const args = ['start', site.url, '--data', data, '--port', '0', '--delay', '0']
    const first = spindle(args)
    await until(() => first.out().includes('Spindle is ready: '), `readiness: ${first.err()}`, 60_000)
    const url = /ready: (http:\S+)/.exec(first.out())![1]!
    await until(() => first.out().includes('Serving '), `the end of the crawl: ${first.err()}`, 60_000)
    const answer = (await (await fetch(`${url}api/v1/search?q=heron`)).json()) as { total: number }
    t.equal(answer.total, 8)
    t.match(first.out(), /complete +8/)
    t.notMatch(await (await fetch(url)).text(), 'still at work', 'a crawl that has ended is not shown as running')
    t.same(await childrenOf(first.child.pid!), [])
    first.child.kill('SIGINT')
    t.equal(await first.code, 0)
    t.equal(site.visits(), 8)

    const second = spindle(args)
    await until(() => second.out().includes('Serving '), `the second run: ${second.err()}`, 60_000)
    t.match(second.out(), /^Spindle is ready: /, 'it is ready before anything else')
    t.equal(site.visits(), 8, 'nothing is fetched again')
    second.child.kill('SIGTERM')
    t.equal(await second.code, 0)
  },
)

t.test('start that cannot do its job says so and ends', async (t) => {
  const site = await smallSite(1)
  const folder = t.testdir()
  const start = (name: string, url: string, ...rest: string[]) =>
    spindleHere(['start', url, '--data', join(folder, name), ...rest])
  const busy = await start('busy', site.url, '--port', new URL(site.url).port)
  t.equal(busy.code, 1)
  t.match(busy.err, /^Port \d+ on 127\.0\.0\.1 is taken[^\n]+\n$/)
  t.equal(busy.out, '')
  t.equal(site.visits(), 0)
  for (const [args, message] of [
    [['--nonsense'], /^spindle crawl: unknown option [^\n]+\n$/],
    [['--depth', 'x'], /^spindle crawl: The flag --depth [^\n]+\n$/],
    [['ftp://a.example/'], /^spindle crawl: "ftp:[^\n]+\n$/],
  ] as const) {
    const wrong = await start('wrong', site.url, '--port', '0', ...args)
    t.equal(wrong.code, 2)
    t.match(wrong.err, message)
    t.equal(wrong.out, '', 'no page is opened for it')
  }
  t.notOk((await readdir(folder)).includes('wrong'), 'and nothing is created')
  await new Promise((resolve) => site.server.close(resolve))
  const vain = await start('vain', site.url, '--port', '0', '--delay', '0')
  t.equal(vain.code, 1)
  t.match(vain.err, 'The crawl failed')
})

t.test(
  'the crawl never outlives start, and start outlives it',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    const site = await smallSite(100_000, 20)
    const data = t.testdir()
    const begin = async () => {
      const before = site.visits()
      const run = spindle(['start', site.url, '--data', data, '--port', '0', '--delay', '0'])
      await until(() => site.visits() > before + 5, `the crawl: ${run.err()}`, 60_000)
      const [crawl] = await childrenOf(run.child.pid!)
      t.ok(crawl !== undefined && (await runs(crawl)))
      return { run, crawl: crawl! }
    }
    const first = await begin()
    await until(() => first.run.out().includes('is ready: '), 'the first pages', 60_000)
    process.kill(first.crawl, 'SIGKILL')
    await until(() => first.run.out().includes('Serving '), `the news: ${first.run.err()}`, 60_000)
    t.match(first.run.err(), /ended by the signal SIGKILL.*the same command goes on/)
    const url = /ready: (http:\S+)/.exec(first.run.out())![1]!
    t.equal((await fetch(`${url}api/v1/search?q=heron`)).status, 200)
    t.match(await (await fetch(`${url}healthz`)).json(), { crawl: null })
    first.run.child.kill('SIGTERM')
    t.equal(await first.run.code, 0)

    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const { run, crawl } = await begin()
      const start = performance.now()
      run.child.kill(signal)
      const code = await run.code
      if (signal === 'SIGINT') t.equal(code, 130)
      await until(async () => !(await runs(crawl)), `the end of the crawl after ${signal}`, 30_000)
      t.ok(performance.now() - start < 10_000, `${signal}: ${(performance.now() - start).toFixed(0)} ms`)
    }
  },
)
