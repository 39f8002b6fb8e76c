/**
 * Doc values of one segment that are changed while an index is written. Changes gather in memory; a commit (or a merge,
 * or a reader of the writer) writes the whole column of each changed field as its next generation, which costs what the
 * column costs and leaves the rest of the segment alone. Changes made during a merge are remembered for its result.
 */
import type { SegmentCommit } from '../codec/commit-point.js'
import { DocValuesWriter, type NumberPairs } from '../codec/doc-values-writer.js'
import { fieldValuesFile } from '../codec/segment-files.js'
import type { FieldType } from '../document/field-type.js'
import type { SegmentData } from '../reading/segment-data.js'
import { ValueOverlays } from '../reading/value-overlays.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { changedPairs } from './numbers-buffer.js'

/** A field whose doc values are changed. */
export interface NumberField {
  readonly number: number
  readonly name: string
  readonly type: FieldType
}

/** New numbers of the documents of one field; null: none any more. */
interface FieldChanges {
  readonly field: NumberField
  readonly changes: Map<number, number | null>
}

/** Changes of one segment. */
export class SegmentNumbers {
  readonly #generations: Map<number, number>
  /** Not yet in a file, by field number. */
  readonly #pending = new Map<number, FieldChanges>()
  /** Files written that no commit knows of yet. */
  #written: string[] = []
  /** Generations that a merge reads, and changes made since it began. */
  #merging: SegmentCommit['valueGenerations'] = undefined
  /** Made since a merge began. */
  #sinceMerge: Map<number, FieldChanges> | null = null

  /** Last generation of each field that was begun, finished or not. */
  readonly #tried = new Map<number, number>()

  constructor(commit: SegmentCommit | null) {
    this.#generations = new Map(commit?.valueGenerations)
  }

  /** Takes no generation of a field up to the given one. */
  avoid(field: number, generation: number): void {
    this.#tried.set(field, Math.max(generation, this.#tried.get(field) ?? 0))
  }

  /** Whether something is not in a file. */
  get isDirty(): boolean {
    return this.#pending.size > 0
  }

  /** Whether there is something that no commit knows of, in a file or not. */
  get isChanged(): boolean {
    return this.isDirty || this.#written.length > 0
  }

  /** What a commit says of the fields, as a part of the rest. */
  get commitPart(): Pick<SegmentCommit, 'valueGenerations'> {
    return this.#generations.size === 0 ? {} : { valueGenerations: new Map(this.#generations) }
  }

  /** Gives a document one number instead of all that it has in a field; null: none. */
  set(field: NumberField, doc: number, value: number | null): void {
    note(this.#pending, field, doc, value)
    if (this.#sinceMerge !== null) note(this.#sinceMerge, field, doc, value)
  }

  /** Writes the changes as new generations. */
  async write(directory: Directory, segment: SegmentCommit, data: SegmentData): Promise<void> {
    for (const [number, { field, changes }] of this.#pending) {
      const pairs = changedPairs((await this.#current(directory, segment, data, field)) ?? NO_PAIRS, changes)
      // A file that could not be finished may still be there, so its name is not taken again.
      const generation = Math.max(this.#generations.get(number) ?? 0, this.#tried.get(number) ?? 0) + 1
      this.#tried.set(number, generation)
      const name = fieldValuesFile(segment.name, number, generation)
      const output = await CheckedOutput.create(directory, name, 'values', segment.id)
      try {
        const writer = new DocValuesWriter(output, { ...field, generation })
        writer.addNumbers(number, segment.maxDoc, () => [pairs])
        await writer.finish()
      } catch (error) {
        await output.abandon().catch(() => {})
        throw error
      }
      this.#generations.set(number, generation)
      this.#written.push(name)
    }
    this.#pending.clear()
  }

  async #current(
    directory: Directory,
    segment: SegmentCommit,
    data: SegmentData,
    field: NumberField,
  ): Promise<NumberPairs | null> {
    const generation = this.#generations.get(field.number)
    if (generation === undefined) return (await data.values.load(field.number))?.pairs() ?? null
    const named = { ...segment, valueGenerations: new Map([[field.number, generation]]) }
    const overlays = await ValueOverlays.open(directory, named, data.fieldInfos)
    try {
      return (await overlays!.load(field.name))?.pairs() ?? null
    } finally {
      await overlays!.release()
    }
  }

  /** Names of the files written since the last call, which a commit has to make durable. */
  takeWritten(): string[] {
    const files = this.#written
    this.#written = []
    return files
  }

  /** Whether a reader of that commit sees all changes. */
  isShownBy({ valueGenerations }: SegmentCommit): boolean {
    if (this.isDirty || (valueGenerations?.size ?? 0) !== this.#generations.size) return false
    for (const [field, generation] of this.#generations) if (valueGenerations!.get(field) !== generation) return false
    return true
  }

  /** A merge of what is in files begins; until it ends, these files stay. */
  beginMerge(): void {
    this.#sinceMerge = new Map()
    this.#merging = new Map(this.#generations)
  }

  /** Names of the files that a running merge reads. */
  mergingFiles(segment: string): string[] {
    return [...(this.#merging ?? [])].map(([field, generation]) => fieldValuesFile(segment, field, generation))
  }

  /** Whether changes were made since the merge began. */
  get hasCarryOver(): boolean {
    return (this.#sinceMerge?.size ?? 0) > 0
  }

  /** The merge has ended. */
  endMerge(): void {
    this.#sinceMerge = null
    this.#merging = undefined
  }

  /**
   * Carries the changes made since the merge began over to its result.
   * @param docMap id in the result of each document, −1 where it is not there
   */
  carryOver(target: SegmentNumbers, docMap: Int32Array): void {
    for (const { field, changes } of this.#sinceMerge?.values() ?? []) {
      for (const [doc, value] of changes) if (docMap[doc] >= 0) target.set(field, docMap[doc], value)
    }
  }
}

const NO_PAIRS: NumberPairs = { docs: new Int32Array(0), values: new Float64Array(0), length: 0 }

function note(all: Map<number, FieldChanges>, field: NumberField, doc: number, value: number | null): void {
  let one = all.get(field.number)
  if (one === undefined) {
    one = { field, changes: new Map() }
    all.set(field.number, one)
  }
  one.changes.set(doc, value)
}
