/**
 * The table at the end of a file whose parts are read alone: with its checksum and its length behind it, so that a
 * reader finds it from the end.
 *
 *   table   u32 CRC-32 of the table   u32 its length
 */
import { crc32 } from '@spindle/core'
import type { CheckedInput } from './checked-input.js'
import type { CheckedOutput } from './checked-output.js'
import { HEADER_LENGTH } from './file-header.js'
import { indexCorrupt } from './index-corrupt.js'

const TAIL_LENGTH = 8

/** Writes the table; nothing but the footer may follow. */
export function writeTable(output: CheckedOutput, table: Uint8Array): void {
  output.writeBytes(table)
  output.writeInt32(crc32(table))
  output.writeInt32(table.length)
}

/** Reads the table. @returns its bytes and their offset in the file @throws SpindleError INDEX_CORRUPT */
export async function readTable(input: CheckedInput): Promise<{ readonly table: Buffer; readonly tableAt: number }> {
  const { path, contentEnd } = input
  const lengthAt = contentEnd - 4
  if (contentEnd - TAIL_LENGTH < HEADER_LENGTH) throw indexCorrupt(path, HEADER_LENGTH, 'a table', 'the end')
  const tail = Buffer.alloc(TAIL_LENGTH)
  await input.read(tail, contentEnd - TAIL_LENGTH)
  const length = tail.readUInt32LE(4)
  const tableAt = contentEnd - TAIL_LENGTH - length
  if (tableAt < HEADER_LENGTH) throw indexCorrupt(path, lengthAt, 'the length of a table', length)
  const table = Buffer.alloc(length)
  await input.read(table, tableAt)
  if (crc32(table) !== tail.readUInt32LE(0)) {
    throw indexCorrupt(path, tableAt, 'a table with its checksum', 'another checksum')
  }
  return { table, tableAt }
}
