/**
 * Names to addresses, by the system's own resolver (so that /etc/hosts and the names of an intranet count), each name asked
 * once for all connections. The system does not tell how long an answer holds: it is kept for {@link POSITIVE_MS}, and let go
 * as soon as none of its addresses takes a connection. Names without an address are kept, too, or a page with a thousand links
 * to a dead host would ask a thousand times.
 */

import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { systemCode } from '@spindle/core'

/** Asks for all addresses of a name; rejects with the codes of `node:dns`. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** How long addresses are kept, milliseconds. */
export const POSITIVE_MS = 5 * 60_000
/** How long it is kept that a name has no address. */
export const NEGATIVE_MS = 10 * 60_000
/** How long it is kept that the resolver had no answer; the name may be all right. */
export const FAULT_MS = 60_000
/** Addresses of a name that are tried. */
export const MAX_ADDRESSES = 10
/** Code of the error where the resolver does not answer in time. */
export const DNS_TIMEOUT = 'ERR_DNS_TIMEOUT'

/** Settings of a {@link DnsCache}. */
export interface DnsCacheOptions {
  /** default: the system's */
  readonly resolve?: Resolve | undefined
  /** longest wait for an answer, milliseconds */
  readonly timeout: number
  /** clock, milliseconds; default the monotonic one */
  readonly now?: () => number
  /** names kept; default 10,000 */
  readonly maxNames?: number
}

type Answer = { readonly addresses: readonly LookupAddress[] } | { readonly error: Error }

interface Entry {
  readonly answer: Answer
  readonly expires: number
}

/** See the head of this file. */
export class DnsCache {
  readonly #resolve: Resolve
  readonly #timeout: number
  readonly #now: () => number
  readonly #maxNames: number
  readonly #entries = new Map<string, Entry>()
  readonly #asking = new Map<string, Promise<Answer>>()

  constructor({ resolve = askSystem, timeout, now = () => performance.now(), maxNames = 10_000 }: DnsCacheOptions) {
    this.#resolve = resolve
    this.#timeout = timeout
    this.#now = now
    this.#maxNames = maxNames
  }

  /** At most {@link MAX_ADDRESSES} addresses of a name; rejects with the error of the resolver. */
  async addresses(hostname: string): Promise<readonly LookupAddress[]> {
    const entry = this.#entries.get(hostname)
    if (entry !== undefined && this.#now() < entry.expires) return unwrap(entry.answer)
    let asking = this.#asking.get(hostname)
    if (asking === undefined) {
      asking = this.#ask(hostname)
      this.#asking.set(hostname, asking)
    }
    return unwrap(await asking)
  }

  /** Asks again the next time: none of the addresses took a connection. */
  forget(hostname: string): void {
    const entry = this.#entries.get(hostname)
    if (entry !== undefined && 'addresses' in entry.answer) this.#entries.delete(hostname)
  }

  /** As `net.connect` wants it; `allows` chooses among the addresses, `refused` makes the error where none is left. */
  lookup(allows: (address: string) => boolean, refused: (hostname: string) => Error): LookupFunction {
    return (hostname, options, callback) => {
      this.addresses(hostname).then(
        (addresses) => {
          const allowed = addresses.filter(
            ({ address, family }) => allows(address) && (options.family === family || !isFamily(options.family)),
          )
          const [first] = allowed
          if (first === undefined) callback(refused(hostname), '')
          else if (options.all === true) callback(null, allowed)
          else callback(null, first.address, first.family)
        },
        (error: Error) => callback(error, ''),
      )
    }
  }

  async #ask(hostname: string): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined
    const answer = settle(this.#resolve(hostname))
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#timeout)
    })
    const first = await Promise.race([answer, late])
    clearTimeout(timer)
    this.#asking.delete(hostname)
    if (first !== undefined) return this.#keep(hostname, first)
    // What comes in the end is as good for the next one who asks.
    void answer.then((last) => this.#keep(hostname, last))
    return this.#keep(hostname, { error: timeoutError(hostname, this.#timeout) })
  }

  #keep(hostname: string, answer: Answer): Answer {
    const lifetime = 'addresses' in answer ? POSITIVE_MS : isNoAddress(answer.error) ? NEGATIVE_MS : FAULT_MS
    this.#entries.delete(hostname)
    this.#entries.set(hostname, { answer, expires: this.#now() + lifetime })
    if (this.#entries.size > this.#maxNames) {
      const oldest = this.#entries.keys().next()
      if (oldest.done !== true) this.#entries.delete(oldest.value)
    }
    return answer
  }
}

function settle(asked: Promise<readonly LookupAddress[]>): Promise<Answer> {
  return asked.then(
    (all) => ({ addresses: all.slice(0, MAX_ADDRESSES) }),
    (error: Error) => ({ error }),
  )
}

function unwrap(answer: Answer): readonly LookupAddress[] {
  if ('error' in answer) throw answer.error
  return answer.addresses
}

/** The resolver is sure of it. */
function isNoAddress(error: Error): boolean {
  const code = systemCode(error)
  return code === 'ENOTFOUND' || code === 'ENODATA'
}

function isFamily(family: unknown): boolean {
  return family === 4 || family === 6
}

function timeoutError(hostname: string, timeout: number): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`no address for ${hostname} after ${timeout} ms`)
  error.code = DNS_TIMEOUT
  return error
}

const askSystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })
