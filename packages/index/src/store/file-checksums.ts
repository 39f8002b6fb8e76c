/** The checksums of a whole file, computed piece by piece while the next piece is on its way. */
import { crc32 } from '@spindle/core'
import type { FileInput } from './directory.js'
import type { PageChecksums } from './page-checksums.js'

/** 0.2 ms; a multiple of a page. */
const PIECE = 1 << 20
/** Bytes of the checksum at the end of a file. */
const CRC_LENGTH = 4

/** The CRC-32 of a file: the one at its end, and that of the bytes before. */
export interface FileChecksums {
  readonly stored: number
  readonly computed: number
}

/** What else to do with the bytes. */
export interface ReadChecksumsOptions {
  /** Room for the whole file; otherwise its bytes are forgotten. */
  readonly target?: Uint8Array
  /** Compares the checksums of the pages too. */
  readonly pages?: PageChecksums | null
}

/**
 * Reads a file of at least 4 bytes from front to back.
 * @throws SpindleError INDEX_CORRUPT where a page is damaged
 */
export async function readChecksums(
  file: FileInput,
  { target, pages = null }: ReadChecksumsOptions,
): Promise<FileChecksums> {
  const end = file.length - CRC_LENGTH
  const room = target === undefined ? Math.min(PIECE, file.length) : 0
  const spare = [new Uint8Array(room), new Uint8Array(room)]
  const read = async (from: number) => {
    const to = Math.min(from + PIECE, end)
    const piece = target?.subarray(from, to) ?? spare[(from / PIECE) % 2].subarray(0, to - from)
    await file.read(piece, from)
    return piece
  }
  let computed = 0
  let coming = read(0)
  for (let at = 0; at < end; at += PIECE) {
    const piece = await coming
    if (at + PIECE < end) {
      coming = read(at + PIECE)
      // Awaited in the next round; a failure before that must not count as unhandled.
      coming.catch(() => {})
    }
    computed = crc32(piece, computed)
    await pages?.compare(piece, at)
  }
  const stored = target?.subarray(end) ?? new Uint8Array(CRC_LENGTH)
  await file.read(stored, end)
  return { stored: new DataView(stored.buffer, stored.byteOffset).getUint32(0, true), computed }
}
