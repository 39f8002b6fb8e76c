/**
 * Keeps the words of the user as their file says them, for queries. Like the index, the file is looked at twice a second; one
 * that cannot be read leaves the words before in use, and the log says where the fault is.
 */
import { isSpindleError, type Logger } from '@spindle/core'
import { standardDictionary, UserDictionaryFile, type WordDictionary } from '@spindle/index'
import { RepeatedLook } from './repeated-look.js'

/** Milliseconds between two looks. */
const INTERVAL = 500

/** What {@link DictionaryFollower.open} takes. */
export interface DictionaryFollowerOptions {
  readonly logger: Logger
  /** Milliseconds between two looks. */
  readonly interval?: number
  /** Given the words that text is cut into, whenever others are in use. */
  readonly onChange: (words: WordDictionary) => void
}

/** Follows one file. */
export class DictionaryFollower {
  readonly #file: UserDictionaryFile
  readonly #options: DictionaryFollowerOptions
  #words: WordDictionary | undefined
  readonly #repeated: RepeatedLook

  private constructor(path: string, options: DictionaryFollowerOptions) {
    this.#file = new UserDictionaryFile(path)
    this.#options = options
    this.#repeated = new RepeatedLook(
      () => this.#look(() => this.#file.look()),
      () => options.interval ?? INTERVAL,
    )
  }

  /** Never fails because of the file: searches go on without its words, and the log tells. */
  static async open(path: string, options: DictionaryFollowerOptions): Promise<DictionaryFollower> {
    const follower = new DictionaryFollower(path, options)
    await follower.#look(() => follower.#file.read())
    follower.#repeated.start()
    return follower
  }

  /** The words that text is cut into; undefined: those of the product. */
  get words(): WordDictionary | undefined {
    return this.#words
  }

  /** Of the dictionary in use, '' without words. */
  get revision(): string {
    return this.#file.current.revision
  }

  /** Looks at the file now, after the look that may be under way. */
  lookNow(): Promise<void> {
    return this.#repeated.now()
  }

  close(): Promise<void> {
    return this.#repeated.close()
  }

  async #look(read: () => Promise<boolean>): Promise<void> {
    const { logger, onChange } = this.#options
    try {
      if (!(await read())) return
      const { current, path } = this.#file
      this.#words = current.over(standardDictionary())
      logger.log('info', 'dictionary read', { path, words: current.size })
      if (current.unused.length > 0) {
        const lines = current.unused.slice(0, 10)
        logger.log(
          'warn',
          'lines of the dictionary have no effect, since letters, digits and blanks cut a text anyway',
          {
            path,
            count: current.unused.length,
            lines,
          },
        )
      }
      onChange(this.#words)
    } catch (error) {
      const code = isSpindleError(error) ? error.code : 'DICTIONARY_INVALID'
      const detail = error instanceof Error ? error.message : String(error)
      logger.log('error', 'the dictionary cannot be read, so the words before stay', { code, detail })
    }
  }
}
