/** `spindle crawl` with settings of sites, from the configuration file to the server. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { loadConfig } from '@spindle/core'
import t, { type Test } from 'tap'
import { page, serveSite } from '../test-support/test-site.js'
import { type CrawlConfig, crawlOptions } from './crawl-config.js'
import { toFetchOptions } from './fetch-config.js'

const ENTRY = `
  import { main } from ${JSON.stringify(new URL('./main.js', import.meta.url).href)}
  process.exitCode = await main(['crawl', ...process.argv.slice(1)])
`

/** Runs the command with a configuration. */
async function crawl(t: Test, config: unknown, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const folder = t.testdir({})
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify({ crawl: config }))
  const common = [
    '--config',
    file,
    '--data',
    join(folder, 'data'),
    '--no-index',
    '--delay',
    '0',
    '--log',
    join(folder, 'log'),
  ]
  const child = spawn(process.execPath, ['--input-type=module', '-e', ENTRY, '--', ...common, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, said, log: join(folder, 'log') }
}

/** A site that wants a name, a password and a header. */
function guardedSite(t: Test) {
  const seen: string[] = []
  const guarded = (text: string) => (request: IncomingMessage, response: ServerResponse) => {
    const { cookie = '', 'x-key': key = '' } = request.headers
    seen.push(`${request.url} ${String(key)}`)
    if (cookie.includes('sid=1')) response.writeHead(200, { 'content-type': 'text/html' }).end(text)
    else response.writeHead(302, { location: '/login' }).end()
  }
  const login = (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (body !== 'user=me&pw=s3cret') response.end('<form method=post><input name=user><input name=pw></form>')
      else response.writeHead(303, { 'set-cookie': 'sid=1', location: '/' }).end()
    })
  }
  return serveSite(t, { '/': guarded(page('Home', ['/a'])), '/a': guarded(page('A')), '/login': login }).then(
    (site) => ({
      site,
      seen,
    }),
  )
}

t.test('a site behind a form, with the password from the environment', async (t) => {
  const { site, seen } = await guardedSite(t)
  const login = { url: '/login', fields: { user: 'me', pw: { env: 'SITE_PASSWORD' } } }
  const config = { sites: { [`${site.origin}/`]: { login, headers: { 'X-Key': 'k' } } }, bandwidth: '2M' }
  const { code, said, log } = await crawl(t, config, [site.at('/')], { SITE_PASSWORD: 's3cret' })
  t.equal(code, 0, said)
  t.match(said, /2 complete|complete\s+2/, said)
  t.strictSame(new Set(seen), new Set(['/ k', '/a k']))
  const lines = readFileSync(log, 'utf8')
  t.match(lines, '"login"')
  t.notMatch(lines + said, /s3cret|sid=/)
})

t.test('a wrong password ends in a sentence, and loses no address', async (t) => {
  const { site } = await guardedSite(t)
  const login = { url: '/login', fields: { user: 'me', pw: 'wrong-pw' } }
  const { code, said } = await crawl(t, { sites: { [`${site.origin}/`]: { login } } }, [site.at('/')])
  t.equal(code, 1)
  t.match(said, `the login to ${site.origin} did not work: the form comes again`)
  t.match(said, '1 address is waiting')
  t.notMatch(said, /wrong-pw/)
  t.equal(site.paths().filter((path) => path === '/login').length, 2, 'the form, and one try')
})

t.test('mistakes are named with their place', async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'config.json')
  const load = async (config: unknown, flags: Record<string, unknown> = {}): Promise<unknown> => {
    writeFileSync(file, JSON.stringify({ crawl: config }))
    return toFetchOptions(await loadConfig<CrawlConfig>(crawlOptions, { file, flags, env: {}, section: 'crawl' }))
  }
  const missing = { auth: { user: 'x', password: { env: 'NOT_SET_PW' } } }
  const cases: [config: unknown, flags: Record<string, unknown>, says: string][] = [
    [{ sites: { 'https://a.test/': missing } }, {}, 'NOT_SET_PW is not set'],
    [
      { sites: { 'https://a.test/': { select: 'p:nth-child(2)' } } },
      {},
      'select: "p:nth-child(2)" is no selector: :nth-child',
    ],
    [{ sites: { 'https://a.test/': { ignore: ['.a', 'b + c'] } } }, {}, 'ignore: "b + c" is no selector: adjacent'],
    [{ sites: { 'https://a.test/': { ignore: '.a[' } } }, {}, 'ignore: ".a[" is no selector: '],
    [{ sites: { 'https://a.test/': { ignore: '' } } }, {}, 'ignore: "" is no selector: must be 1 to 500'],
    [{ sites: { 'https://a.test/': { select: 5 } } }, {}, 'select must be a CSS selector, or a list of them'],
    [
      { sites: { 'a.test': {} } },
      {},
      `The configuration file ${file} has a mistake in "crawl.sites": sites["a.test"]: the key`,
    ],
    [{ sites: { 'https://a.test/': { logn: {} } } }, {}, '.logn is no setting'],
    [{ sites: 'junk' }, {}, 'sites must be an object'],
    [{ ca: 'missing.pem' }, {}, 'the file missing.pem cannot be read'],
    [{ ca: 1 }, {}, 'sets "crawl.ca" to 1, which must be the path of a file'],
    [{ cookies: 'maybe' }, {}, 'must be true or false'],
    [{}, { bandwidth: 'fast' }, '--bandwidth sets "bandwidth" to "fast", which must be bytes a second'],
    [{}, { proxy: 'socks5://p.test' }, 'is no address of a proxy'],
    [
      {},
      { proxy: 'foo' },
      'The setting "proxy" is no address of a proxy: give one as in http://example.org:3128, or none.',
    ],
    [{}, { proxy: 'foo/bar:1/' }, 'is no address of a proxy'],
  ]
  for (const [config, flags, says] of cases) {
    const { code, message } = await load(config, flags).then(
      () => ({ code: '', message: '' }),
      (error: { code: string; message: string }) => error,
    )
    t.equal(code, 'CONFIG_INVALID', says)
    t.match(message, says)
    t.notMatch(message, '\n')
  }
  t.match(await load({ bandwidth: 1000, sites: { 'https://a.test/': {} } }, { proxy: 'p.test:1' }), {
    bandwidth: 1000,
    cookies: true,
  })
})

t.test('a folder', async (t) => {
  let docs = ''
  await t.test('site', async (t) => {
    docs = t.testdir({ 'index.html': page('Home', ['b.html']), 'b.html': page('B') })
    await t.test('crawl', async (t) => {
      const { code, said } = await crawl(t, {}, [docs])
      t.equal(code, 0, said)
      t.match(said, '2 pages')
    })
  })
})
