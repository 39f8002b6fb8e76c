/** Logins: forms and basic authentication; sessions that end; what must not leak; the settings of sites. */

import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { LoginSettings } from './login.js'
import { LoginSession } from './login.js'
import { findLoginForm } from './login-form.js'
import { parseAuthorities, parseSites, type Sites } from './site-settings.js'
import { AUTHORITY } from './test-support/certificates.js'
import { failure, fetchError, httpServer, localFetcher, names } from './test-support/servers.js'

const PASSWORD = 'pässword & more'

/** A site whose pages only somebody logged in sees. */
async function intranet(t: Test) {
  const sessions = new Set<string>()
  const seen: string[] = []
  const site = { origin: '', sessions, seen, logins: 0, broken: false, otherAction: '' }
  const read = async (request: IncomingMessage): Promise<URLSearchParams> => {
    let body = ''
    for await (const chunk of request) body += chunk
    return new URLSearchParams(body)
  }
  site.origin = await httpServer(t, async (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const session = /sid=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    const html = (text: string) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text)
    if (site.broken) response.writeHead(503).end()
    else if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow:')
    else if (request.url === '/login' && request.method === 'GET') {
      response.setHeader('set-cookie', 'csrf=c1; Path=/login')
      const fields = '<input name=user><input type=password name=pw><input type=hidden name=token value="t&amp;1">'
      html(
        `<form action="/search"><input name=q></form><form method=post action="${site.otherAction}">${fields}</form>`,
      )
    } else if (request.url === '/login') {
      const form = await read(request)
      const right = form.get('user') === 'me' && form.get('pw') === PASSWORD && form.get('token') === 't&1'
      if (!right || !request.headers.cookie?.includes('csrf=c1'))
        return html('<form><input name=user><input name=pw></form>')
      const id = `s${++site.logins}`
      sessions.add(id)
      response.writeHead(303, { 'set-cookie': `sid=${id}; Path=/`, location: '/home' }).end()
    } else if (request.url === '/open') html('open to all')
    else if (sessions.has(session)) {
      if (request.url === '/forbidden') response.writeHead(401).end()
      else html(`${request.url} 欢迎, <a href=/logout>log out</a>`)
    } else if (request.url?.startsWith('/soft') === true) html('Please log in')
    else if (request.url === '/forbidden') response.writeHead(401).end()
    else response.writeHead(302, { location: '/login?from=x' }).end()
  })
  return site
}

function sitesOf(origin: string, login: Partial<LoginSettings> = {}): Sites {
  const fields = { user: 'me', pw: PASSWORD }
  return new Map([[origin, { login: { url: `${origin}/login`, fields, ...login } }]])
}

t.test('a form is filled in before the first page, and again when the session has ended', async (t) => {
  const site = await intranet(t)
  const lines: string[] = []
  const log = (_level: string, event: string, fields: unknown) => lines.push(`${event} ${JSON.stringify(fields)}`)
  const settings = { checkText: '欢迎', loggedOutText: 'Please log in' }
  const fetcher = localFetcher(t, { sites: sitesOf(site.origin, settings), logger: { log } as never, cookies: false })
  const text = async (path: string) => (await fetcher.fetch(site.origin + path)).body.toString()
  await text('/robots.txt')
  t.strictSame(site.seen, ['GET /robots.txt'], 'robots.txt comes first, by somebody not logged in')
  const pages = await Promise.all(['/a', '/b', '/c'].map(text))
  for (const [i, page] of pages.entries()) t.match(page, `/${'abc'[i]} 欢迎`)
  t.equal(site.logins, 1, 'once for all')
  for (const path of ['/again', '/soft']) {
    site.sessions.clear()
    t.match(await text(path), `${path} 欢迎`, 'logged in anew')
  }
  t.equal(site.logins, 3)
  site.sessions.clear()
  const both = await Promise.all([text('/d'), text('/e')])
  for (const page of both) t.match(page, '欢迎')
  t.equal(site.logins, 4, 'once for both')
  t.strictSame([...new Set(lines)], [`login {"url":"${site.origin}/login"}`])
  t.notMatch(lines.join(), /pässword|sid=/)
})

t.test('a page that nobody may see is no reason to log in for ever', async (t) => {
  const site = await intranet(t)
  const fetcher = localFetcher(t, { sites: sitesOf(site.origin) })
  for (let i = 0; i < 20; i++) t.equal((await fetcher.fetch(`${site.origin}/forbidden`)).status, 401)
  t.ok(site.logins <= 4, `${site.logins} logins`)
  t.match((await fetcher.fetch(`${site.origin}/page`)).body.toString(), '欢迎')
})

t.test('a login that does not work is said, once, and gives nothing away', async (t) => {
  const site = await intranet(t)
  const fails = async (login: Partial<LoginSettings>) => {
    const fetcher = localFetcher(t, { sites: sitesOf(site.origin, login), ...names({}) })
    const before = site.seen.length
    const error = await fetchError(fetcher.fetch(`${site.origin}/a`))
    const { detail } = await fetchError(fetcher.fetch(`${site.origin}/b`))
    t.equal(error.reason, 'login-failed')
    t.equal(detail, error.detail)
    t.notMatch(error.message, /pässword|wrong-secret/)
    t.equal(error.url, `${site.origin}/a`)
    return { detail, posts: site.seen.slice(before).filter((line) => line.startsWith('POST')).length }
  }
  t.match(await fails({ fields: { user: 'me', pw: 'wrong-secret' } }), { detail: /the form comes again/, posts: 1 })
  t.match(await fails({ checkText: 'Willkommen' }), { detail: /does not hold the text/, posts: 1 })
  t.match(await fails({ checkUrl: `${site.origin}/forbidden` }), { detail: /answers 401/, posts: 1 })
  t.match(await fails({ url: `${site.origin}/open`, fields: { x: 'y' }, checkText: '欢迎' }), { posts: 1 })
  site.otherAction = 'http://collector.test/'
  t.match(await fails({}), { detail: /leads to another site \(http:\/\/collector\.test\)/, posts: 0 })
  site.otherAction = ''
  site.broken = true
  t.match(await fails({}), { detail: /did not work/ })
})

t.test('a login at another host gives its cookies for the common domain', async (t) => {
  const seen: string[] = []
  let port = 0
  const origin = await httpServer(t, (request, response) => {
    const { host, cookie = '' } = request.headers
    seen.push(`${request.method} ${host?.split(':', 1)[0]}${request.url} ${cookie}`)
    if (request.method === 'POST') {
      const cookies = ['sso=1; Domain=campus.org; Path=/', 'own=2']
      response.writeHead(303, { 'set-cookie': cookies, location: `http://www.campus.org:${port}/` }).end()
    } else if (host?.startsWith('login.') === true) response.end('no form')
    else response.end(cookie.includes('sso=1') ? 'inside' : 'outside')
  })
  port = Number(new URL(origin).port)
  const hosts = ['www.campus.org', 'login.campus.org', 'docs.campus.org']
  const { resolve } = names(Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']])))
  const url = `http://login.campus.org:${port}/`
  const sites: Sites = new Map([
    [`http://www.campus.org:${port}`, { login: { url, fields: { u: 'me' }, checkText: 'inside' } }],
  ])
  const fetcher = localFetcher(t, { sites, resolve, mayBePrivate: (host) => host.startsWith('docs.') })
  t.equal((await fetcher.fetch(`http://www.campus.org:${port}/page`)).body.toString(), 'inside')
  t.equal((await fetcher.fetch(`http://docs.campus.org:${port}/`)).body.toString(), 'outside', 'another host')
  t.strictSame(seen, [
    'GET login.campus.org/ ',
    'POST login.campus.org/ ',
    'GET www.campus.org/ sso=1',
    'GET www.campus.org/page sso=1',
    'GET docs.campus.org/ ',
  ])
})

t.test('a login that the network broke is tried again later', async (t) => {
  let now = 0
  let asked = 0
  const settings = { url: 'http://site.test/login', fields: { user: 'me' } }
  const { FetchError } = await import('./fetch-error.js')
  const session = new LoginSession(
    'http://site.test',
    settings,
    async (url) => {
      asked++
      throw new FetchError('timeout', url, 'slow', true)
    },
    () => now,
  )
  for (let i = 0; i < 3; i++) t.equal((await failure(session.ready())).reason, 'login-failed')
  t.equal(asked, 1)
  now += 60_000
  t.equal((await failure(session.ready())).reason, 'login-failed')
  t.equal(asked, 2)
})

t.test('basic authentication, headers and the name for a site', async (t) => {
  const seen: IncomingMessage['headers'][] = []
  const origin = await httpServer(t, (request, response) => {
    seen.push(request.headers)
    response.end()
  })
  const auth = { user: 'mé', password: 'pä:ss' }
  const site = { auth, userAgent: 'Mozilla/5.0 (compatible)', headers: { 'accept-language': 'zh', 'x-token': 't' } }
  const fetcher = localFetcher(t, { sites: new Map([[origin, site]]) })
  await fetcher.fetch(`${origin}/`)
  t.match(seen[0], {
    authorization: `Basic ${Buffer.from('mé:pä:ss').toString('base64')}`,
    'user-agent': 'Mozilla/5.0 (compatible)',
    'accept-language': 'zh',
    'x-token': 't',
  })
  t.match(fetcher.userAgent, /^Spindle/, 'robots.txt is asked for the own name')
})

t.test('forms', (t) => {
  const fields = ['user', 'pw']
  const inputs = '<input name=user value=x><input name=pw>'
  const form = (html: string) => {
    const found = findLoginForm(html, fields)
    return found === undefined ? undefined : { action: found.action, ...Object.fromEntries(found.values) }
  }
  t.strictSame(form(`<form action=/go>${inputs}<input type=hidden name=t value=1></form>`), {
    action: '/go',
    user: 'x',
    pw: '',
    t: '1',
  })
  t.strictSame(
    form(`<form>${inputs}<input type=checkbox name=a><input type=checkbox name=b checked>
      <input type=submit name=s value=Go><input type=image name=i><input value=nameless></form>`),
    { action: '', user: 'x', pw: '', b: 'on' },
  )
  t.strictSame(form(`<table><form action=t><tr><td>${inputs}</table>`), { action: 't', user: 'x', pw: '' })
  t.equal(form(inputs), undefined)
  t.equal(form(`<form><input name=user></form><form><input name=pw></form>`), undefined)
  t.equal(form(`<script>'<form>${inputs}</form>'</script>`), undefined)
  t.equal(form(`<!-- <form>${inputs}</form> -->`), undefined)
  t.equal(form(''), undefined)
  t.end()
})

t.test('settings of sites are checked, and every mistake is named', (t) => {
  const env = { PW: 'secret', EMPTY: '' }
  const pem = join(t.testdir({ 'junk.pem': 'junk' }), 'ca.pem')
  writeFileSync(pem, AUTHORITY)
  const login = {
    url: '/login',
    fields: { user: 'me', pw: { env: 'PW' } },
    check: { url: '/home', text: 'x' },
    loggedOut: 'y',
  }
  const sites = parseSites(
    {
      'https://INTRANET.example:443/': { login, insecure: false, ca: pem, userAgent: 'X/1' },
      'http://old.example/': { auth: { user: 'me', password: { env: 'PW' } }, headers: { 'X-A': 'b' } },
    },
    env,
  )
  t.match(sites?.get('https://intranet.example'), {
    login: {
      url: 'https://intranet.example/login',
      fields: { user: 'me', pw: 'secret' },
      checkUrl: 'https://intranet.example/home',
      checkText: 'x',
      loggedOutText: 'y',
    },
    ca: AUTHORITY.trim(),
    insecure: false,
  })
  t.match(sites?.get('http://old.example'), { auth: { user: 'me', password: 'secret' }, headers: { 'x-a': 'b' } })
  const problem = (value: unknown): string => {
    let found = ''
    t.equal(
      parseSites(value, env, (text) => (found = text)),
      undefined,
    )
    return found
  }
  const at = (site: unknown) => problem({ 'https://a.example/': site })
  const cases: [found: string, says: RegExp][] = [
    [problem([]), /^sites must be an object$/],
    [
      problem({ 'https://a.example/path': {} }),
      /"https:\/\/a\.example\/path"\]: the key must be scheme, host and port/,
    ],
    [problem({ 'a.example': {} }), /the key must be/],
    [problem({ 'ftp://a.example/': {} }), /the key must be/],
    [problem({ 'https://me@a.example/': {} }), /the key must be/],
    [problem({ 'https://a.example/': {}, 'https://a.example:443/': {} }), /is there twice/],
    [problem({ 'http://a.example/': { insecure: true } }), /are for https addresses/],
    [at(1), /sites\["https:\/\/a\.example\/"\] must be an object/],
    [at({ pasword: 'x' }), /\.pasword is no setting: choose one of userAgent, headers, auth, login, insecure, ca/],
    [at({ insecure: 'yes' }), /\.insecure must be true or false/],
    [at({ headers: { Host: 'x' } }), /\["Host"\] cannot be set/],
    [at({ headers: { 'x-a': 'b\r\nc: d' } }), /\["x-a"\] must be a header with one line/],
    [at({ headers: { 'x a': 'b' } }), /must be a header/],
    [at({ userAgent: 'a\nb' }), /one line of printable ASCII/],
    [at({ auth: { user: 'a:b', password: 'x' } }), /\.auth\.user must not contain a colon/],
    [at({ auth: { user: 'a' } }), /\.auth\.password must be a text/],
    [at({ auth: { user: 'a', password: { env: 'MISSING' } } }), /the environment variable MISSING is not set/],
    [at({ auth: { user: 'a', password: { env: 'EMPTY' } } }), /EMPTY is not set/],
    [at({ login: { fields: { a: 'b' } } }), /\.login\.url must be a text/],
    [at({ login: { url: 'mailto:x', fields: { a: 'b' } } }), /\.login\.url must be the address of the page/],
    [at({ login: { url: 'http://a.example/', fields: { a: 'b' } } }), /the password would go unencrypted/],
    [at({ login: { url: '/l' } }), /\.login\.fields must be an object/],
    [at({ login: { url: '/l', fields: {} } }), /must name the fields/],
    [at({ login: { url: '/l', fields: { a: 1 } } }), /\.fields\["a"\] must be a text/],
    [
      at({ login: { url: '/l', fields: { a: 'b' }, check: { url: 'https://b.example/' } } }),
      /a page of https:\/\/a\.example/,
    ],
    [at({ ca: 'no-such-file.pem' }), /the file no-such-file\.pem cannot be read/],
    [at({ ca: pem.replace('ca.pem', 'junk.pem') }), /holds no certificate/],
  ]
  for (const [found, says] of cases) {
    t.match(found, says)
    t.notMatch(found, /secret/)
  }
  t.equal(parseAuthorities(pem), AUTHORITY.trim())
  t.end()
})
