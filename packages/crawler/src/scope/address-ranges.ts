/**
 * Ranges of IP addresses (`10.20.0.0/16`, `2001:db8::/32`, a single address), as a scope: the hosts that lie in them.
 * A host that is an address is compared at once. A name is looked up once: it lies in the ranges where all its addresses of
 * the families that the ranges speak of do. A name that cannot be looked up is let through; its fetch then says what is wrong.
 */
import { lookup as dnsLookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Finds the addresses of a name. */
export type LookUp = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** Names whose answer is remembered. */
const MAX_NAMES = 10_000

/** See the head of this file. */
export class AddressRanges {
  readonly #list = new BlockList()
  readonly #families = new Set<number>()
  readonly #lookUp: LookUp
  readonly #names = new Map<string, Promise<boolean>>()

  /** @param ranges as {@link parseRange} accepts them */
  constructor(ranges: Iterable<string>, lookUp: LookUp = (name) => dnsLookup(name, { all: true })) {
    this.#lookUp = lookUp
    for (const text of ranges) {
      const range = parseRange(text)
      if (range === undefined) continue
      this.#list.addSubnet(range.network, range.prefix, range.family === 4 ? 'ipv4' : 'ipv6')
      this.#families.add(range.family)
    }
  }

  /** True for an address within the ranges. */
  contains(address: string): boolean {
    const family = isIP(address)
    return family !== 0 && this.#list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }

  /** Whether a host (no port, no brackets) lies in the ranges; undefined for a name, which must be looked up. */
  containsLiteral(host: string): boolean | undefined {
    return isIP(host) === 0 ? undefined : this.contains(host)
  }

  /** Whether a host lies in the ranges. */
  containsHost(host: string): Promise<boolean> {
    const literal = this.containsLiteral(host)
    if (literal !== undefined) return Promise.resolve(literal)
    let answer = this.#names.get(host)
    if (answer === undefined) {
      answer = this.#ask(host)
      if (this.#names.size >= MAX_NAMES) this.#names.delete(this.#names.keys().next().value!)
      this.#names.set(host, answer)
    }
    return answer
  }

  async #ask(name: string): Promise<boolean> {
    let found: Awaited<ReturnType<LookUp>>
    try {
      found = await this.#lookUp(name)
    } catch {
      this.#names.delete(name)
      return true
    }
    const relevant = found.filter(({ family }) => this.#families.has(family))
    return relevant.length > 0 && relevant.every(({ address }) => this.contains(address))
  }
}

/** A range as written: `address` or `address/bits`; undefined where it is none. */
export function parseRange(text: string): { network: string; prefix: number; family: 4 | 6 } | undefined {
  const [network = '', bits, ...rest] = text.trim().split('/')
  const family = isIP(network)
  if ((family !== 4 && family !== 6) || rest.length > 0 || network.includes('%')) return undefined
  const most = family === 4 ? 32 : 128
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return undefined
  const prefix = bits === undefined ? most : Number(bits)
  return prefix > most ? undefined : { network, prefix, family }
}
