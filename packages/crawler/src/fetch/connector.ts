/**
 * Opens connections for the HTTP client: directly or through a tunnel of a proxy, with the addresses of the DNS cache, the
 * address guard on the very address connected to, and the certificates that a site's settings ask for.
 */

import { isIP, type LookupFunction, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { systemCode } from '@spindle/core'
import type { buildConnector as BuildConnector } from 'undici'
import { blockedAddress, isSpecialAddress } from './address-guard.js'
import type { DnsCache } from './dns-cache.js'
import { openTunnel, type ProxyServer } from './proxy.js'
import { buildConnector } from './undici-adapter.js'

/** How the certificate of a host is checked. */
export interface TlsTrust {
  /** true to take any certificate */
  readonly insecure?: boolean | undefined
  /** further authorities (PEM) beside those of Node.js */
  readonly ca?: string | undefined
}

/** Settings of a {@link Connector}. */
export interface ConnectorOptions {
  /** milliseconds to an open connection, TLS included */
  readonly timeout: number
  readonly dns: DnsCache
  /** whether a host (name and port, as `hostKey` gives it) may have any address */
  readonly mayBePrivate: (host: string) => boolean
  /** addresses that other hosts may not have; default {@link isSpecialAddress} */
  readonly refuses?: ((address: string) => boolean) | undefined
  /** authorities (PEM) for all hosts, beside those of Node.js */
  readonly ca?: string | undefined
  /** what differs for an origin */
  readonly trustOf?: ((origin: string) => TlsTrust | undefined) | undefined
  /** true where the hosts are proxies: in TLS their own name counts, not the one of the Host header */
  readonly toProxies?: boolean
  /** the proxy to be asked for a tunnel to an origin */
  readonly proxyFor?: ((origin: string) => ProxyServer | undefined) | undefined
}

/** Code of the error where a server takes the connection and never ends the handshake. */
export const HANDSHAKE_TIMEOUT = 'ERR_TLS_HANDSHAKE_TIMEOUT'

const NOTHING: TlsTrust = {}
const NO_CONNECTION = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'])

/** See the head of this file. */
export class Connector {
  readonly #options: ConnectorOptions
  readonly #refuses: (address: string) => boolean
  readonly #open = new Map<TlsTrust, BuildConnector.connector>()
  readonly #guarded = new Map<TlsTrust, BuildConnector.connector>()
  #proxyTrust: SecureContext | undefined

  constructor(options: ConnectorOptions) {
    this.#options = options
    this.#refuses = options.refuses ?? isSpecialAddress
  }

  /** True where a host is written as an address that it may not have. A literal address is never looked up. */
  isRefused({ host, hostname }: { readonly host: string; readonly hostname: string }): boolean {
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    return isIP(literal) !== 0 && !this.#options.mayBePrivate(host) && this.#refuses(literal)
  }

  /** For undici: calls back with an open (and for https secured) socket. */
  readonly connect: BuildConnector.connector = (options, callback) => {
    const { hostname, protocol, port } = options
    const host = options.host ?? hostname
    if (this.isRefused({ host, hostname })) {
      callback(blockedAddress(hostname), null)
      return
    }
    const secure = protocol === 'https:'
    const origin = `${protocol}//${host}`
    const trust = (secure ? this.#options.trustOf?.(origin) : undefined) ?? NOTHING
    const proxy = secure ? this.#options.proxyFor?.(origin) : undefined
    if (proxy === undefined) {
      const connector = this.#connector(trust, this.#options.mayBePrivate(host))
      let connected = false
      // undici's connector returns its socket, which its types do not say.
      const named = this.#options.toProxies === true ? { ...options, servername: '' } : options
      const socket = connector(named, (...[error, opened]) => {
        if (error === null) callback(null, opened)
        else {
          if (NO_CONNECTION.has(systemCode(error) ?? '')) this.#options.dns.forget(hostname)
          callback(connected && secure ? handshakeError(error, hostname) : error, null)
        }
      }) as unknown as Socket | undefined
      socket?.once('connect', () => {
        connected = true
      })
      return
    }
    const { timeout, ca } = this.#options
    this.#proxyTrust ??= secureContext([ca])
    const tunnel = { timeout, lookup: this.#lookup(true), trust: this.#proxyTrust }
    openTunnel(proxy, `${hostname}:${port || 443}`, tunnel, (error, httpSocket) => {
      if (error !== null || httpSocket === undefined) callback(error ?? new Error('no tunnel'), null)
      else {
        this.#connector(trust, true)({ ...options, httpSocket }, (...[failure, opened]) => {
          if (failure === null) callback(null, opened)
          else callback(handshakeError(failure, hostname), null)
        })
      }
    })
  }

  #connector(trust: TlsTrust, open: boolean): BuildConnector.connector {
    const connectors = open ? this.#open : this.#guarded
    let connector = connectors.get(trust)
    if (connector === undefined) {
      const context = secureContext([this.#options.ca, trust.ca])
      connector = buildConnector({
        timeout: this.#options.timeout,
        lookup: this.#lookup(open),
        ...(context === undefined ? {} : { secureContext: context }),
        ...(trust.insecure === true ? { rejectUnauthorized: false } : {}),
      } as BuildConnector.BuildOptions)
      connectors.set(trust, connector)
    }
    return connector
  }

  #lookup(open: boolean): LookupFunction {
    return this.#options.dns.lookup((address) => open || !this.#refuses(address), blockedAddress)
  }
}

/** Made once, for reading 140 root certificates takes 10 ms; undefined where the usual one will do. */
function secureContext(authorities: readonly (string | undefined)[]): SecureContext | undefined {
  const own = authorities.filter((pem) => pem !== undefined)
  return own.length === 0 ? undefined : createSecureContext({ ca: [...rootCertificates, ...own] })
}

/** A timeout after the connection stood is one of the handshake. */
function handshakeError(error: Error, hostname: string): Error {
  if (systemCode(error) !== 'UND_ERR_CONNECT_TIMEOUT') return error
  const handshake: NodeJS.ErrnoException = new Error(`${hostname} does not end the TLS handshake`)
  handshake.code = HANDSHAKE_TIMEOUT
  return handshake
}
