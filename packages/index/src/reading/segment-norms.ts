/**
 * Norms of a segment: all in memory, or those of a field from the first time that it is searched (one byte a document).
 */
import { NormsReader } from '../codec/norms.js'
import type { FieldInfo } from '../document/field-info.js'
import type { CheckedInput } from '../store/checked-input.js'

/** The norms of a segment. */
export class SegmentNorms {
  /** Its file is closed where all are in memory. */
  readonly #reader: NormsReader
  /** By field. */
  readonly #loaded: Map<string, Uint8Array>
  readonly #coming = new Map<string, Promise<void>>()

  private constructor(reader: NormsReader, loaded: Map<string, Uint8Array>) {
    this.#reader = reader
    this.#loaded = loaded
  }

  /**
   * @param input the `norms` file, which is the norms' from now on
   * @param byField whether to read the norms of a field when they are asked for; otherwise all at once
   */
  static async open(
    input: CheckedInput,
    maxDoc: number,
    infos: ReadonlyMap<number, FieldInfo>,
    byField: boolean,
  ): Promise<SegmentNorms> {
    const reader = await NormsReader.open(input, maxDoc, infos)
    const loaded = new Map<string, Uint8Array>()
    if (byField) return new SegmentNorms(reader, loaded)
    for (const field of reader.fields) loaded.set(field, await reader.read(field))
    await reader.close()
    return new SegmentNorms(reader, loaded)
  }

  /** undefined where the field keeps none. @throws Error where they are not in memory */
  get(field: string): Uint8Array | undefined {
    const norms = this.#loaded.get(field)
    if (norms === undefined && this.#reader.has(field)) throw new Error(`the norms of ${field} are not in memory`)
    return norms
  }

  /** Offset in the file of the norms of a field that keeps some. */
  start(field: string): number {
    return this.#reader.start(field)
  }

  /** The norms of a field for one pass through them: where they are not in memory they are read, and not kept. */
  async readOnce(field: string): Promise<Uint8Array | undefined> {
    const norms = this.#loaded.get(field)
    return norms !== undefined || !this.#reader.has(field) ? norms : this.#reader.read(field)
  }

  /** Whether the field keeps norms in this segment. */
  keeps(field: string): boolean {
    return this.#reader.has(field)
  }

  /** Whether the norms of a field are in memory. */
  has(field: string): boolean {
    return this.#loaded.has(field)
  }

  /** Brings the norms of a field into memory; null where there is nothing to wait for. */
  load(field: string): Promise<void> | null {
    if (!this.#reader.has(field) || this.#loaded.has(field)) return null
    let coming = this.#coming.get(field)
    if (coming === undefined) {
      coming = this.#read(field).finally(() => this.#coming.delete(field))
      this.#coming.set(field, coming)
    }
    return coming
  }

  async #read(field: string): Promise<void> {
    this.#loaded.set(field, await this.#reader.read(field))
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }
}
