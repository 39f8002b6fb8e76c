/** One file of an index: its frame, and the checksums of all its bytes, at the speed of the disk or of CRC-32. */
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import { type FileChecksums, readChecksums } from '../store/file-checksums.js'
import { type Component, FOOTER_LENGTH, HEADER_LENGTH } from '../store/file-header.js'
import { isFormatError } from '../store/format-version.js'
import { hex } from '../store/index-corrupt.js'
import { type FileReport, messageOf } from './check-report.js'

/**
 * Checks a file.
 * @param id the id that its header must have; null: any
 * @throws SpindleError INDEX_FORMAT_TOO_NEW, INDEX_FORMAT_TOO_OLD for an undamaged file of another format
 */
export async function checkFile(
  directory: Directory,
  name: string,
  component: Component,
  id: Uint8Array | null,
): Promise<FileReport> {
  let bytes = 0
  let checksums: FileChecksums | null = null
  let thrown: unknown = null
  try {
    const raw = await directory.open(name)
    try {
      bytes = raw.length
      checksums = await checkedChecksums(directory, name, component, id).catch((error) => {
        thrown = error
        // A wrong frame or page: the report has the checksums of the whole file all the same.
        return bytes < HEADER_LENGTH + FOOTER_LENGTH ? null : readChecksums(raw, {})
      })
    } finally {
      await raw.close()
    }
  } catch (error) {
    thrown ??= error
  }
  const isWhole = checksums !== null && checksums.stored === checksums.computed
  if (isWhole && isFormatError(thrown)) throw thrown
  let error = thrown === null ? null : messageOf(thrown)
  const crcStored = checksums === null ? null : hex(checksums.stored)
  const crcComputed = checksums === null ? null : hex(checksums.computed)
  if (error === null && !isWhole) {
    error = `The index file ${directory.path}/${name} is damaged: its bytes have the checksum ${crcComputed}, and ${crcStored} is written at its end.`
  }
  return { name, bytes, crcStored, crcComputed, ok: error === null, error }
}

async function checkedChecksums(
  directory: Directory,
  name: string,
  component: Component,
  id: Uint8Array | null,
): Promise<FileChecksums> {
  const input = await CheckedInput.open(directory, name, component, id)
  try {
    return await input.checksums()
  } finally {
    await input.close()
  }
}
