/**
 * The UTF-16 units of a page as an array: to look at a unit of a string costs several times as much, as each time it has to be found
 * out how the string is kept. A page has to be looked at unit by unit, but is then copied once in a few microseconds.
 */

import { endianness } from 'node:os'

/** Units of pages whose memory is used again. */
const KEPT_UNITS = 512 * 1024
const isBigEndian = endianness() === 'BE'

let kept: Uint16Array | undefined

/**
 * Gives the units of a page, with a 0 behind the last, for as long as `use` runs; it may call this again.
 * Memory is twice the page's length, and up to 1 MiB afterwards.
 */
export function withUnits(page: string, use: (units: Uint16Array) => void): void {
  const { length } = page
  const isKept = length < KEPT_UNITS
  const units = (isKept ? kept : undefined) ?? new Uint16Array(isKept ? KEPT_UNITS : length + 1)
  kept = undefined
  const bytes = Buffer.from(units.buffer, 0, 2 * length)
  bytes.write(page, 'utf16le')
  if (isBigEndian) bytes.swap16()
  units[length] = 0
  try {
    use(units)
  } finally {
    if (isKept) kept = units
  }
}
