/**
 * The files of one commit, all open from the start: a writer at work may delete them meanwhile, and the check goes on
 * with what the commit is. Costs a descriptor a file.
 */
import { SpindleError } from '@spindle/core'
import type { Directory, FileInput, FileOutput, WriteLock } from '../store/directory.js'
import { inputOfDescriptor } from '../store/fs-directory.js'

/** An open file, as another thread of the process can read it. */
export interface HeldFile {
  readonly name: string
  readonly descriptor: number
  readonly length: number
}

/** A directory of open files that can only be read. */
export class HeldDirectory implements Directory {
  readonly path: string
  readonly #inputs: ReadonlyMap<string, FileInput>
  /** Why a file could not be opened. */
  readonly #errors: ReadonlyMap<string, unknown>

  private constructor(path: string, inputs: ReadonlyMap<string, FileInput>, errors: ReadonlyMap<string, unknown>) {
    this.path = path
    this.#inputs = inputs
    this.#errors = errors
  }

  /** Opens what can be opened of these files. */
  static async hold(directory: Directory, names: Iterable<string>): Promise<HeldDirectory> {
    const inputs = new Map<string, FileInput>()
    const errors = new Map<string, unknown>()
    for (const name of names) {
      try {
        inputs.set(name, await directory.open(name))
      } catch (error) {
        errors.set(name, error)
      }
    }
    return new HeldDirectory(directory.path, inputs, errors)
  }

  /** The files that another thread holds, and goes on holding while this is used. */
  static ofDescriptors(path: string, files: readonly HeldFile[]): HeldDirectory {
    const inputs = files.map((file) => [file.name, inputOfDescriptor(path, file)] as const)
    return new HeldDirectory(path, new Map(inputs), new Map())
  }

  /** What another thread needs to read the files; null where one of them is no file of the system. */
  descriptors(): HeldFile[] | null {
    const files: HeldFile[] = []
    for (const { name, length, descriptor } of this.#inputs.values()) {
      if (descriptor === undefined) return null
      files.push({ name, length, descriptor })
    }
    return files
  }

  /** Names that could not be opened, with the reason. */
  get unopened(): ReadonlyMap<string, unknown> {
    return this.#errors
  }

  /** Of all files that could be opened. */
  get bytes(): number {
    let bytes = 0
    for (const { length } of this.#inputs.values()) bytes += length
    return bytes
  }

  async list(): Promise<string[]> {
    return [...this.#inputs.keys()]
  }

  /** A view of the open file; to close it does nothing. */
  async open(name: string): Promise<FileInput> {
    const input = this.#inputs.get(name)
    if (input === undefined)
      throw this.#errors.get(name) ?? Object.assign(new Error(`${this.path}/${name} is not held`), { code: 'ENOENT' })
    return {
      name,
      length: input.length,
      read: (target, offset) => input.read(target, offset),
      close: async () => {},
    }
  }

  /** Closes all files. */
  async release(): Promise<void> {
    for (const input of this.#inputs.values()) await input.close()
  }

  async create(): Promise<void> {
    throw this.#readOnly()
  }

  async createOutput(): Promise<FileOutput> {
    throw this.#readOnly()
  }

  async rename(): Promise<void> {
    throw this.#readOnly()
  }

  async sync(): Promise<void> {
    throw this.#readOnly()
  }

  async syncDirectory(): Promise<void> {
    throw this.#readOnly()
  }

  async delete(): Promise<void> {
    throw this.#readOnly()
  }

  async obtainLock(): Promise<WriteLock> {
    throw this.#readOnly()
  }

  #readOnly(): SpindleError {
    return new SpindleError('INDEX_WRITE_FAILED', `A check of ${this.path} tried to write to it, which it never may.`)
  }
}
