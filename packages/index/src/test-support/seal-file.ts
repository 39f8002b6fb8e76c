/** Makes every checksum of a changed file right, so that only what its bytes mean can be found wrong. */
import { ByteReader, crc32 } from '@spindle/core'
import { FOOTER_LENGTH, HEADER_LENGTH } from '../store/file-header.js'

const PAGE = 8192
const PAGES_PER_GROUP = PAGE / 4

/** Computes the checksums of a file of an index anew, in place, as far as its tables can still be read. */
export function sealFile(bytes: Buffer): void {
  const component = bytes.toString('latin1', 4, 12).replace(/\0+$/, '')
  const end = bytes.length - FOOTER_LENGTH
  try {
    if (['terms', 'postings', 'position'].includes(component)) sealPages(bytes, end)
    if (component === 'stored') sealParts(bytes, end, sealChunks)
    if (component === 'values') sealParts(bytes, end, sealColumns)
    if (component === 'norms') sealParts(bytes, end, sealNorms)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
}

function sealPages(bytes: Buffer, end: number): void {
  const count = bytes.readUInt32LE(end - 4)
  const groups = Math.ceil(count / PAGES_PER_GROUP)
  const upper = end - 8 - 4 * groups
  const lower = upper - 4 * count
  for (let i = 0; i < count; i++) {
    bytes.writeUInt32LE(crc32(bytes.subarray(i * PAGE, Math.min((i + 1) * PAGE, lower))), lower + 4 * i)
  }
  for (let g = 0; g < groups; g++) {
    bytes.writeUInt32LE(crc32(bytes.subarray(lower + g * PAGE, Math.min(lower + (g + 1) * PAGE, upper))), upper + 4 * g)
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(upper, end - 8)), end - 8)
}

/** Tables have checksums of the parts: those come first, then the table's own. */
function sealParts(bytes: Buffer, end: number, seal: (bytes: Buffer, table: ByteReader, at: number) => void): void {
  const length = bytes.readUInt32LE(end - 4)
  const at = end - 8 - length
  if (at < HEADER_LENGTH) return
  try {
    seal(bytes, new ByteReader(bytes, at, end - 8), at)
  } finally {
    bytes.writeUInt32LE(crc32(bytes.subarray(at, end - 8)), end - 8)
  }
}

function sealChunks(bytes: Buffer, table: ByteReader): void {
  let at = HEADER_LENGTH
  for (let left = table.readVarint(); left > 0; left--) {
    table.readVarint()
    const length = table.readVarint()
    table.readVarint()
    bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, at + 4 + length)), at)
    at += 4 + length
  }
}

function sealColumns(bytes: Buffer, table: ByteReader): void {
  if (table.readVarint() > 0) {
    table.readVarint()
    table.readString()
    table.readByte()
  }
  for (let left = table.readVarint(); left > 0; left--) {
    table.readVarint()
    const start = table.readVarint()
    const length = table.readVarint()
    bytes.writeUInt32LE(crc32(bytes.subarray(start, start + length)), table.position)
    table.readUint32()
  }
}

function sealNorms(bytes: Buffer, table: ByteReader, tableAt: number): void {
  const count = table.readVarint()
  const length = (tableAt - HEADER_LENGTH) / count
  for (let i = 0; i < count; i++) {
    const start = HEADER_LENGTH + i * length
    table.readVarint()
    bytes.writeUInt32LE(crc32(bytes.subarray(start, start + length)), table.position)
    table.readUint32()
  }
}
