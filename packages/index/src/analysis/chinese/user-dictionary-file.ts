/** Reads the dictionary of a user from a file, whatever there is under its name. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { SpindleError, systemCode } from '@spindle/core'
import { UserDictionary } from './user-dictionary.js'

/** Most bytes of a file. */
export const MAX_DICTIONARY_BYTES = 16 * 2 ** 20

/**
 * The dictionary in a file of UTF-8 text, without words where there is no such file.
 * @throws SpindleError DICTIONARY_INVALID where it is no file, cannot be read, is larger than 16 MiB, no UTF-8, or as
 *   {@link UserDictionary.parse}
 */
export async function readUserDictionary(path: string): Promise<UserDictionary> {
  const bytes = await readRegularFile(path)
  if (bytes === null) return UserDictionary.EMPTY
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new SpindleError('DICTIONARY_INVALID', `The dictionary ${path} is not UTF-8 text: save it as such.`, {
      cause,
    })
  }
  return UserDictionary.parse(text, path)
}

/** null where there is none. Nothing is opened that could keep the reader waiting. */
async function readRegularFile(path: string): Promise<Uint8Array | null> {
  try {
    // Without O_NONBLOCK a pipe would wait for its writer.
    const { O_RDONLY, O_NONBLOCK = 0 } = constants
    const file = await open(path, O_RDONLY | O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile()) {
        throw new SpindleError(
          'DICTIONARY_INVALID',
          `${path} is no file: put the dictionary there, or name another one.`,
        )
      }
      if (found.size <= MAX_DICTIONARY_BYTES) return await file.readFile()
      throw new SpindleError(
        'DICTIONARY_INVALID',
        `The dictionary ${path} is larger than ${MAX_DICTIONARY_BYTES >> 20} MiB: leave the common words out, which are known anyway.`,
      )
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return null
    if (code === undefined || error instanceof SpindleError) throw error
    throw new SpindleError(
      'DICTIONARY_INVALID',
      `The dictionary ${path} cannot be read (${(error as Error).message}): correct that, or name another one.`,
      { cause: error },
    )
  }
}
