/**
 * Which network addresses the spider may connect to. A page on the web can link or redirect to http://127.0.0.1/ or to a name
 * that resolves there, and so make the spider read what only this machine or its network can see. Loopback, private, link-local
 * and other special addresses are therefore refused, but for hosts that the user named.
 * The check is made where the connection is made (`connector.ts`), on the very address connected to: a name cannot resolve to
 * something else later.
 */

import { BlockList, isIP, isIPv4 } from 'node:net'

/** Code of the error for a refused address. */
export const BLOCKED_ADDRESS = 'ERR_BLOCKED_ADDRESS'

const special = new BlockList()
// IANA special-purpose registries for IPv4 and IPv6: everything that is not globally reachable, and multicast
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  // IPv4 addresses as translators write them, and the translators of one's own network (RFC 7915, RFC 8215)
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  special.addSubnet(network, prefix, 'ipv6')
}

/** True for an IP address that is not one of the public internet; also for IPv6 forms that stand for such an IPv4 address. */
export function isSpecialAddress(address: string): boolean {
  if (isIPv4(address)) return special.check(address, 'ipv4')
  const groups = expand(address)
  if (groups === undefined) return true
  if (special.check(address.split('%', 1)[0]!, 'ipv6')) return true
  const embedded = embeddedIPv4(groups)
  return embedded !== undefined && special.check(embedded, 'ipv4')
}

/** The IPv4 address within a mapped, compatible, NAT64 or 6to4 address. */
function embeddedIPv4(groups: readonly number[]): string | undefined {
  const [first, second] = groups as [number, number]
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  let high: number | undefined
  let low: number | undefined
  const mapped = zeros(0, 5) && (groups[5] === 0xffff || groups[5] === 0)
  const nat64 = first === 0x64 && second === 0xff9b && zeros(2, 6)
  if (mapped || nat64) [high, low] = [groups[6], groups[7]]
  else if (first === 0x2002) [high, low] = [second, groups[2]]
  if (high === undefined || low === undefined) return undefined
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`
}

/** The eight groups of an IPv6 address, or undefined where it is none. */
function expand(address: string): number[] | undefined {
  let text = address.split('%', 1)[0]!
  if (isIP(text) !== 6) return undefined
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number]
    text = `${text.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const [head = '', tail] = text.split('::', 2)
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const before = groups(head)
  if (tail === undefined) return before
  const after = groups(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** The error for a host whose address is refused. */
export function blockedAddress(hostname: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${hostname} is an address of this machine or a private network`)
  error.code = BLOCKED_ADDRESS
  return error
}
