/**
 * A file of settings, kept as it is now. Like the index, it is looked at twice a second, which works on every file system; one that
 * cannot be read leaves what was read before in use, and the log says where the fault is.
 */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { type ErrorCode, isSpindleError, type Logger, SpindleError } from '@spindle/core'
import { RepeatedLook } from './repeated-look.js'

/** Milliseconds between two looks. */
const INTERVAL = 500
/** A file that keeps its size and times for so many milliseconds is not being written. */
const SETTLED = 50
/** Looks at a file that is being written before it is left until the next time. */
const MAX_WAITS = 20
/** Largest file, bytes. */
const MAX_BYTES = 32 << 20

/** What is in the file. */
export interface FileKind<T> {
  /** In the log and in messages, as `list of synonyms`. */
  readonly name: string
  /** The setting that names the file. */
  readonly setting: string
  /** Of whatever is wrong with it. */
  readonly code: ErrorCode
  /** @throws SpindleError of that code */
  readonly parse: (text: string, path: string) => T
}

/** Settings of a {@link FollowedFile}. */
export interface FollowedFileOptions {
  readonly logger: Logger
  /** Milliseconds between two looks. */
  readonly interval?: number
}

/** Follows one file. */
export class FollowedFile<T> {
  readonly #path: string
  readonly #kind: FileKind<T>
  readonly #logger: Logger
  /** Tells one state of the file from another. */
  #state = ''
  #value: T | undefined
  #revision = 0
  readonly #repeated: RepeatedLook

  private constructor(path: string, kind: FileKind<T>, { logger, interval = INTERVAL }: FollowedFileOptions) {
    this.#path = resolve(path)
    this.#kind = kind
    this.#logger = logger
    this.#repeated = new RepeatedLook(
      () => this.#look(),
      () => interval,
    )
  }

  /** @throws SpindleError where the file cannot be read */
  static async open<T>(path: string, kind: FileKind<T>, options: FollowedFileOptions): Promise<FollowedFile<T>> {
    const file = new FollowedFile(path, kind, options)
    const state = await file.#stateOfFile()
    await file.#read()
    file.#state = state
    file.#repeated.start()
    return file
  }

  /** What was read last without a fault. */
  get value(): T {
    return this.#value as T
  }

  /** How often it was read: another number, another value. */
  get revision(): number {
    return this.#revision
  }

  /** Looks at the file now, after the look that may be under way. */
  lookNow(): Promise<void> {
    return this.#repeated.now()
  }

  close(): Promise<void> {
    return this.#repeated.close()
  }

  async #look(): Promise<void> {
    let state = 'unreadable'
    try {
      state = await this.#stateOfFile()
      if (state === this.#state) return
      const settled = await this.#settled(state)
      if (settled === null) return
      state = settled
      await this.#read()
      this.#logger.log('info', `${this.#kind.name} read`, { path: this.#path })
    } catch (error) {
      // told once: until the file changes again, its fault is known
      if (state !== this.#state) {
        const { code, message } = isSpindleError(error) ? error : this.#unreadable(error)
        this.#logger.log('error', `${this.#kind.name} cannot be read, so what it was stays`, { code, detail: message })
      }
    }
    this.#state = state
  }

  /** The state when the file has stopped changing, null where it goes on: what is half written is not read. */
  async #settled(first: string): Promise<string | null> {
    let state = first
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      await setTimeoutPromise(SETTLED)
      const now = await this.#stateOfFile()
      if (now === state) return state
      state = now
    }
    return null
  }

  async #stateOfFile(): Promise<string> {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(this.#path)
      return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  async #read(): Promise<void> {
    this.#value = this.#kind.parse(await this.#text(), this.#path)
    this.#revision++
  }

  async #text(): Promise<string> {
    let bytes: Buffer
    try {
      const about = await stat(this.#path)
      if (!about.isFile()) throw new Error('it is no file')
      if (about.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES >> 20} MB`)
      bytes = await readFile(this.#path)
    } catch (error) {
      throw this.#unreadable(error)
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw new SpindleError(
        this.#kind.code,
        `The ${this.#kind.name} ${this.#path} is not UTF-8: save it in that encoding.`,
      )
    }
  }

  #unreadable(cause: unknown): SpindleError {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const { name, setting, code } = this.#kind
    return new SpindleError(
      code,
      `The ${name} ${this.#path} cannot be read (${reason}): correct "${setting}", or put the file there.`,
      { cause },
    )
  }
}
