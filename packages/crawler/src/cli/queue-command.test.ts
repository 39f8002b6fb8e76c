import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Crawl } from '../crawl.js'
import { runCommand } from '../test-support/run-command.js'
import { page, serveSite } from '../test-support/test-site.js'
import { openLogFile } from './log-file.js'

const queue = (...args: string[]) => runCommand('queue', ...args)

t.test('queues can be looked at while the crawl runs, and after it', async (t) => {
  let answer = (): void => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  let release = (): void => {}
  const site = await serveSite(t, {
    '/': page('Home', [
      '/hangs',
      '/none',
      '/large',
      '/a',
      '/b',
      '/c',
      'http://elsewhere.example/',
      'http://other.example/x',
    ]),
    '/hangs': (_request, response) => {
      release = () => void response.end('late')
      answer()
    },
    '/large': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<title>large</title>${'<p>many words</p>'.repeat(800_000)}`)
    },
    ...Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, page(path)])),
  })
  const data = join(t.testdir(), 'data')
  const log = await openLogFile(join(t.testdirName, 'crawl.log'))
  t.match(await queue('--data', data), { code: 1, err: /^spindle queue: There is no crawl in .*\n$/ })
  const crawl = await Crawl.open({ data, index: false })
  const running = crawl.run({ seeds: [site.at('/')], delay: 0, concurrency: 1, logger: log.logger })
  await asked
  // The running addresses are written down a moment later.
  let shown = await queue('running', '--data', data, '--json')
  for (let i = 0; i < 100 && shown.lines.length === 0; i++) shown = await queue('running', '--data', data, '--json')
  t.match(shown.objects, [{ url: site.at('/hangs'), queue: 'running', depth: 1, referrer: site.at('/') }])
  t.match((await queue('--data', data, '--json')).objects, [
    { generation: 1, pages: 1, waiting: 5, running: 1, complete: 1, error: 0, reasons: { skipped: { 'off-host': 2 } } },
  ])
  const waiting = await queue('waiting', '--data', data, '--limit', '2')
  t.same(
    waiting.lines,
    ['/none', '/large'].map((path) => `depth 1  ${site.at(path)}  (found at ${site.at('/')})`),
  )
  t.match(waiting.err, `--after '${site.at('/large')}'`)
  t.match((await queue('waiting', '--data', data, '--after', site.at('/large'), '--json')).objects, [
    { url: site.at('/a') },
    { url: site.at('/b') },
    { url: site.at('/c') },
  ])
  t.same((await queue('waiting', '--data', data, '--host', 'elsewhere.example')).lines, [])
  t.match((await queue('skipped', '--data', data, '--reason', 'off-host', '--host', 'other.example')).lines, [
    /^off-host {7}http:\/\/other.example\/x {2}\(found at /,
  ])
  release()
  t.equal((await running).reason, 'finished')
  await crawl.close()
  await log.close()
  t.same((await queue('running', '--data', data)).lines, [])
  t.match((await queue('complete', '--data', data, '--reason', 'oversize')).lines, [
    new RegExp(` 200 oversize {7}${site.at('/large')} `),
  ])
  t.match((await queue('error', '--data', data, '--json')).objects, [
    { url: site.at('/none'), disposition: 'http-404' },
  ])
  const summary = await queue('--data', data)
  t.match(summary.lines, [
    /^crawl 1, 6 pages$/,
    /^waiting +0$/,
    /^running +0$/,
    /^complete +6$/,
    /^ {2}fetched +5$/,
    /^ {2}oversize +1$/,
  ])
  t.match(await queue('full', '--data', data), { code: 2, err: /no queue "full": choose one of waiting, running/ })
  t.match(await queue('waiting', '--data', data, '--limit', 'x'), { code: 2 })

  const lines = readFileSync(join(t.testdirName, 'crawl.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const steps = lines.filter(({ url }) => url === site.at('/a'))
  t.match(steps, [
    { message: 'queued', depth: 1, referrer: site.at('/') },
    { message: 'verify' },
    { message: 'process', tries: 1 },
    { message: 'fetched', disposition: 'fetched' },
  ])
  for (const { time } of steps) t.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const stats = lines.filter(({ message }) => message === 'stats')
  t.match(stats[stats.length - 1], {
    crawled: 7,
    toCrawl: 0,
    maxPages: null,
    pages: 6,
    errors: 1,
    offHost: 2,
    oversize: 1,
  })
})
