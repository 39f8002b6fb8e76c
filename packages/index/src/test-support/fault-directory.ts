/**
 * A directory that fails on purpose: the k-th operation, once or from then on, with any error of the system, or as soon
 * as a quota of bytes is full. It counts, so that a test can tell a run in which nothing failed.
 */
import type { Directory, FileInput, FileOutput, WriteLock } from '../store/directory.js'
import { writeFailed } from '../store/write-failed.js'

/** What fails. */
export interface Fault {
  /** Number of the first operation that fails, from 1 on; 0: none. */
  readonly at?: number
  /** true: every operation from then on fails; otherwise that one alone. */
  readonly lasting?: boolean
  /** Code of the error, EIO where not given. */
  readonly errno?: string
  /** Bytes that all files together may have. */
  readonly quota?: number
}

/** Wraps another directory. */
export class FaultDirectory implements Directory {
  readonly path: string
  /** Operations so far: create, write, sync of a file or the folder, rename, delete, open, read, list. */
  operations = 0
  /** How many of them failed. */
  failures = 0
  readonly #inner: Directory
  readonly #sizes = new Map<string, number>()
  #fault: Fault
  #coming: { left: number; readonly suffix: string } | null = null

  constructor(inner: Directory, fault: Fault) {
    this.path = inner.path
    this.#inner = inner
    this.#fault = fault
  }

  /** The k-th operation from now on fails, and no other one. @param suffix only operations on files that end so count */
  failOnce(k: number, suffix = ''): void {
    this.#coming = { left: k, suffix }
  }

  /** The k-th operation from now on fails, and all after it. */
  failFromNowOn(k: number, errno: string): void {
    this.#fault = { at: this.operations + k, lasting: true, errno }
  }

  /** From now on files may take so many bytes more, together. */
  limit(quota: number): void {
    this.#fault = { quota: this.#used() + quota }
  }

  /** Everything works from now on. */
  heal(): void {
    this.#coming = null
    this.#fault = {}
  }

  async list(): Promise<string[]> {
    this.#step('list', false)
    return this.#inner.list()
  }

  create(): Promise<void> {
    return this.#inner.create()
  }

  async createOutput(name: string): Promise<FileOutput> {
    this.#step(name, true)
    const output = await this.#inner.createOutput(name)
    this.#sizes.set(name, 0)
    return {
      name,
      write: (bytes) => {
        this.#step(name, true)
        const room = (this.#fault.quota ?? Number.POSITIVE_INFINITY) - this.#used()
        const fits = Math.min(bytes.length, Math.max(0, room))
        output.write(bytes.subarray(0, fits))
        this.#sizes.set(name, this.#sizes.get(name)! + fits)
        if (fits < bytes.length) this.#fail(name, 'ENOSPC', true)
      },
      close: () => output.close(),
    }
  }

  async open(name: string): Promise<FileInput> {
    this.#step(name, false)
    const input = await this.#inner.open(name)
    return {
      name,
      length: input.length,
      read: async (target, offset) => {
        this.#step(name, false)
        await input.read(target, offset)
      },
      close: () => input.close(),
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step(to, true)
    await this.#inner.rename(from, to)
    this.#sizes.set(to, this.#sizes.get(from) ?? 0)
    this.#sizes.delete(from)
  }

  async sync(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#step(name, true)
      await this.#inner.sync([name])
    }
  }

  async syncDirectory(): Promise<void> {
    this.#step('.', true)
    await this.#inner.syncDirectory()
  }

  async delete(name: string): Promise<void> {
    this.#step(name, true)
    await this.#inner.delete(name)
    this.#sizes.delete(name)
  }

  obtainLock(): Promise<WriteLock> {
    return this.#inner.obtainLock()
  }

  #used(): number {
    let sum = 0
    for (const size of this.#sizes.values()) sum += size
    return sum
  }

  #step(name: string, writes: boolean): void {
    this.operations++
    if (this.#coming !== null && name.endsWith(this.#coming.suffix) && --this.#coming.left === 0) {
      this.#coming = null
      this.#fail(name, 'EIO', writes)
    }
    const { at = 0, lasting = false, errno = 'EIO' } = this.#fault
    if (at > 0 && (lasting ? this.operations >= at : this.operations === at)) this.#fail(name, errno, writes)
  }

  #fail(name: string, errno: string, writes: boolean): never {
    this.failures++
    const error = Object.assign(new Error(`${errno}: made to fail, ${name}`), { code: errno, path: name })
    // As FsDirectory: errors of writing are ours, errors of reading the system's.
    throw writes ? writeFailed(`${this.path}/${name}`, error) : error
  }
}
