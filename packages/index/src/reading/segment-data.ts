/**
 * The files of one segment, open: everything but the live docs, which change. Shared by all readers of the segment and
 * counted; the last one to leave closes it. After opening nothing is asked of the folder again, so a writer may delete
 * the files meanwhile.
 */

import { readFieldInfos } from '../codec/field-infos.js'
import { readNorms } from '../codec/norms.js'
import { Postings, type PostingsContext } from '../codec/postings.js'
import { SEGMENT_COMPONENTS, type SegmentComponent, segmentFile } from '../codec/segment-files.js'
import { readSegmentInfo, type SegmentInfo } from '../codec/segment-info.js'
import { StoredFieldsReader } from '../codec/stored-fields-reader.js'
import { TermDictionary } from '../codec/term-dictionary.js'
import { MAX_TERM_BYTES } from '../codec/term-dictionary-writer.js'
import { TermEntry } from '../codec/term-entry.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../codec/utf8.js'
import type { FieldInfo } from '../document/field-info.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { DocValuesFile } from './doc-values-file.js'
import { FileRanges } from './file-ranges.js'

/** What to load of a postings list. */
export type PostingsWant = 'docs' | 'freqs' | 'positions'

/** UTF-8 of the term being looked up. */
const termBytes = new Uint8Array(MAX_TERM_BYTES * MAX_UTF8_BYTES_PER_UNIT)

/** The open files of a segment. */
export class SegmentData {
  readonly info: SegmentInfo
  readonly fieldInfos: ReadonlyMap<number, FieldInfo>
  readonly terms: TermDictionary
  readonly postings: FileRanges
  readonly positions: FileRanges
  readonly norms: ReadonlyMap<string, Uint8Array>
  readonly values: DocValuesFile
  readonly stored: StoredFieldsReader
  readonly #byName = new Map<string, FieldInfo>()
  #references = 1

  private constructor(
    info: SegmentInfo,
    fieldInfos: ReadonlyMap<number, FieldInfo>,
    terms: TermDictionary,
    postings: FileRanges,
    positions: FileRanges,
    norms: ReadonlyMap<string, Uint8Array>,
    values: DocValuesFile,
    stored: StoredFieldsReader,
  ) {
    this.info = info
    this.fieldInfos = fieldInfos
    this.terms = terms
    this.postings = postings
    this.positions = positions
    this.norms = norms
    this.values = values
    this.stored = stored
    for (const field of fieldInfos.values()) this.#byName.set(field.name, field)
  }

  /**
   * Opens the files of a segment.
   * @param resident whether postings and positions are loaded into memory
   * @throws SpindleError INDEX_CORRUPT; ENOENT where a file is missing
   */
  static async open(
    directory: Directory,
    name: string,
    id: Uint8Array,
    maxDoc: number,
    resident: boolean,
  ): Promise<SegmentData> {
    const info = await readSegmentInfo(directory, name, id)
    const path = (component: SegmentComponent) => `${directory.path}/${segmentFile(name, component)}`
    if (info.maxDoc !== maxDoc) throw indexCorrupt(path('info'), 0, `${maxDoc} documents`, info.maxDoc)
    const opened: { close(): Promise<void> }[] = []
    const checkLength = (component: SegmentComponent, length: number) => {
      const expected = info.files.get(component)
      if (expected !== length) throw indexCorrupt(path(component), length, `${expected} bytes`, length)
    }
    try {
      const fieldInfos = await readFieldInfos(directory, name, id, maxDoc)
      const postings = await FileRanges.open(directory, segmentFile(name, 'postings'), 'postings', id, resident)
      opened.push(postings)
      checkLength('postings', postings.length)
      const positions = await FileRanges.open(directory, segmentFile(name, 'position'), 'position', id, resident)
      opened.push(positions)
      checkLength('position', positions.length)
      const limits = { maxDoc, postingsEnd: postings.end, positionsEnd: positions.end }
      const terms = await readWhole(directory, segmentFile(name, 'terms'), 'terms', id, (input, bytes) => {
        checkLength('terms', input.length)
        return new TermDictionary(input.path, bytes, input.contentEnd, fieldInfos, limits)
      })
      const norms = await readWhole(directory, segmentFile(name, 'norms'), 'norms', id, (input, bytes) => {
        checkLength('norms', input.length)
        return readNorms(input.path, bytes, input.contentEnd, maxDoc, fieldInfos)
      })
      const values = await DocValuesFile.open(directory, segmentFile(name, 'values'), id, maxDoc, fieldInfos)
      opened.push({ close: () => values.release() })
      checkLength('values', values.length)
      const storedInput = await CheckedInput.open(directory, segmentFile(name, 'stored'), 'stored', id)
      opened.push(storedInput)
      checkLength('stored', storedInput.length)
      const stored = await StoredFieldsReader.open(storedInput, maxDoc, fieldInfos)
      return new SegmentData(info, fieldInfos, terms, postings, positions, norms, values, stored)
    } catch (error) {
      for (const one of opened) await one.close()
      throw error
    }
  }

  fieldInfo(field: string): FieldInfo | undefined {
    return this.#byName.get(field)
  }

  /** Fills `entry`. @returns false where the segment has no such term */
  find(field: string, term: string, entry: TermEntry): boolean {
    if (term.length > MAX_TERM_BYTES) return false
    return this.terms.find(field, termBytes, encodeUtf8(term, termBytes), entry)
  }

  /** Loads what is wanted of a term's list; null where the segment has no such term. */
  async loadPostings(field: string, term: string, want: PostingsWant): Promise<Postings | null> {
    const info = this.#byName.get(field)
    const entry = new TermEntry()
    if (info === undefined || !this.find(field, term, entry)) return null
    const context: PostingsContext = { info, maxDoc: this.info.maxDoc, norms: this.norms.get(field) ?? null }
    const { postingsLength, positionsLength } = entry
    const wantsPositions = want === 'positions' && info.options === 'positions'
    const { postings, positions } = this
    // Without a promise a list where everything is in memory.
    const list =
      postingsLength === 0 ? null : (postings.loaded ?? (await postings.load(entry.postingsStart, postingsLength)))
    const places =
      !wantsPositions || positionsLength === 0
        ? null
        : (positions.loaded ?? (await positions.load(entry.positionsStart, positionsLength)))
    return new Postings(context, entry, list, places, wantsPositions)
  }

  retain(): void {
    this.#references++
  }

  async release(): Promise<void> {
    if (--this.#references > 0) return
    await this.postings.close()
    await this.positions.close()
    await this.values.release()
    await this.stored.close()
  }
}

/** Compares the checksum of every file of a segment. @throws SpindleError INDEX_CORRUPT */
export async function verifySegmentFiles(directory: Directory, name: string, id: Uint8Array): Promise<void> {
  for (const component of SEGMENT_COMPONENTS) {
    const input = await CheckedInput.open(directory, segmentFile(name, component), component, id)
    try {
      await input.verifyChecksum()
    } finally {
      await input.close()
    }
  }
}

async function readWhole<T>(
  directory: Directory,
  file: string,
  component: SegmentComponent,
  id: Uint8Array,
  use: (input: CheckedInput, bytes: Uint8Array) => T,
): Promise<T> {
  const input = await CheckedInput.open(directory, file, component, id)
  try {
    return use(input, await input.readAll(true, true))
  } finally {
    await input.close()
  }
}
