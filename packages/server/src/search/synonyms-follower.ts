/**
 * Keeps the list of synonyms as its file says it. Like the index, the file is looked at twice a second, which works on every
 * file system; a list that cannot be read leaves the one before it in use, and the log says where the fault is.
 */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isSpindleError, type Logger, SpindleError } from '@spindle/core'
import { SynonymMap } from '@spindle/index'

/** Milliseconds between two looks. */
const INTERVAL = 500
/** Largest file, bytes. */
const MAX_BYTES = 32 << 20

/** What {@link SynonymsFollower.open} takes. */
export interface SynonymsFollowerOptions {
  readonly logger: Logger
  /** Milliseconds between two looks. */
  readonly interval?: number
}

/** A list of synonyms and how often it has changed. */
export interface Synonyms {
  readonly map: SynonymMap | undefined
  /** Another number, another list. */
  readonly revision: number
}

/** No list. */
export const NO_SYNONYMS: Synonyms = { map: undefined, revision: 0 }

/** Follows one file. */
export class SynonymsFollower {
  readonly #path: string
  readonly #logger: Logger
  readonly #interval: number
  /** Tells the state of the file that was read from others. */
  #state = ''
  /** The state that was seen last: a file is read once it stays as it is, since editors empty it before they write. */
  #seen = ''
  #current: Synonyms = NO_SYNONYMS
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  private constructor(path: string, { logger, interval = INTERVAL }: SynonymsFollowerOptions) {
    this.#path = resolve(path)
    this.#logger = logger
    this.#interval = interval
  }

  /** @throws SpindleError `SYNONYMS_INVALID` where the file cannot be read as a list */
  static async open(path: string, options: SynonymsFollowerOptions): Promise<SynonymsFollower> {
    const follower = new SynonymsFollower(path, options)
    const state = await follower.#stateOfFile()
    await follower.#read()
    follower.#state = state
    follower.#seen = state
    follower.#schedule()
    return follower
  }

  /** The newest list that could be read. */
  get current(): Synonyms {
    return this.#current
  }

  /** Reads the file now where it has changed, after the look that may be under way. */
  async lookNow(): Promise<void> {
    await this.#lookOnce()
    await this.#lookOnce()
  }

  #lookOnce(): Promise<void> {
    this.#looking = this.#looking.then(() => (this.#closed ? undefined : this.#look()))
    return this.#looking
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#looking
  }

  #schedule(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.#lookOnce().then(() => this.#schedule()), this.#interval)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const state = await this.#stateOfFile().catch(() => 'unreadable')
    const settled = state === this.#seen
    this.#seen = state
    if (!settled || state === this.#state) return
    // read and told once: until the file changes again, it holds the same
    this.#state = state
    try {
      await this.#read()
      this.#logger.log('info', 'synonyms read', { path: this.#path, rules: this.#current.map!.rules.length })
    } catch (error) {
      const { code, message } = isSpindleError(error) ? error : unreadable(this.#path, error)
      this.#logger.log('error', 'synonyms cannot be read, so the ones before stay', { code, detail: message })
    }
  }

  async #stateOfFile(): Promise<string> {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(this.#path)
      return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
    } catch (error) {
      throw unreadable(this.#path, error)
    }
  }

  async #read(): Promise<void> {
    const text = await readList(this.#path)
    this.#current = { map: SynonymMap.parse(text, this.#path), revision: this.#current.revision + 1 }
  }
}

/** @throws SpindleError `SYNONYMS_INVALID` */
async function readList(path: string): Promise<string> {
  let bytes: Buffer
  try {
    const about = await stat(path)
    if (!about.isFile()) throw new Error('it is no file')
    if (about.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES >> 20} MB`)
    bytes = await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SpindleError('SYNONYMS_INVALID', `The list of synonyms ${path} is not UTF-8: save it in that encoding.`)
  }
}

function unreadable(path: string, cause: unknown): SpindleError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new SpindleError(
    'SYNONYMS_INVALID',
    `The list of synonyms ${path} cannot be read (${reason}): correct "search.synonyms", or put the file there.`,
    { cause },
  )
}
