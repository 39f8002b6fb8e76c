/** Doc values of a segment that were changed after it was written: a file a field, which stands for the column of then. */
import type { SegmentCommit } from '../codec/commit-point.js'
import type { DocValues } from '../codec/doc-values.js'
import { fieldValuesFile } from '../codec/segment-files.js'
import type { FieldInfo } from '../document/field-info.js'
import type { Directory } from '../store/directory.js'
import { DocValuesFile } from './doc-values-file.js'

/** The later columns of one segment in one commit. */
export class ValueOverlays {
  readonly #files: ReadonlyMap<string, DocValuesFile>

  private constructor(files: ReadonlyMap<string, DocValuesFile>) {
    this.#files = files
  }

  /**
   * Opens the files that a commit names; null where it names none.
   * @throws SpindleError INDEX_CORRUPT; ENOENT where a file is missing
   */
  static async open(
    directory: Directory,
    { name, id, maxDoc, valueGenerations }: SegmentCommit,
    infos: ReadonlyMap<number, FieldInfo>,
  ): Promise<ValueOverlays | null> {
    if (valueGenerations === undefined || valueGenerations.size === 0) return null
    const files = new Map<string, DocValuesFile>()
    try {
      for (const [number, generation] of valueGenerations) {
        const file = fieldValuesFile(name, number, generation)
        const opened = await DocValuesFile.open(directory, file, id, maxDoc, infos, { number, generation })
        files.set(opened.updated!.name, opened)
      }
      return new ValueOverlays(files)
    } catch (error) {
      for (const file of files.values()) await file.release()
      throw error
    }
  }

  /** What is known of a changed field that the segment was written without. */
  fieldInfo(field: string): FieldInfo | undefined {
    const updated = this.#files.get(field)?.updated
    if (!updated) return undefined
    const { number, name, type } = updated
    return { number, name, type, options: 'none', norms: false, docCount: 0, sumTotalTermFreq: 0, sumDocFreq: 0 }
  }

  /** The changed fields. */
  get infos(): FieldInfo[] {
    return [...this.#files.keys()].map((name) => this.fieldInfo(name)!)
  }

  /** Bytes of the files. */
  get bytes(): number {
    let bytes = 0
    for (const file of this.#files.values()) bytes += file.length
    return bytes
  }

  /** The column of a changed field, null where it holds nothing any more; undefined for other fields. */
  load(field: string): Promise<DocValues | null> | undefined {
    const file = this.#files.get(field)
    return file?.load(file.updated!.number)
  }

  async release(): Promise<void> {
    for (const file of this.#files.values()) await file.release()
  }
}
