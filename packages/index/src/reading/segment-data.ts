/**
 * The files of one segment, open: everything but the live docs, which change. Shared by all readers of the segment and
 * counted; the last one to leave closes it. After opening nothing is asked of the folder again, so a writer may delete
 * the files meanwhile.
 */

import { readFieldInfos } from '../codec/field-infos.js'
import { type LoadedRange, Postings, type PostingsContext } from '../codec/postings.js'
import { SEGMENT_COMPONENTS, type SegmentComponent, segmentFile } from '../codec/segment-files.js'
import { readSegmentInfo, type SegmentInfo } from '../codec/segment-info.js'
import { StoredFieldsReader } from '../codec/stored-fields-reader.js'
import type { TermDictionary } from '../codec/term-dictionary.js'
import { MAX_TERM_BYTES } from '../codec/term-dictionary-writer.js'
import { TermEntry } from '../codec/term-entry.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../codec/utf8.js'
import type { FieldInfo } from '../document/field-info.js'
import type { BlockCache } from '../store/block-cache.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { DocValuesFile } from './doc-values-file.js'
import { FileRanges } from './file-ranges.js'
import type { ReadBuffer } from './read-buffer.js'
import type { ReadingMemory } from './reading-memory.js'
import { SegmentNorms } from './segment-norms.js'
import { SegmentTerms, type TermWalk } from './segment-terms.js'

/** What to load of a postings list. */
export type PostingsWant = 'docs' | 'freqs' | 'positions'

/** UTF-8 of the term being looked up. */
const termBytes = new Uint8Array(MAX_TERM_BYTES * MAX_UTF8_BYTES_PER_UNIT)

/** What a reader's memory budget is for. */
const BUDGETED: readonly SegmentComponent[] = ['terms', 'postings', 'position', 'norms', 'values']

/** Segments up to this size are loaded when they are opened, larger ones behind the back of the first searches: 2 ms. */
const LOADED_AT_OPEN = 1 << 20

/** A dictionary up to this size is loaded whole, whatever the budget. */
const SMALL_DICTIONARY = 64 * 1024

type SegmentParts = Pick<
  SegmentData,
  'info' | 'fieldInfos' | 'postings' | 'positions' | 'norms' | 'values' | 'stored'
> & { readonly terms: SegmentTerms; readonly leave: () => void }

/** The open files of a segment. */
export class SegmentData {
  readonly info: SegmentInfo
  readonly fieldInfos: ReadonlyMap<number, FieldInfo>
  readonly terms: TermDictionary
  readonly postings: FileRanges
  readonly positions: FileRanges
  readonly norms: SegmentNorms
  readonly values: DocValuesFile
  readonly stored: StoredFieldsReader
  readonly #byName = new Map<string, FieldInfo>()
  readonly #terms: SegmentTerms
  readonly #leave: () => void
  #references = 1

  private constructor(parts: SegmentParts) {
    this.info = parts.info
    this.fieldInfos = parts.fieldInfos
    this.#terms = parts.terms
    this.terms = parts.terms.dictionary
    this.postings = parts.postings
    this.positions = parts.positions
    this.norms = parts.norms
    this.values = parts.values
    this.stored = parts.stored
    this.#leave = parts.leave
    for (const field of parts.fieldInfos.values()) this.#byName.set(field.name, field)
  }

  /**
   * Opens the files of a segment.
   * @param resident true: everything but stored fields is loaded into memory; false: lists are read where they are asked
   * for; 'nothing': norms and terms too, for who goes through them once; a reader's memory: all of the former where there
   * is room, otherwise lists and norms, and where there is no room for them terms, are read when they are asked for
   * @throws SpindleError INDEX_CORRUPT; ENOENT where a file is missing
   */
  static async open(
    directory: Directory,
    name: string,
    id: Uint8Array,
    maxDoc: number,
    resident: boolean | 'nothing' | ReadingMemory,
  ): Promise<SegmentData> {
    const info = await readSegmentInfo(directory, name, id)
    const path = (component: SegmentComponent) => `${directory.path}/${segmentFile(name, component)}`
    if (info.maxDoc !== maxDoc) throw indexCorrupt(path('info'), 0, `${maxDoc} documents`, info.maxDoc)
    const memory = typeof resident === 'object' ? resident : null
    const budgeted = BUDGETED.reduce((sum, component) => sum + (info.files.get(component) ?? 0), 0)
    const termsBytes = info.files.get('terms') ?? 0
    // All of it, or at least the terms, or nothing.
    const isWhole = memory?.admit(budgeted) ?? false
    const admitted = isWhole ? budgeted : memory?.admit(termsBytes) ? termsBytes : 0
    const leave = () => memory?.leave(admitted)
    const cache = memory === null || isWhole ? null : memory.cache
    const isLarge = memory !== null && budgeted > LOADED_AT_OPEN
    const lists = cache ?? (resident === true || (isWhole && !isLarge))
    const termsByRange =
      (resident === 'nothing' || (memory !== null && (admitted === 0 || isLarge))) && termsBytes > SMALL_DICTIONARY
    const opened: { close(): Promise<void> }[] = []
    const open = async <T extends { readonly length: number } & ({ close(): Promise<void> } | DocValuesFile)>(
      component: SegmentComponent,
      opening: Promise<T>,
    ): Promise<T> => {
      const file = await opening
      opened.push(file instanceof DocValuesFile ? { close: () => file.release() } : file)
      const expected = info.files.get(component)
      if (expected !== file.length) throw indexCorrupt(path(component), file.length, `${expected} bytes`, file.length)
      return file
    }
    const ranges = (component: 'postings' | 'position' | 'terms', access: boolean | BlockCache) =>
      open(component, FileRanges.open(directory, segmentFile(name, component), component, id, access))
    const input = (component: 'norms' | 'stored') =>
      open(component, CheckedInput.open(directory, segmentFile(name, component), component, id))
    try {
      // Side by side: over a network each of them is a round trip or two.
      const [fieldInfos, postings, positions, termsFile, normsFile, storedFile] = await settleAll([
        readFieldInfos(directory, name, id, maxDoc),
        ranges('postings', lists),
        ranges('position', lists),
        ranges('terms', termsByRange && cache !== null ? cache : false),
        input('norms'),
        input('stored'),
      ])
      const limits = { maxDoc, postingsEnd: postings.end, positionsEnd: positions.end }
      const [terms, norms, values, stored] = await settleAll([
        SegmentTerms.open(termsFile, fieldInfos, limits, termsByRange),
        SegmentNorms.open(normsFile, maxDoc, fieldInfos, cache !== null || resident === 'nothing'),
        open('values', DocValuesFile.open(directory, segmentFile(name, 'values'), id, maxDoc, fieldInfos)),
        StoredFieldsReader.open(storedFile, maxDoc, fieldInfos),
      ])
      if (isLarge && admitted > 0) {
        memory.later(() => terms.load())
        if (isWhole) memory.later(() => postings.fill())
        if (isWhole) memory.later(() => positions.fill())
      }
      return new SegmentData({ info, fieldInfos, terms, postings, positions, norms, values, stored, leave })
    } catch (error) {
      leave()
      for (const one of opened) await one.close()
      throw error
    }
  }

  fieldInfo(field: string): FieldInfo | undefined {
    return this.#byName.get(field)
  }

  /** Fills `entry`. @returns false where the segment has no such term @throws Error where terms are read by range */
  find(field: string, term: string, entry: TermEntry): boolean {
    if (term.length > MAX_TERM_BYTES) return false
    return this.terms.find(field, termBytes, encodeUtf8(term, termBytes), entry)
  }

  /** The same wherever the terms are. */
  async load(field: string, term: string, entry: TermEntry): Promise<boolean> {
    if (this.terms.isResident) return this.find(field, term, entry)
    if (term.length > MAX_TERM_BYTES) return false
    const length = encodeUtf8(term, termBytes)
    return this.#terms.find(field, termBytes.slice(0, length), length, entry)
  }

  /** Brings the whole dictionary into memory; null where it is there. */
  loadTerms(): Promise<void> | null {
    return this.#terms.load()
  }

  /**
   * Walks through the terms of a field, wherever they are.
   * @param buffer memory for pieces that are read, of its own where not given
   */
  walkTerms(field: string, buffer?: ReadBuffer): TermWalk {
    return this.#terms.walk(field, buffer)
  }

  /** Loads what is wanted of a term's list; null where the segment has no such term. */
  async loadPostings(field: string, term: string, want: PostingsWant): Promise<Postings | null> {
    const info = this.#byName.get(field)
    const entry = new TermEntry()
    if (info === undefined) return null
    // Without a promise where everything is in memory.
    if (!(this.terms.isResident ? this.find(field, term, entry) : await this.load(field, term, entry))) return null
    const resident = this.residentPostings(info, entry, want)
    if (resident !== undefined) return resident
    const { postingsLength, positionsLength } = entry
    const { postings, positions } = this
    const wantsPositions = want === 'positions' && info.options === 'positions'
    const needsPlaces = wantsPositions && positionsLength > 0
    const [list, places] = await Promise.all([
      postingsLength === 0 ? null : (postings.loaded ?? postings.load(entry.postingsStart, postingsLength)),
      needsPlaces ? (positions.loaded ?? positions.load(entry.positionsStart, positionsLength)) : null,
      want === 'docs' ? null : this.norms.load(field),
    ])
    return this.#makePostings(info, entry, want, list, places)
  }

  /** What is wanted of the list of an entry of the dictionary, where all of it is in memory; undefined otherwise. */
  residentPostings(info: FieldInfo, entry: TermEntry, want: PostingsWant): Postings | undefined {
    const needsPlaces = want === 'positions' && info.options === 'positions' && entry.positionsLength > 0
    const list = entry.postingsLength === 0 ? null : this.postings.loaded
    const places = needsPlaces ? this.positions.loaded : null
    if ((entry.postingsLength > 0 && list === null) || (needsPlaces && places === null)) return undefined
    if (want !== 'docs' && this.norms.load(info.name) !== null) return undefined
    return this.#makePostings(info, entry, want, list, places)
  }

  #makePostings(
    info: FieldInfo,
    entry: TermEntry,
    want: PostingsWant,
    list: LoadedRange | null,
    places: LoadedRange | null,
  ): Postings {
    const field = info.name
    const wantsPositions = want === 'positions' && info.options === 'positions'
    const norms = want === 'docs' && !this.norms.has(field) ? null : (this.norms.get(field) ?? null)
    const context: PostingsContext = { info, maxDoc: this.info.maxDoc, norms }
    return new Postings(context, entry, list, places, wantsPositions)
  }

  retain(): void {
    this.#references++
  }

  async release(): Promise<void> {
    if (--this.#references > 0) return
    this.#leave()
    await this.#terms.close()
    await this.norms.close()
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

/** Waits for all, so that nothing is opened behind the back of who cleans up; throws the first error by place. */
async function settleAll<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
