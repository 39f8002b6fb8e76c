/**
 * A directory that remembers every operation and can show any state that a power cut at any of them may leave on a disk
 * that promises only what POSIX does: contents are durable after `sync` of the file, names after `syncDirectory`, and
 * nothing else, in whatever order it was asked for.
 */
import type { Directory, FileInput, FileOutput, WriteLock } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import type { Random } from './random.js'

interface Inode {
  bytes: Uint8Array
  length: number
}

type Operation =
  | { readonly kind: 'create'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'write'; readonly inode: Inode; readonly length: number }
  | { readonly kind: 'sync'; readonly inode: Inode }
  | { readonly kind: 'syncDirectory' }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly inode: Inode }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'note'; readonly value: number }

/** What becomes of names that were created, renamed and deleted since the folder was synced. */
export type NamesFate = 'all' | 'none' | 'renames' | 'first' | 'some'
/** What becomes of bytes that were not synced. */
export type BytesFate = 'intact' | 'lost' | 'zeroed' | 'halved' | 'flipped' | 'garbage' | 'torn512' | 'torn4096'

/** All kinds of both. */
export const NAMES_FATES: readonly NamesFate[] = ['all', 'none', 'renames', 'first', 'some']
/** All kinds of damage. */
export const BYTES_FATES: readonly BytesFate[] = [
  'intact',
  'lost',
  'zeroed',
  'halved',
  'flipped',
  'garbage',
  'torn512',
  'torn4096',
]

/** A recording directory in memory. */
export class CrashDirectory implements Directory {
  readonly path = 'crash'
  readonly operations: Operation[] = []
  /** Syncs asked for so far, a file or the folder each. */
  syncs = 0
  readonly #names = new Map<string, Inode>()
  readonly #dropped: number
  #isLocked = false

  /** @param dropped number of the sync that is left out, as a mutation of the code would; −1: none */
  constructor(dropped = -1) {
    this.#dropped = dropped
  }

  /** Begins with durable copies of the files of another directory. */
  async fill(other: Directory): Promise<void> {
    for (const name of await other.list()) {
      const input = await other.open(name)
      const bytes = new Uint8Array(input.length)
      await input.read(bytes, 0)
      await input.close()
      const output = await this.createOutput(name)
      output.write(bytes)
      await output.close()
      await this.sync([name])
    }
    await this.syncDirectory()
  }

  /** Puts a number into the record: the caller's last commit that returned. */
  note(value: number): void {
    this.operations.push({ kind: 'note', value })
  }

  async list(): Promise<string[]> {
    return [...this.#names.keys()]
  }

  async create(): Promise<void> {}

  async createOutput(name: string): Promise<FileOutput> {
    if (this.#names.has(name)) throw new Error(`${name} exists`)
    const inode: Inode = { bytes: new Uint8Array(256), length: 0 }
    this.#names.set(name, inode)
    this.operations.push({ kind: 'create', name, inode })
    return {
      name,
      write: (bytes) => {
        const length = inode.length + bytes.length
        if (length > inode.bytes.length) {
          const grown = new Uint8Array(length * 2)
          grown.set(inode.bytes.subarray(0, inode.length))
          inode.bytes = grown
        }
        inode.bytes.set(bytes, inode.length)
        inode.length = length
        this.operations.push({ kind: 'write', inode, length })
      },
      close: async () => {},
    }
  }

  async open(name: string): Promise<FileInput> {
    const inode = this.#names.get(name)
    if (inode === undefined) throw Object.assign(new Error(`ENOENT: ${name}`), { code: 'ENOENT' })
    return {
      name,
      length: inode.length,
      read: async (target, offset) => target.set(inode.bytes.subarray(offset, offset + target.length)),
      close: async () => {},
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const inode = this.#names.get(from)
    if (inode === undefined) throw new Error(`there is no ${from}`)
    this.#names.delete(from)
    this.#names.set(to, inode)
    this.operations.push({ kind: 'rename', from, to, inode })
  }

  async sync(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const inode = this.#names.get(name)
      if (inode === undefined) throw new Error(`there is no ${name}`)
      if (this.syncs++ !== this.#dropped) this.operations.push({ kind: 'sync', inode })
    }
  }

  async syncDirectory(): Promise<void> {
    if (this.syncs++ !== this.#dropped) this.operations.push({ kind: 'syncDirectory' })
  }

  async delete(name: string): Promise<void> {
    if (this.#names.delete(name)) this.operations.push({ kind: 'delete', name })
  }

  async obtainLock(): Promise<WriteLock> {
    if (this.#isLocked) throw new Error('locked')
    this.#isLocked = true
    return {
      ensureValid: async () => {},
      release: async () => {
        this.#isLocked = false
      },
    }
  }

  /** The last number noted within the first operations. */
  noted(operations: number): number {
    for (let i = operations - 1; i >= 0; i--) {
      const operation = this.operations[i]
      if (operation.kind === 'note') return operation.value
    }
    return 0
  }

  /**
   * The folder as it may be after a power cut.
   * @param operations how many of the operations had been done
   * @param random decides where the fate leaves a choice
   */
  async after(operations: number, names: NamesFate, bytes: BytesFate, random: Random): Promise<MemoryDirectory> {
    const durable = new Map<string, Inode>()
    const synced = new Map<Inode, number>()
    const written = new Map<Inode, number>()
    let pending: Operation[] = []
    for (const operation of this.operations.slice(0, operations)) {
      if (operation.kind === 'write') written.set(operation.inode, operation.length)
      else if (operation.kind === 'sync') synced.set(operation.inode, written.get(operation.inode) ?? 0)
      else if (operation.kind === 'syncDirectory') {
        for (const one of pending) apply(durable, one)
        pending = []
      } else if (operation.kind !== 'note') pending.push(operation)
    }
    const count = random.below(pending.length + 1)
    pending.forEach((operation, i) => {
      const survives =
        names === 'all' ||
        (names === 'renames' && operation.kind === 'rename') ||
        (names === 'first' && i < count) ||
        (names === 'some' && random.next() < 0.5)
      if (survives) apply(durable, operation)
    })
    const directory = new MemoryDirectory('after-power-cut')
    for (const [name, inode] of durable) {
      const output = await directory.createOutput(name)
      output.write(damaged(inode, synced.get(inode) ?? 0, written.get(inode) ?? 0, bytes, random))
      await output.close()
    }
    return directory
  }
}

function apply(names: Map<string, Inode>, operation: Operation): void {
  if (operation.kind === 'create') names.set(operation.name, operation.inode)
  else if (operation.kind === 'delete') names.delete(operation.name)
  else if (operation.kind === 'rename') {
    names.delete(operation.from)
    names.set(operation.to, operation.inode)
  }
}

/** Bytes up to `durable` are as they were written; those after it suffer the fate. */
function damaged(inode: Inode, durable: number, length: number, fate: BytesFate, random: Random): Uint8Array {
  const bytes = inode.bytes.slice(0, length)
  if (durable >= length || fate === 'intact') return bytes
  const rest = bytes.subarray(durable)
  switch (fate) {
    case 'lost':
      return bytes.subarray(0, durable)
    case 'zeroed':
      rest.fill(0)
      return bytes
    case 'halved':
      return bytes.subarray(0, durable + (rest.length >> 1))
    case 'flipped':
      rest[random.below(rest.length)] ^= 1 << random.below(8)
      return bytes
    case 'garbage':
      for (let i = 0; i < rest.length; i++) rest[i] = random.below(256)
      return bytes
    default: {
      // Some blocks of the disk have the new bytes, the others zeros.
      const block = fate === 'torn512' ? 512 : 4096
      for (let at = 0; at < rest.length; at += block) {
        if (random.next() < 0.5) rest.fill(0, at, at + block)
      }
      return bytes
    }
  }
}
