/** Reads the dictionary of a user from a file, whatever there is under its name. */
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
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

/**
 * A dictionary that may be changed while it is in use. What stands under its name is read again when it is another file,
 * or has another time or length; it is believed when two looks find the same, so that a file is not read half written.
 */
export class UserDictionaryFile {
  readonly path: string
  #current = UserDictionary.EMPTY
  /** What was read last, and what was seen last. */
  #read = ''
  #seen = ''

  constructor(path: string) {
    this.path = path
  }

  /** As it was last read without a fault. */
  get current(): UserDictionary {
    return this.#current
  }

  /**
   * Reads what is there now, settled or not.
   * @returns whether it says something else than before
   * @throws SpindleError DICTIONARY_INVALID; what was read before stays
   */
  async read(): Promise<boolean> {
    this.#read = this.#seen = await stateOf(this.path)
    const { revision } = this.#current
    this.#current = await readUserDictionary(this.path)
    return this.#current.revision !== revision
  }

  /** The same where the file has changed since and is settled; of a fault it is told once. */
  async look(): Promise<boolean> {
    const state = await stateOf(this.path)
    const isSettled = state === this.#seen
    this.#seen = state
    return isSettled && state !== this.#read ? this.read() : false
  }
}

/** '' where there is nothing. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch (error) {
    const code = systemCode(error)
    return code === 'ENOENT' ? 'none' : String(code)
  }
}
