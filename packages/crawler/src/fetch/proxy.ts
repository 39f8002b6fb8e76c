/**
 * Which requests go through a proxy, and the tunnel for TLS. `http:` addresses are asked of the proxy itself; for `https:` it is
 * asked for a tunnel (CONNECT), in which the spider speaks TLS with the server and checks its certificate as ever.
 * Names are resolved by the proxy, so the address guard sees only addresses that are written as numbers. This machine is always
 * asked directly: a proxy would not reach it.
 */

import { request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { parseUrl, SpindleError } from '@spindle/core'

/** A proxy. */
export interface ProxyServer {
  /** `http://example.org:3128`, without user and password */
  readonly origin: string
  /** value of Proxy-Authorization */
  readonly authorization: string | undefined
}

/** Where the settings of proxies come from. */
export interface ProxySettings {
  /** address of the proxy for everything; `none`: no proxy, whatever the environment says; undefined: as the environment says */
  readonly proxy?: string | undefined
  /** hosts asked directly, in the form of NO_PROXY; undefined: as the environment says */
  readonly noProxy?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Code of the error where a proxy makes no tunnel. */
export const PROXY_REFUSED = 'ERR_PROXY_REFUSED'

/** Tells for each address whether a proxy is asked. */
export class ProxyRules {
  readonly #http: ProxyServer | undefined
  readonly #https: ProxyServer | undefined
  readonly #direct: DirectHosts

  private constructor(http: ProxyServer | undefined, https: ProxyServer | undefined, direct: DirectHosts) {
    this.#http = http
    this.#https = https
    this.#direct = direct
  }

  /**
   * The rules, or undefined where there is no proxy. Of the environment HTTP_PROXY, HTTPS_PROXY and NO_PROXY count, in upper or
   * lower case.
   * @throws SpindleError `CONFIG_INVALID` for something that is no address of a proxy
   */
  static from({ proxy, noProxy, env = {} }: ProxySettings): ProxyRules | undefined {
    if (proxy === 'none') return undefined
    const variable = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined
    const find = (name: string) => {
      if (proxy !== undefined) return readProxy(proxy, 'The setting "proxy"')
      const value = variable(name)
      return value === undefined ? undefined : readProxy(value, `The environment variable ${name}`, true)
    }
    const http = find('HTTP_PROXY')
    const https = find('HTTPS_PROXY')
    if (http === undefined && https === undefined) return undefined
    return new ProxyRules(http, https, new DirectHosts(noProxy ?? variable('NO_PROXY') ?? ''))
  }

  /** The proxy for an http(s) address; undefined where its host is asked directly. */
  proxyFor(url: URL): ProxyServer | undefined {
    const proxy = url.protocol === 'https:' ? this.#https : this.#http
    return proxy === undefined || this.#direct.has(url) ? undefined : proxy
  }
}

/** The list of NO_PROXY: names (with all below them), `host:port`, addresses, networks (`10.0.0.0/8`), `*`. */
class DirectHosts {
  readonly #all: boolean
  readonly #names: string[] = []
  readonly #networks = new BlockList()

  constructor(list: string) {
    const entries = list.split(/[\s,]+/).filter((entry) => entry !== '')
    this.#all = entries.includes('*')
    for (const entry of entries) {
      const [address = '', prefix] = entry.replace(/[[\]]/g, '').split('/', 2)
      const family = isIP(address)
      if (family === 0) this.#names.push(entry.toLowerCase().replace(/^\*?\./, ''))
      else {
        const bits = family === 4 ? 32 : 128
        const length = prefix === undefined ? bits : Number(prefix)
        if (Number.isInteger(length) && length >= 0 && length <= bits)
          this.#networks.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
      }
    }
    this.#networks.addSubnet('127.0.0.0', 8)
    this.#networks.addAddress('::1', 'ipv6')
  }

  has({ hostname, port, protocol }: URL): boolean {
    if (this.#all) return true
    const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const family = isIP(name)
    if (family !== 0) return this.#networks.check(name, family === 4 ? 'ipv4' : 'ipv6')
    if (name === 'localhost' || name.endsWith('.localhost')) return true
    const withPort = `${name}:${port || (protocol === 'https:' ? 443 : 80)}`
    return this.#names.some((entry) => {
      const host = entry.includes(':') ? withPort : name
      return host === entry || host.endsWith(`.${entry}`)
    })
  }
}

function readProxy(text: string, where: string, isFromElsewhere = false): ProxyServer {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const url = parseUrl(hasScheme ? text : `http://${text}`)
  // A bare word is a slip rather than a host. The environment is other programs' as well, and some of them take it.
  const isWhole = hasScheme || isFromElsewhere || /^[^/\s]+:\d+\/?$/.test(text)
  if (!isWhole || url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new SpindleError(
      'CONFIG_INVALID',
      `${where} is no address of a proxy: give one as in http://example.org:3128, or none.`,
    )
  }
  const { origin, username, password } = url
  if (username === '' && password === '') return { origin, authorization: undefined }
  const credentials = `${decode(username)}:${decode(password)}`
  return { origin, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Asks a proxy for a connection to a host.
 * @param target host and port (`example.org:443`)
 * @param timeout milliseconds until the tunnel stands
 * @param trust authorities for a proxy that speaks TLS itself
 */
export function openTunnel(
  proxy: ProxyServer,
  target: string,
  { timeout, lookup, trust }: { timeout: number; lookup: LookupFunction; trust: SecureContext | undefined },
  callback: (error: Error | null, socket: Socket | undefined) => void,
): void {
  const { hostname, port, protocol } = new URL(proxy.origin)
  const secure = protocol === 'https:'
  const request = (secure ? secureRequest() : httpRequest)({
    method: 'CONNECT',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? 443 : 80),
    path: target,
    headers: {
      host: target,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    agent: false,
    lookup,
    ...(secure && trust !== undefined ? { secureContext: trust } : {}),
  })
  const timer = setTimeout(() => request.destroy(refused(`the proxy makes no connection in ${timeout} ms`)), timeout)
  let done = false
  const end = (error: Error | null, socket?: Socket): void => {
    clearTimeout(timer)
    if (done) return
    done = true
    callback(error, socket)
  }
  request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head)
      end(null, socket)
      return
    }
    socket.on('error', () => {}).destroy()
    end(refused(proxyAnswer(statusCode)))
  })
  request.once('response', (response) => {
    response.destroy()
    end(refused(proxyAnswer(response.statusCode ?? 0)))
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    end(error.code === PROXY_REFUSED ? error : refused(`the proxy cannot be reached: ${error.message || error.code}`))
  })
  request.end()
}

/** Loaded where it is needed. */
function secureRequest(): typeof httpRequest {
  return (createRequire(import.meta.url)('node:https') as { request: typeof httpRequest }).request
}

/** What an answer of the proxy itself means. */
export function proxyAnswer(status: number): string {
  return status === 407 ? 'the proxy wants a user and a password' : `the proxy answers ${status}`
}

function refused(message: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(message)
  error.code = PROXY_REFUSED
  return error
}
