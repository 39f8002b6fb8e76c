/**
 * Norms of a segment: all in memory, or those of a field from the first time that it is searched (one byte a document).
 */
import { maxNormsListLength, readNorms, readNormsTable } from '../codec/norms.js'
import type { FieldInfo } from '../document/field-info.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import type { FileRanges } from './file-ranges.js'

/** The `norms` file of a segment. */
export class SegmentNorms {
  readonly #maxDoc: number
  readonly #ranges: FileRanges | null
  /** Where the norms of a field start that may not be in memory. */
  readonly #starts: ReadonlyMap<string, number>
  /** By field. */
  readonly #loaded: Map<string, Uint8Array>
  readonly #coming = new Map<string, Promise<void>>()

  private constructor(
    maxDoc: number,
    ranges: FileRanges | null,
    starts: ReadonlyMap<string, number>,
    loaded: Map<string, Uint8Array>,
  ) {
    this.#maxDoc = maxDoc
    this.#ranges = ranges
    this.#starts = starts
    this.#loaded = loaded
  }

  /**
   * @param ranges are the norms' from now on
   * @param byField whether to read the norms of a field when they are asked for; otherwise all at once
   */
  static async open(
    ranges: FileRanges,
    maxDoc: number,
    infos: ReadonlyMap<number, FieldInfo>,
    byField: boolean,
  ): Promise<SegmentNorms> {
    const { file, end } = ranges
    if (!byField) {
      const norms = readNorms(file, await ranges.readAll(true), end, maxDoc, infos)
      await ranges.close()
      return new SegmentNorms(maxDoc, null, new Map(), norms)
    }
    const beginning = new Uint8Array(Math.min(end, HEADER_LENGTH + maxNormsListLength(infos.size)))
    await ranges.read(beginning, 0)
    return new SegmentNorms(maxDoc, ranges, readNormsTable(file, beginning, end, maxDoc, infos), new Map())
  }

  /** undefined where the field keeps none. @throws Error where they are not in memory */
  get(field: string): Uint8Array | undefined {
    const norms = this.#loaded.get(field)
    if (norms === undefined && this.#starts.has(field)) throw new Error(`the norms of ${field} are not in memory`)
    return norms
  }

  /** Whether the norms of a field are in memory. */
  has(field: string): boolean {
    return this.#loaded.has(field)
  }

  /** Brings the norms of a field into memory; null where there is nothing to wait for. */
  load(field: string): Promise<void> | null {
    const start = this.#starts.get(field)
    if (start === undefined || this.#loaded.has(field)) return null
    let coming = this.#coming.get(field)
    if (coming === undefined) {
      coming = this.#read(field, start).finally(() => this.#coming.delete(field))
      this.#coming.set(field, coming)
    }
    return coming
  }

  async #read(field: string, start: number): Promise<void> {
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#maxDoc))
    await this.#ranges!.read(bytes, start)
    this.#loaded.set(field, bytes)
  }

  async close(): Promise<void> {
    await this.#ranges?.close()
  }
}
