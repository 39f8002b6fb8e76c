/** The files of a segment being written, all open at once; for flushes and merges alike. */
import { randomBytes } from 'node:crypto'
import { DocValuesWriter } from '../codec/doc-values-writer.js'
import { writeFieldInfos } from '../codec/field-infos.js'
import { NormsWriter } from '../codec/norms.js'
import { PostingsWriter } from '../codec/postings-writer.js'
import { SEGMENT_COMPONENTS, type SegmentComponent, segmentFile } from '../codec/segment-files.js'
import { type SegmentInfo, writeSegmentInfo } from '../codec/segment-info.js'
import { StoredFieldsWriter } from '../codec/stored-fields-writer.js'
import { TermDictionaryWriter } from '../codec/term-dictionary-writer.js'
import type { FieldInfo } from '../document/field-info.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { ID_LENGTH } from '../store/file-header.js'

/** Writers of the components of one segment. */
export class SegmentWriter {
  readonly name: string
  readonly id: Uint8Array
  readonly stored: StoredFieldsWriter
  readonly postings: PostingsWriter
  readonly terms: TermDictionaryWriter
  readonly norms: NormsWriter
  readonly values: DocValuesWriter
  readonly #directory: Directory
  readonly #outputs: ReadonlyMap<SegmentComponent, CheckedOutput>

  private constructor(
    directory: Directory,
    name: string,
    id: Uint8Array,
    outputs: ReadonlyMap<SegmentComponent, CheckedOutput>,
  ) {
    this.#directory = directory
    this.name = name
    this.id = id
    this.#outputs = outputs
    this.stored = new StoredFieldsWriter(outputs.get('stored')!)
    this.postings = new PostingsWriter(outputs.get('postings')!, outputs.get('position')!)
    this.terms = new TermDictionaryWriter(outputs.get('terms')!)
    this.norms = new NormsWriter(outputs.get('norms')!)
    this.values = new DocValuesWriter(outputs.get('values')!)
  }

  static async create(directory: Directory, name: string): Promise<SegmentWriter> {
    const id = randomBytes(ID_LENGTH)
    const outputs = new Map<SegmentComponent, CheckedOutput>()
    try {
      for (const component of ['stored', 'postings', 'position', 'terms', 'norms', 'values'] as const) {
        outputs.set(component, await CheckedOutput.create(directory, segmentFile(name, component), component, id))
      }
      return new SegmentWriter(directory, name, id, outputs)
    } catch (error) {
      await removeSegment(directory, name, outputs.values())
      throw error
    }
  }

  /** Ends all files and writes the segment's description. */
  async finish(maxDoc: number, source: SegmentInfo['source'], infos: readonly FieldInfo[]): Promise<SegmentInfo> {
    const { name, id } = this
    const files = new Map<SegmentComponent, number>()
    files.set('fields', await writeFieldInfos(this.#directory, name, id, infos))
    files.set('terms', await this.terms.finish())
    files.set('postings', await this.#outputs.get('postings')!.finish())
    files.set('position', await this.#outputs.get('position')!.finish())
    files.set('norms', await this.norms.finish())
    files.set('values', await this.values.finish())
    files.set('stored', await this.stored.finish())
    const info: SegmentInfo = { name, id, maxDoc, source, files }
    await writeSegmentInfo(this.#directory, info)
    return info
  }

  /** Closes the files and, where wished, removes them, as far as possible. */
  async abandon(remove: boolean): Promise<void> {
    await this.stored.abandon().catch(() => {})
    if (remove) await removeSegment(this.#directory, this.name, this.#outputs.values())
    else for (const output of this.#outputs.values()) await output.abandon().catch(() => {})
  }
}

async function removeSegment(directory: Directory, name: string, outputs: Iterable<CheckedOutput>): Promise<void> {
  for (const output of outputs) await output.abandon().catch(() => {})
  for (const component of SEGMENT_COMPONENTS) await directory.delete(segmentFile(name, component)).catch(() => {})
}
