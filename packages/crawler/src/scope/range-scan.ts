/**
 * Every address of some ranges as a start address, for networks whose sites nobody has listed. Bounded, and only when asked for:
 * most of the addresses answer nothing, and each is asked once a crawl.
 */
import { isIPv6 } from 'node:net'
import { AddressRanges, parseRange } from './address-ranges.js'

/** Start addresses of a scan. */
export const MAX_SCANNED = 4096

/** What is scanned. */
export interface RangeScan {
  /** As `parseRange` of address-ranges.ts accepts them. */
  readonly ranges: readonly string[]
  readonly ports: readonly number[]
}

/** How many start addresses {@link scannedUrls} gives. */
export function scanSize({ ranges, ports }: RangeScan): number {
  let addresses = 0
  for (const text of ranges) {
    const range = parseRange(text)
    if (range !== undefined) addresses += 2 ** ((range.family === 4 ? 32 : 128) - range.prefix)
  }
  return addresses * ports.length
}

/** `http://address:port/` for each address and port, at most {@link MAX_SCANNED}. */
export function scannedUrls({ ranges, ports }: RangeScan): string[] {
  const urls: string[] = []
  for (const text of ranges) {
    for (const address of addressesOf(text)) {
      for (const port of ports) {
        if (urls.length >= MAX_SCANNED) return urls
        const host = isIPv6(address) ? `[${address}]` : address
        urls.push(new URL(`http://${host}:${port}/`).href)
      }
    }
  }
  return urls
}

/** True for one of {@link scannedUrls}. */
export function isScannedUrl(url: string, scan: RangeScan | undefined): boolean {
  if (scan === undefined) return false
  const { hostname, port, pathname } = new URL(url)
  if (pathname !== '/' || !scan.ports.includes(Number(port || 80))) return false
  return new AddressRanges(scan.ranges).containsLiteral(hostname.replace(/^\[|\]$/g, '')) === true
}

function* addressesOf(text: string): Generator<string> {
  const range = parseRange(text)
  if (range === undefined) return
  const bits = range.family === 4 ? 32 : 128
  const size = 1n << BigInt(bits - range.prefix)
  const first = (toNumber(range.network) / size) * size
  for (let i = 0n; i < size; i++) yield range.family === 4 ? toIPv4(first + i) : toIPv6(first + i)
}

function toNumber(address: string): bigint {
  if (!isIPv6(address)) return address.split('.').reduce((number, part) => number * 256n + BigInt(part), 0n)
  // The URL parser writes any form of an address in the same way, its last 32 bits in hexadecimal.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const parts = (side: string | undefined): string[] => (side === undefined || side === '' ? [] : side.split(':'))
  const before = parts(groups[0])
  const after = parts(groups[1])
  const all = [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return all.reduce((number, group) => number * 65_536n + BigInt(`0x${group}`), 0n)
}

function toIPv4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
}

function toIPv6(number: bigint): string {
  return Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 65_535n).toString(16)).join(':')
}
