/**
 * Keeps an index at the dictionary of the user as its file says it, while a crawl runs: looks at the file twice a second,
 * and has documents made again between the pages that come in.
 */
import { setTimeout } from 'node:timers/promises'
import { isSpindleError } from '@spindle/core'
import { type UserDictionary, UserDictionaryFile } from '@spindle/index'

/** Milliseconds between two looks. */
const INTERVAL = 500

/** The index as far as a dictionary changes it. */
export interface DictionarySink {
  useDictionary(dictionary: UserDictionary): Promise<boolean>
  /** @returns whether there may be more */
  reanalyzeSome(): Promise<boolean>
  /** Documents made again since it was opened. */
  readonly reanalyzed: number
  /** Whether documents may be left to be made again. */
  readonly isReanalyzing: boolean
}

/** What a {@link DictionaryKeeper} tells. */
export interface KeeperListener {
  /** The sink was changed. */
  touched(): void
  /** All documents are as the dictionary says. */
  settled(words: number, documents: number): void
  /** The file cannot be read: the words before stay. */
  failed(detail: string): void
}

/** See the head of this file. */
export class DictionaryKeeper {
  readonly #sink: DictionarySink
  readonly #file: UserDictionaryFile
  readonly #listener: KeeperListener
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #told = 0

  private constructor(sink: DictionarySink, file: UserDictionaryFile, listener: KeeperListener) {
    this.#sink = sink
    this.#file = file
    this.#listener = listener
  }

  /** Has the sink use what the file says now. A file that cannot be read is told of and nothing else. */
  static async open(sink: DictionarySink, path: string, listener: KeeperListener): Promise<DictionaryKeeper> {
    const keeper = new DictionaryKeeper(sink, new UserDictionaryFile(path), listener)
    await keeper.#look((file) => file.read().then(() => true))
    return keeper
  }

  /** Goes on by itself until {@link stop}. @param onError told when the sink fails, which ends it */
  start(onError: (error: unknown) => void): void {
    this.#running ??= this.#run().catch(onError)
  }

  /** Ends after the work in hand. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  /** To be called after {@link stop}: makes the rest of the documents again. */
  async finish(): Promise<void> {
    await this.#look((file) => file.look())
    while (this.#sink.isReanalyzing) await this.#step()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    let next = 0
    while (!signal.aborted) {
      if (performance.now() >= next) {
        await this.#look((file) => file.look())
        next = performance.now() + INTERVAL
      }
      if (this.#sink.isReanalyzing) await this.#step()
      else await setTimeout(INTERVAL, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #look(read: (file: UserDictionaryFile) => Promise<boolean>): Promise<void> {
    try {
      if (!(await read(this.#file))) return
    } catch (error) {
      if (!isSpindleError(error, 'DICTIONARY_INVALID')) throw error
      this.#listener.failed(error.message)
      return
    }
    if (await this.#sink.useDictionary(this.#file.current)) this.#listener.touched()
  }

  async #step(): Promise<void> {
    const isBehind = await this.#sink.reanalyzeSome()
    this.#listener.touched()
    const { reanalyzed } = this.#sink
    if (isBehind || reanalyzed === this.#told) return
    this.#listener.settled(this.#file.current.size, reanalyzed - this.#told)
    this.#told = reanalyzed
  }
}
