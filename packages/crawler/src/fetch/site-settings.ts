/**
 * Settings of single sites (`crawl.sites` of the configuration): headers, logins, certificates. Each belongs to one origin,
 * scheme, host and port; nothing of it is ever sent to another one.
 */

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { parseUrl } from '@spindle/core'
import { faultOfSelector, type PageSelectors } from '../parse/page-selectors.js'
import type { LoginSettings } from './login.js'

/** Settings of one origin. */
export interface SiteSettings {
  /** the User-Agent header there; robots.txt is still asked for the spider's own name */
  readonly userAgent?: string | undefined
  /** further request headers, lower-case names */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** user and password of HTTP basic authentication */
  readonly auth?: { readonly user: string; readonly password: string } | undefined
  readonly login?: LoginSettings | undefined
  /** true to take any certificate */
  readonly insecure?: boolean | undefined
  /** further certificate authorities for this origin, PEM */
  readonly ca?: string | undefined
  /** which parts of its pages are their text */
  readonly selectors?: PageSelectors | undefined
}

/** Settings by origin (`https://intranet.example`). */
export type Sites = ReadonlyMap<string, SiteSettings>

/** A wrong setting: where in the object, and what it must be. */
class Wrong extends Error {}

const KEYS = ['userAgent', 'headers', 'auth', 'login', 'insecure', 'ca', 'select', 'ignore']
/** Selectors of one kind. */
const MAX_SELECTORS = 50
/** The HTTP client's own business. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding)$/

/**
 * Reads `sites` as they stand in a configuration file: an object of settings by address. Every text may be
 * `{ "env": "NAME" }` instead, for secrets that are in the environment.
 * @param fail told what is wrong, in words that follow "sets …"
 * @returns undefined where something is
 */
export function parseSites(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  fail: (problem: string) => void = () => {},
): Sites | undefined {
  const sites = new Map<string, SiteSettings>()
  try {
    for (const [address, settings] of Object.entries(object(value, 'sites'))) {
      const where = `sites["${address}"]`
      const url = parseUrl(address)
      if (
        url === undefined ||
        (url.protocol !== 'http:' && url.protocol !== 'https:') ||
        `${url.pathname}${url.search}${url.hash}${url.username}` !== '/'
      ) {
        throw new Wrong(`${where}: the key must be scheme, host and port alone, as in "https://intranet.example/"`)
      }
      if (sites.has(url.origin)) throw new Wrong(`${where} is there twice`)
      sites.set(url.origin, readSite(settings, where, url, env))
    }
    return sites
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    fail(error.message)
    return undefined
  }
}

function readSite(value: unknown, where: string, origin: URL, env: Env): SiteSettings {
  const site = object(value, where, KEYS)
  const secure = origin.protocol === 'https:'
  if (!secure && (site.insecure !== undefined || site.ca !== undefined))
    throw new Wrong(`${where}: "insecure" and "ca" are for https addresses`)
  return {
    userAgent: site.userAgent === undefined ? undefined : userAgent(site.userAgent, `${where}.userAgent`, env),
    headers: site.headers === undefined ? undefined : readHeaders(site.headers, `${where}.headers`, env),
    auth: site.auth === undefined ? undefined : readAuth(site.auth, `${where}.auth`, env),
    login: site.login === undefined ? undefined : readLogin(site.login, `${where}.login`, origin, env),
    insecure: site.insecure === undefined ? undefined : flag(site.insecure, `${where}.insecure`),
    ca: site.ca === undefined ? undefined : readAuthorities(text(site.ca, `${where}.ca`, env), `${where}.ca`),
    selectors:
      site.select === undefined && site.ignore === undefined
        ? undefined
        : { select: selectors(site.select, `${where}.select`), ignore: selectors(site.ignore, `${where}.ignore`) },
  }
}

function readHeaders(value: unknown, where: string, env: Env): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const [given, content] of Object.entries(object(value, where))) {
    const name = given.toLowerCase()
    const at = `${where}["${given}"]`
    if (OWN_HEADERS.test(name)) throw new Wrong(`${at} cannot be set: the spider needs it itself`)
    const line = text(content, at, env)
    try {
      validateHeaderName(name)
      validateHeaderValue(name, line)
    } catch {
      throw new Wrong(`${at} must be a header with one line of text`)
    }
    headers[name] = line
  }
  return headers
}

function userAgent(value: unknown, where: string, env: Env): string {
  const line = text(value, where, env)
  if (!/^[\x20-\x7e]{1,200}$/.test(line)) throw new Wrong(`${where} must be one line of printable ASCII characters`)
  return line
}

function readAuth(value: unknown, where: string, env: Env): { user: string; password: string } {
  const auth = object(value, where, ['user', 'password'])
  const user = text(auth.user, `${where}.user`, env)
  if (user.includes(':')) throw new Wrong(`${where}.user must not contain a colon`)
  return { user, password: text(auth.password, `${where}.password`, env) }
}

function readLogin(value: unknown, where: string, origin: URL, env: Env): LoginSettings {
  const login = object(value, where, ['url', 'fields', 'check', 'loggedOut'])
  const url = parseUrl(text(login.url, `${where}.url`, env), origin.href)
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Wrong(`${where}.url must be the address of the page with the form`)
  if (origin.protocol === 'https:' && url.protocol !== 'https:')
    throw new Wrong(`${where}.url must begin with https: the password would go unencrypted`)
  url.hash = ''
  const fields: Record<string, string> = Object.create(null)
  for (const [name, content] of Object.entries(object(login.fields, `${where}.fields`)))
    fields[name] = text(content, `${where}.fields["${name}"]`, env)
  if (Object.keys(fields).length === 0) throw new Wrong(`${where}.fields must name the fields of the form`)
  const check = login.check === undefined ? {} : object(login.check, `${where}.check`, ['url', 'text'])
  const checkUrl =
    check.url === undefined ? undefined : parseUrl(text(check.url, `${where}.check.url`, env), origin.href)
  if (check.url !== undefined && checkUrl?.origin !== origin.origin)
    throw new Wrong(`${where}.check.url must be a page of ${origin.origin}`)
  return {
    url: url.href,
    fields,
    checkUrl: checkUrl?.href,
    checkText: check.text === undefined ? undefined : text(check.text, `${where}.check.text`, env),
    loggedOutText: login.loggedOut === undefined ? undefined : text(login.loggedOut, `${where}.loggedOut`, env),
  }
}

/** Reads a file of certificate authorities (PEM); `undefined` where `fail` was told what is wrong. */
export function parseAuthorities(path: string, fail: (problem: string) => void = () => {}): string | undefined {
  try {
    return readAuthorities(path, 'ca')
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    fail(error.message)
    return undefined
  }
}

function readAuthorities(path: string, where: string): string {
  try {
    const pem = readFileSync(path, 'utf8')
    const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    for (const certificate of certificates) new X509Certificate(certificate)
    if (certificates.length > 0) return certificates.join('\n')
  } catch (error) {
    throw new Wrong(`${where}: the file ${path} cannot be read (${(error as Error).message})`)
  }
  throw new Wrong(`${where}: the file ${path} holds no certificate (PEM, -----BEGIN CERTIFICATE-----)`)
}

type Env = Readonly<Record<string, string | undefined>>

function object(value: unknown, where: string, keys?: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Wrong(`${where} must be an object`)
  for (const key of keys === undefined ? [] : Object.keys(value)) {
    if (!keys!.includes(key)) throw new Wrong(`${where}.${key} is no setting: choose one of ${keys!.join(', ')}`)
  }
  return value as Record<string, unknown>
}

function text(value: unknown, where: string, env: Env): string {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'object' && value !== null && 'env' in value && Object.keys(value).length === 1) {
    const { env: name } = value
    const content = typeof name === 'string' ? env[name] : undefined
    if (content !== undefined && content !== '') return content
    throw new Wrong(`${where}: the environment variable ${String(name)} is not set`)
  }
  throw new Wrong(`${where} must be a text, or { "env": "NAME" } for one in the environment`)
}

/** A CSS selector or a list of them. */
function selectors(value: unknown, where: string): string[] {
  if (value === undefined) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > MAX_SELECTORS) throw new Wrong(`${where} must have at most ${MAX_SELECTORS} selectors`)
  return list.map((one) => {
    if (typeof one !== 'string') throw new Wrong(`${where} must be a CSS selector, or a list of them`)
    const fault = faultOfSelector(one)
    if (fault !== undefined) throw new Wrong(`${where}: ${JSON.stringify(one.slice(0, 80))} is no selector: ${fault}`)
    return one
  })
}

function flag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw new Wrong(`${where} must be true or false`)
}
