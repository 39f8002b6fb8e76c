/**
 * The links with their texts, sorted by what they lead to: in memory while they are few, else in temporary files of which one
 * is in memory at a time.
 *
 *   link = target uint32, source + 1 uint32 (0: the title of the target itself), length of the text uint16, text in UTF-8
 */
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteWriter } from '@spindle/core'

/** The source of a title. */
export const TITLE = -1

/** Bytes of links in memory. */
const MEMORY = 48 * 1024 * 1024
/** Most partitions: files that are written in turn. */
const MAX_PARTITIONS = 128
/** Targets that share a partition, at least. */
const MIN_TARGETS = 4096
const HEADER = 10

/** The links to some targets; those to target t are `order[starts[t − first]] …`. */
export interface Partition {
  readonly first: number
  readonly count: number
  readonly bytes: Buffer
  /** Place of each link in `bytes`, by target and then by source. */
  readonly order: Uint32Array
  readonly starts: Uint32Array
}

/** See the head of this file. */
export class LinkPartitions {
  readonly #folder: string
  readonly #targets: number
  readonly #size: number
  readonly #memory: number
  readonly #parts: ByteWriter[]
  #links = 0
  #bytes = 0
  #isSpilled = false

  private constructor(folder: string, targets: number, memory: number) {
    this.#folder = folder
    this.#targets = targets
    this.#memory = memory
    this.#size = Math.max(MIN_TARGETS, Math.ceil(targets / MAX_PARTITIONS))
    this.#parts = Array.from({ length: Math.ceil(targets / this.#size) }, () => new ByteWriter())
  }

  /**
   * @param folder for temporary files, in a folder of their own
   * @param targets nodes that links lead to
   */
  static async create(folder: string, targets: number, memory = MEMORY): Promise<LinkPartitions> {
    const own = join(folder, 'sorting')
    // What a killed process left.
    await rm(own, { recursive: true, force: true })
    return new LinkPartitions(own, targets, memory)
  }

  /** How many there are. */
  get length(): number {
    return this.#parts.length
  }

  /** Links added, without titles. */
  get linkCount(): number {
    return this.#links
  }

  /** @param source {@link TITLE} for what the target calls itself @param text of at most 65,535 bytes */
  add(source: number, target: number, text: Uint8Array): void {
    const part = this.#parts[Math.floor(target / this.#size)]
    part.writeInt32(target)
    part.writeInt32(source + 1)
    part.writeByte(text.length & 0xff)
    part.writeByte(text.length >>> 8)
    part.writeBytes(text)
    this.#bytes += HEADER + text.length
    if (source !== TITLE) this.#links++
  }

  /** Makes room where more is in memory than may be; to be called now and then. */
  async drain(): Promise<void> {
    if (this.#bytes < this.#memory) return
    if (!this.#isSpilled) await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    this.#isSpilled = true
    for (const [i, part] of this.#parts.entries()) {
      if (part.length === 0) continue
      await appendFile(this.#file(i), part.view())
      part.reset()
    }
    this.#bytes = 0
  }

  /** The targets of a partition. */
  rangeOf(i: number): { readonly first: number; readonly count: number } {
    const first = i * this.#size
    return { first, count: Math.min(this.#size, this.#targets - first) }
  }

  /** A partition, in memory as long as it is kept. */
  async read(i: number): Promise<Partition> {
    const rest = this.#parts[i].view()
    const bytes = this.#isSpilled
      ? Buffer.concat([await readFile(this.#file(i)).catch(() => Buffer.alloc(0)), rest])
      : rest
    const { first, count } = this.rangeOf(i)
    const starts = new Uint32Array(count + 1)
    for (let at = 0; at < bytes.length; at = nextOf(bytes, at)) starts[targetOf(bytes, at) - first + 1]++
    for (let t = 0; t < count; t++) starts[t + 1] += starts[t]
    const next = starts.slice()
    const order = new Uint32Array(starts[count])
    for (let at = 0; at < bytes.length; at = nextOf(bytes, at)) order[next[targetOf(bytes, at) - first]++] = at
    for (let t = 0; t < count; t++) {
      const list = order.subarray(starts[t], starts[t + 1])
      if (list.length > 1) list.sort((a, b) => sourceOf(bytes, a) - sourceOf(bytes, b) || a - b)
    }
    return { first, count, bytes, order, starts }
  }

  /** Removes what is on disk. */
  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #file(i: number): string {
    return join(this.#folder, `links-${i}.tmp`)
  }
}

/** Node that the link at a place comes from, or {@link TITLE}, which is the first of its target. */
export function sourceOf(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) - 1
}

export function textOf(bytes: Buffer, at: number): string {
  return bytes.toString('utf8', at + HEADER, nextOf(bytes, at))
}

function targetOf(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at)
}

function nextOf(bytes: Buffer, at: number): number {
  return at + HEADER + bytes.readUInt16LE(at + 8)
}
