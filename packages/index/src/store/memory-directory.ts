/** Files in memory: for tests and for small indexes that need not last. */
import { SpindleError } from '@spindle/core'
import type { Directory, FileInput, FileOutput, WriteLock } from './directory.js'
import { indexCorrupt } from './index-corrupt.js'

let counter = 0

/** A directory that lives as long as the object. */
export class MemoryDirectory implements Directory {
  readonly path: string
  readonly #files = new Map<string, Uint8Array>()
  #lock: object | null = null

  constructor(name = `memory-${counter++}`) {
    this.path = name
  }

  async list(): Promise<string[]> {
    return [...this.#files.keys()]
  }

  async create(): Promise<void> {}

  async createOutput(name: string): Promise<FileOutput> {
    if (this.#files.has(name)) {
      throw new SpindleError('INDEX_WRITE_FAILED', `The index file ${this.path}/${name} exists already.`)
    }
    this.#files.set(name, new Uint8Array(0))
    let bytes = new Uint8Array(1024)
    let length = 0
    return {
      name,
      write: (more) => {
        if (length + more.length > bytes.length) {
          const grown = new Uint8Array(Math.max(length + more.length, bytes.length * 2))
          grown.set(bytes.subarray(0, length))
          bytes = grown
        }
        bytes.set(more, length)
        length += more.length
      },
      close: async () => {
        this.#files.set(name, bytes.slice(0, length))
      },
    }
  }

  async open(name: string): Promise<FileInput> {
    const bytes = this.#files.get(name)
    const path = `${this.path}/${name}`
    if (bytes === undefined) throw Object.assign(new Error(`ENOENT: no such file: ${path}`), { code: 'ENOENT' })
    return {
      name,
      length: bytes.length,
      read: async (target, offset) => {
        if (offset + target.length > bytes.length) {
          throw indexCorrupt(path, bytes.length, `${offset + target.length - bytes.length} more bytes`, 'the end')
        }
        target.set(bytes.subarray(offset, offset + target.length))
      },
      close: async () => {},
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const bytes = this.#files.get(from)
    if (bytes === undefined) throw new SpindleError('INDEX_WRITE_FAILED', `There is no file ${this.path}/${from}.`)
    this.#files.set(to, bytes)
    this.#files.delete(from)
  }

  async sync(): Promise<void> {}

  async syncDirectory(): Promise<void> {}

  async delete(name: string): Promise<void> {
    this.#files.delete(name)
  }

  async obtainLock(): Promise<WriteLock> {
    if (this.#lock !== null) {
      throw new SpindleError('LOCK_HELD', `The index ${this.path} has a writer already: close that one first.`)
    }
    const own = {}
    this.#lock = own
    return {
      ensureValid: async () => {
        if (this.#lock !== own) {
          throw new SpindleError('LOCK_LOST', `The lock of ${this.path} was taken away: open a new writer.`)
        }
      },
      release: async () => {
        if (this.#lock === own) this.#lock = null
      },
    }
  }
}
