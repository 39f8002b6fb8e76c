import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { FetchError } from '../fetch/fetch-error.js'
import { Fetcher } from '../fetch/fetcher.js'
import { RobotsCache } from './robots-cache.js'
import { parseRobotsDirectives } from './robots-directives.js'
import { MAX_ROBOTS_BYTES, normalizeRobotsPath, parseRobotsTxt, robotsPath } from './robots-rules.js'
import { WildcardPattern } from './wildcard-pattern.js'

const CONFORMANCE = new URL('../../../../../shared/data/conformance/robots/', import.meta.url)

interface Case {
  readonly id: string
  readonly group: string
  readonly robots: string
  readonly agent: string
  readonly url: string
  readonly allowed: boolean
}

t.test("Google's cases", { skip: existsSync(CONFORMANCE) ? false : 'needs ../shared/data' }, async (t) => {
  const cases: Case[] = JSON.parse(readFileSync(new URL('google.json', CONFORMANCE), 'utf8'))
  t.ok(cases.length > 0)
  for (const { id, group, robots, agent, url, allowed } of cases) {
    t.equal(parseRobotsTxt(robots, agent).isAllowed(url), allowed, `${id} ${group}`)
  }
})

/** Google's tables that are no decisions on an address: names of agents, paths, escapes, lines. */
interface Tables {
  readonly valid_user_agents: readonly { readonly agent: string; readonly valid: boolean }[]
  readonly path_params_query: readonly { readonly url: string; readonly path: string }[]
  readonly escape_pattern: readonly { readonly pattern: string; readonly escaped: string }[]
  readonly parse_stats: readonly {
    readonly name: string
    readonly robots_base64: string
    readonly valid_directives: number
  }[]
}

t.test("Google's tables", { skip: existsSync(CONFORMANCE) ? false : 'needs ../shared/data' }, async (t) => {
  const tables: Tables = JSON.parse(readFileSync(new URL('google-aux.json', CONFORMANCE), 'utf8'))
  for (const { url, path } of tables.path_params_query) t.equal(robotsPath(url), path, `path of "${url}"`)
  for (const { pattern, escaped } of tables.escape_pattern) t.equal(normalizeRobotsPath(pattern), escaped, pattern)
  for (const { agent, valid } of tables.valid_user_agents) {
    // A valid name is one that a group can be for; of another, what stands before its first odd character counts.
    const robots = parseRobotsTxt(`User-agent: ${agent}\nDisallow: /`, agent)
    const isWhole = !robots.isAllowed('http://a.test/') && /^[\w.-]+$/.test(agent)
    t.equal(isWhole, valid, `agent "${agent}"`)
  }
  for (const { name, robots_base64, valid_directives } of tables.parse_stats) {
    const robots = Buffer.from(robots_base64, 'base64')
    const rules = parseRobotsTxt(robots, 'foo')
    if (name.includes('BOM')) {
      // Two lines of which the first or the second may be spoilt: the rule holds for its agent where both can be read.
      const forbidden = robots.toString('latin1').replace('Allow', 'Disallow')
      const isRead = !parseRobotsTxt(Buffer.from(forbidden, 'latin1'), 'foo').isAllowed('http://a.test/AnyValue')
      // A mark before a later line is white space here: files are put together from pieces, and their rules are meant.
      const isMiddle = name === 'kUtf8BOMSomewhereInMiddleOfFile'
      t.equal(isRead, isMiddle || valid_directives === 2, name)
    } else {
      t.equal(rules.isAllowed('http://a.test/x'), true, `${name}: allowed for one`)
      t.equal(parseRobotsTxt(robots, 'bar').isAllowed('http://a.test/x'), false, `${name}: forbidden for the other`)
    }
  }
})

t.test('wildcard patterns agree with regular expressions', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 8 }),
      fc.boolean(),
      fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 10 }),
      (pattern, bound, text) => {
        const expression = new RegExp(`^${pattern.replace(/\*+/g, '.*')}${bound ? '$' : ''}`)
        return WildcardPattern.parse(pattern + (bound ? '$' : '')).matches(text) === expression.test(text)
      },
    ),
    { numRuns: 5000 },
  )
  t.pass('5,000 patterns')
})

/** Cases of crawler-commons that are meant otherwise here, each with the reason. */
const DIFFERENT = new Map<string, string>([
  ['cc-059', 'rules are compared in escaped form (RFC 9309 §2.2.2), theirs are not'],
  ['cc-064', 'addresses are canonical, so escaped; a raw one matches no escaped rule, as with Google'],
  ['cc-134', 'a line names one agent, up to the first blank, as with Google; theirs reads several names'],
  ['cc-135', 'as cc-134'],
  ['cc-212', 'as cc-134'],
  ['cc-190', 'agents are compared as product tokens, not found within a whole User-Agent'],
  ['cc-221', 'a huge Crawl-delay is clamped to two minutes; theirs gives the site up'],
])

t.test('crawler-commons cases', { skip: existsSync(CONFORMANCE) ? false : 'needs ../shared/data' }, async (t) => {
  const cases: Case[] = JSON.parse(readFileSync(new URL('crawler-commons.json', CONFORMANCE), 'utf8'))
  t.ok(cases.length > 0)
  for (const { id, group, robots, agent, url, allowed } of cases) {
    const reason = DIFFERENT.get(id)
    const expected = reason === undefined ? allowed : !allowed
    t.equal(parseRobotsTxt(robots, agent).isAllowed(url), expected, `${id} ${group} ${reason ?? ''}`)
  }
})

t.test('rules', async (t) => {
  const allowed = (robots: string, path: string) =>
    parseRobotsTxt(robots, 'Spindle/1.0').isAllowed(`http://a.test${path}`)
  const longest =
    'User-agent: *\nDisallow: /p\nAllow: /p/open\nDisallow: /*.cgi$\nDisallow: /~me/\nDisallow: /tmp/%7Eyou'
  t.equal(allowed(longest, '/p/x'), false)
  t.equal(allowed(longest, '/p/open/x'), true, 'the longer rule wins')
  t.equal(allowed(longest, '/a/b.cgi'), false, 'a wildcard and an end mark')
  t.equal(allowed(longest, '/a/b.cgi?x'), true)
  t.equal(allowed(longest, '/%7Eme/'), false, '%7E is ~')
  t.equal(allowed(longest, '/tmp/~you'), false, '~ is %7E')
  t.equal(allowed('User-agent: *\nDisallow: /', '/robots.txt'), true, 'robots.txt itself can never be forbidden')
  t.equal(
    allowed('User-agent: *\nDisallow: /\nUser-agent: spindle\nDisallow:', '/x'),
    true,
    'our own group counts alone',
  )
  t.equal(allowed('\ufeffUser-agent: *\rDisallow: /x\r', '/x'), false, 'a mark at the start, CR line ends')
  const utf16 = Buffer.from('\ufeffUser-agent: *\nDisallow: /x', 'utf16le')
  t.equal(parseRobotsTxt(utf16, 'spindle').isAllowed('http://a.test/x'), false)
  t.equal(parseRobotsTxt(Buffer.from(utf16).swap16(), 'spindle').isAllowed('http://a.test/x'), false)
  t.equal(allowed('User-agent: constructor\nDisallow: /\nUser-agent: __proto__\nDisallow: /', '/x'), true)
  t.equal(parseRobotsTxt('User-agent: constructor\nDisallow: /', 'constructor').isAllowed('http://a.test/x'), false)
  t.equal(allowed('<!doctype html><title>Not found</title><p>User-agent: *', '/x'), true, 'a page in its place')

  const delay = (robots: string) => parseRobotsTxt(robots, 'spindle').crawlDelayMs
  t.equal(delay('User-agent: *\nCrawl-delay: 2.5\nDisallow: /x'), 2500)
  t.equal(delay('User-agent: *\nCrawl-delay: -5'), 0)
  t.equal(delay('User-agent: *\nCrawl-delay: 1e99'), 120_000)
  t.equal(delay('User-agent: *\nCrawl-delay: abc'), undefined)
  t.equal(delay('User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /x'), undefined, "not another agent's")
  t.equal(delay('Crawl-delay: 9'), undefined)
  t.strictSame(
    parseRobotsTxt('User-agent: a\nSitemap: http://a.test/1.xml\nDisallow: /\nSITEMAP:http://a.test/2.xml', 'x')
      .sitemaps,
    ['http://a.test/1.xml', 'http://a.test/2.xml'],
  )
})

t.test('hostile files stay cheap', async (t) => {
  const cost = (robots: Buffer | string, url: string): number => {
    const rules = parseRobotsTxt(robots, 'spindle')
    const before = process.cpuUsage()
    rules.isAllowed(url)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const url = `http://a.test/${'a'.repeat(2000)}`
  const rules = `User-agent: *\n${'Disallow: /b\n'.repeat(60_000)}`
  t.ok(cost(rules, url) < 500, 'many rules')
  const different = Array.from({ length: 200_000 }, (_, i) => `Disallow: /${i.toString(36)}`).join('\n')
  t.ok(cost(`User-agent: *\n${different}`, url) < 500, 'many different rules')
  const wild = Array.from({ length: 40_000 }, (_, i) => `Disallow: /*a${i.toString(36)}`).join('\n')
  t.ok(cost(`User-agent: *\n${wild}`, url) < 500, 'many rules with a wildcard')
  const ordinary = `User-agent: *\n${wild.split('\n', 5000).join('\n')}`
  t.equal(parseRobotsTxt(ordinary, 'spindle').isAllowed('http://a.test/news/tod4y.html'), true, 'which still decides')
  t.equal(parseRobotsTxt(ordinary, 'spindle').isAllowed('http://a.test/news/toda4g.html'), false)
  t.ok(cost(`User-agent: *\nDisallow: /${'*a'.repeat(8000)}$`, url) < 500, 'many wildcards in one rule')
  t.ok(
    cost(`User-agent: *\n${`Disallow: /${'*a'.repeat(60)}b\n`.repeat(4000)}`, url) < 400,
    'many wildcards in many rules',
  )
  t.ok(cost(Buffer.alloc(10 << 20, 'Disallow: /'), url) < 500, 'one endless line')
  t.ok(cost(Buffer.alloc(1 << 20), url) < 500, 'NUL bytes')
  const head = `User-agent: *\nDisallow: /first\n${'# comment\n'.repeat(MAX_ROBOTS_BYTES / 10)}Disallow: /last`
  const cut = parseRobotsTxt(Buffer.from(head), 'spindle')
  t.equal(cut.isAllowed('http://a.test/first'), false)
  t.equal(cut.isAllowed('http://a.test/last'), true, 'only the first 500 KiB count')
})

async function serve(
  test: Test,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('the cache', async (t) => {
  let requests = 0
  let status = 200
  let retryAfter: string | undefined
  const origin = await serve(t, (request, response) => {
    requests++
    const hop = /^\/hop(\d)$/.exec(request.url ?? '')
    if (status === 302 && (request.url === '/robots.txt' || hop !== null)) {
      response.writeHead(302, { location: `/hop${Number(hop?.[1] ?? 0) + 1}` }).end()
    } else if (status === 307) {
      response.writeHead(307, { location: request.url === '/robots.txt' ? '/moved' : 'ftp://a.test/' })
      response.end()
    } else if (status === 301 && request.url === '/robots.txt') response.writeHead(301, { location: '/real' }).end()
    else if (status === 308) response.writeHead(308, { location: 'http://no-such-host.invalid/robots.txt' }).end()
    else if (status === 301) response.end('User-agent: *\nDisallow: /moved')
    else if (retryAfter !== undefined) response.writeHead(status, { 'retry-after': retryAfter }).end()
    else setTimeout(() => response.writeHead(status).end('User-agent: *\nDisallow: /private\nCrawl-delay: 3'), 20)
  })
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  let now = 1_000_000
  const cache = new RobotsCache({ fetcher, userAgent: 'Spindle/1.0', now: () => now })
  const all = await Promise.all([cache.rulesFor(origin), cache.rulesFor(origin), cache.rulesFor(origin)])
  t.equal(requests, 1, 'one fetch for all that wait')
  t.equal(all[0], all[2])
  t.equal(all[0]?.status, 'found')
  t.equal(all[0]?.isAllowed(`${origin}/private/x`), false)
  t.equal(all[0]?.isAllowed(`${origin}/public`), true)
  t.equal(all[0]?.crawlDelayMs, 3000)
  now += 23 * 3600_000
  await cache.rulesFor(origin)
  t.equal(requests, 1, 'kept for a day')
  now += 2 * 3600_000
  status = 503
  t.equal((await cache.rulesFor(origin)).isAllowed(`${origin}/private/x`), false)
  t.equal(requests, 2)
  t.equal((await cache.rulesFor(origin)).status, 'found', 'a server in trouble: the last good copy holds')
  t.equal(requests, 2, 'not asked again at once')
  now += 6 * 60_000
  await cache.rulesFor(origin)
  t.equal(requests, 3, 'but after five minutes')
  status = 429
  retryAfter = '3600'
  now += 6 * 60_000
  t.equal((await cache.rulesFor(origin)).status, 'found')
  t.equal(requests, 4)
  now += 50 * 60_000
  await cache.rulesFor(origin)
  t.equal(requests, 4, 'not before the time that Retry-After says')
  now += 11 * 60_000
  await cache.rulesFor(origin)
  t.equal(requests, 5)
  retryAfter = undefined
  now += 31 * 24 * 3600_000
  t.equal((await cache.rulesFor(origin)).status, 'unavailable', 'and not for ever')

  const fresh = async (with_: number) => {
    status = with_
    return await new RobotsCache({ fetcher, userAgent: 'Spindle', now: () => now }).rulesFor(origin)
  }
  for (const missing of [400, 401, 403, 404, 410]) {
    const rules = await fresh(missing)
    t.equal(rules.status, 'none', String(missing))
    t.equal(rules.isAllowed(`${origin}/private/x`), true)
  }
  for (const trouble of [429, 500, 503]) {
    const rules = await fresh(trouble)
    t.equal(rules.status, 'unavailable', String(trouble))
    t.equal(rules.isAllowed(`${origin}/`), false)
    t.equal(rules.isAllowed(`${origin}/robots.txt`), true)
    t.equal(rules.fault, `http-${trouble}`)
    t.equal(rules.retryAfterMs, undefined)
  }
  t.equal((await fresh(301)).isAllowed(`${origin}/moved`), false, 'a redirect is followed')
  requests = 0
  t.equal((await fresh(302)).status, 'none', 'too many redirects: as if it were not there')
  t.equal(requests, 6, 'five were followed')
  t.equal((await fresh(307)).status, 'none', 'a redirect to nowhere')

  t.match((await fresh(308)).fault, /^it leads to http:\/\/no-such-host\.invalid\/robots\.txt: ./)
  const none = new RobotsCache({ fetcher, userAgent: 'Spindle' })
  t.equal((await none.rulesFor('http://no-such-host.invalid')).status, 'unavailable', 'no host')

  const guarded = new Fetcher()
  t.teardown(() => guarded.close())
  requests = 0
  const refused = await new RobotsCache({ fetcher: guarded, userAgent: 'Spindle' }).rulesFor(origin)
  t.equal(refused.status, 'none', 'a host that may not be connected to: its pages say so themselves')
  t.equal(requests, 0)

  status = 200
  const controller = new AbortController()
  const waiting = new RobotsCache({ fetcher, userAgent: 'Spindle' })
  const aborted = waiting.rulesFor(origin, controller.signal)
  const other = waiting.rulesFor(origin, new AbortController().signal)
  controller.abort()
  await t.rejects(aborted, FetchError)
  t.equal((await other).status, 'found', 'the abort of one does not touch the others')
  await t.rejects(waiting.rulesFor('http://other.test', controller.signal), FetchError)
})

t.test('meta robots and X-Robots-Tag', async (t) => {
  const both = (meta: string[], header?: string) => {
    const { index, follow } = parseRobotsDirectives(meta, header, 'spindle')
    return `${index ? 'index' : 'noindex'} ${follow ? 'follow' : 'nofollow'}`
  }
  const cases: [meta: string[], header: string | undefined, outcome: string][] = [
    [[], undefined, 'index follow'],
    [['all'], '', 'index follow'],
    [['NoIndex'], undefined, 'noindex follow'],
    [['nofollow , noarchive'], undefined, 'index nofollow'],
    [['none'], undefined, 'noindex nofollow'],
    [['noindex', 'follow', 'nofollow'], undefined, 'noindex nofollow'],
    [['noindex;nofollow'], undefined, 'noindex nofollow'],
    [['noindexes', 'constructor'], '__proto__', 'index follow'],
    [[], 'NOINDEX, NOFOLLOW', 'noindex nofollow'],
    [[], 'googlebot: noindex, nofollow', 'index follow'],
    [[], 'googlebot: noindex, spindle: nofollow', 'index nofollow'],
    [[], 'Spindle: none', 'noindex nofollow'],
    [[], '*: noindex', 'noindex follow'],
    [[], 'noindex, googlebot: nofollow', 'noindex follow'],
    [[], 'unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT, nofollow', 'index nofollow'],
    [[], 'max-snippet: 50, noindex', 'noindex follow'],
    [['index, follow'], 'noindex', 'noindex follow'],
    [[], 'googlebot: noindex\nnofollow', 'index nofollow'],
    [[], 'unavailable_after: 25 Jun 2010 15:00:00 PST', 'noindex follow'],
    [[], 'unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nofollow', 'noindex nofollow'],
    [[], 'unavailable_after: 2010-06-25T15:00:00Z', 'noindex follow'],
    [[], 'unavailable_after: some day, nofollow', 'index nofollow'],
    [[], 'googlebot: unavailable_after: 25 Jun 2010 15:00:00 GMT', 'index follow'],
    [[], 'spindle: unavailable_after: 25 Jun 2010 15:00:00 GMT', 'noindex follow'],
    [['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT'], undefined, 'noindex follow'],
    [['UNAVAILABLE_AFTER: 25-Jun-2999 15:00:00 EST, nofollow'], undefined, 'index nofollow'],
    [['max-snippet:20 noindex'], undefined, 'index follow'],
    [['max-snippet:20, noindex'], undefined, 'noindex follow'],
  ]
  for (const [meta, header, outcome] of cases) t.equal(both(meta, header), outcome, JSON.stringify([meta, header]))
})
