/**
 * Analyzes documents again whose texts an analyzer now cuts otherwise, from what is stored of them: each is read, added
 * anew and deleted where it was, some hundred at a time, while other calls of the writer come in between. What is read
 * stays apart from what is written: the segments that are gone through are not merged until the end, so that who stops,
 * or is killed, goes on with what is left in them.
 */
import { SpindleError } from '@spindle/core'
import type { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import type { FieldInfo } from '../document/field-info.js'
import { hasOrdinals, isNumeric } from '../document/field-type.js'
import { numberText } from '../document/numeric-text.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { DeleteQuery } from './buffered-deletes.js'
import type { WriterSegment } from './writer-segment.js'

/** Which documents are analyzed again. */
export interface ReanalysisQuery extends DeleteQuery {
  /** Whether a document that matches is among them; all are where not given. */
  accepts?(document: Document): boolean
}

/** Fields that are indexed and not stored, and are made of others that are. */
export interface DerivedFields {
  readonly names: readonly string[]
  /** Those of a document, told by its stored fields. */
  of(document: Document): Iterable<Field>
}

/** Settings of `IndexWriter.reanalyze`. */
export interface ReanalysisOptions {
  readonly derived?: DerivedFields | undefined
  readonly signal?: AbortSignal
  /** Told now and then how many documents were analyzed again. */
  readonly onProgress?: (done: number) => void
}

/** Which segments of an index documents are analyzed again of; all where nothing is said. */
export interface ReanalysisScope {
  /** Names of these alone: what another reanalysis has left. */
  readonly only?: readonly string[]
  /** Names of those that are left out. */
  readonly except?: readonly string[]
  readonly derived?: DerivedFields | undefined
  /** Called when all documents added before are in segments, and none that is added later: the moment to change an analyzer. */
  readonly onHeld?: () => void
}

/** What a {@link Reanalysis} needs of its writer. */
export interface ReanalysisWriter {
  /** Does some work between other calls, with everything before it carried out. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Holds the segments that it is about, with all that was done before in them. */
  hold(): Promise<WriterSegment[]>
  release(segments: readonly WriterSegment[]): void
  add(document: Document): Promise<void>
}

/** A step ends after so many documents, or so many characters. */
const DOCS_OF_A_STEP = 500
const CHARACTERS_OF_A_STEP = 8_000_000

/** Documents of some segments that are to be analyzed again; see the head of this file. */
export class Reanalysis {
  readonly #writer: ReanalysisWriter
  readonly #query: ReanalysisQuery
  readonly #derived: DerivedFields | undefined
  readonly #segments: WriterSegment[]
  /** Those that are gone through, and the documents of the first of them that are left. */
  #left: WriterSegment[]
  #docs: Int32Array | undefined
  #done = 0
  #ended = false

  private constructor(
    writer: ReanalysisWriter,
    query: ReanalysisQuery,
    derived: DerivedFields | undefined,
    segments: WriterSegment[],
  ) {
    this.#writer = writer
    this.#query = query
    this.#derived = derived
    this.#segments = segments
    this.#left = [...segments]
  }

  /** To be called when nothing else is done. */
  static async begin(
    writer: ReanalysisWriter,
    query: ReanalysisQuery,
    derived: DerivedFields | undefined,
  ): Promise<Reanalysis> {
    const segments = await writer.hold()
    try {
      for (const segment of segments) await segment.read(async (reader) => checkFields(reader, derived?.names))
      return new Reanalysis(writer, query, derived, segments)
    } catch (error) {
      writer.release(segments)
      throw error
    }
  }

  /** Names of the segments: those that a later reanalysis has to be given where this one does not come to its end. */
  get segments(): string[] {
    return this.#segments.map((segment) => segment.info.name)
  }

  /** Documents that were analyzed again. */
  get done(): number {
    return this.#done
  }

  /**
   * Analyzes some documents again. They are found as they were until the next commit.
   * @returns whether there may be more
   */
  next(): Promise<boolean> {
    return this.#writer.run(async () => {
      let docs = 0
      let characters = 0
      while (!this.#ended && docs < DOCS_OF_A_STEP && characters < CHARACTERS_OF_A_STEP) {
        const segment = this.#left[0]
        if (segment === undefined) {
          this.#release()
          break
        }
        if (segment.numDocs === 0) {
          this.#leave()
          continue
        }
        const read = await segment.read((reader) =>
          this.#step(segment, reader, DOCS_OF_A_STEP - docs, CHARACTERS_OF_A_STEP - characters),
        )
        docs += read.docs
        characters += read.characters
      }
      return !this.#ended
    })
  }

  /** Leaves the rest as it is. */
  end(): Promise<void> {
    return this.#writer.run(async () => this.#release())
  }

  #release(): void {
    if (this.#ended) return
    this.#ended = true
    this.#left = []
    this.#writer.release(this.#segments)
  }

  #leave(): void {
    this.#docs = undefined
    this.#left.shift()
  }

  async #step(segment: WriterSegment, reader: SegmentReader, maxDocs: number, maxCharacters: number) {
    const matching = await this.#matching(reader)
    const hidden = await hiddenFields(reader)
    let at = 0
    let characters = 0
    for (; at < matching.length && at < maxDocs && characters < maxCharacters; at++) {
      const doc = matching[at]!
      // Deleted, or replaced by a newer one, since it was found.
      if (reader.liveDocs?.get(doc) === false) continue
      const stored = await reader.document(doc)
      if (this.#derived !== undefined) for (const field of this.#derived.of(stored)) stored.add(field)
      for (const { value } of stored.fields) characters += value.length
      if (this.#query.accepts?.(stored) === false) continue
      for (const values of hidden) for (const field of values(doc)) stored.add(field)
      await this.#writer.add(stored)
      segment.deleteDoc(doc)
      this.#done++
    }
    this.#docs = matching.subarray(at)
    if (this.#docs.length === 0) this.#leave()
    return { docs: at, characters }
  }

  async #matching(reader: SegmentReader): Promise<Int32Array> {
    if (this.#docs !== undefined) return this.#docs
    const found = await this.#query.matchingDocs(reader)
    const docs = new Int32Array(found.count())
    for (let doc = found.nextSetBit(0), i = 0; doc >= 0; doc = found.nextSetBit(doc + 1)) docs[i++] = doc
    return docs
  }
}

/** Whether a segment is one of those that are asked for. */
export function isInScope(name: string, { only, except }: ReanalysisScope): boolean {
  return (only === undefined || only.includes(name)) && except?.includes(name) !== true
}

/** What documents have and does not come back with them: fields that are not stored, without those that are made of others. */
function unstoredFields(reader: SegmentReader): FieldInfo[] {
  const infos = new Map<string, FieldInfo>()
  for (const info of reader.data.fieldInfos.values()) infos.set(info.name, info)
  for (const info of reader.overlays?.infos ?? []) if (!infos.has(info.name)) infos.set(info.name, info)
  return [...infos.values()].filter(
    ({ name, type, sources }) => !type.stored && sources === undefined && !name.includes('#'),
  )
}

/** @throws SpindleError REANALYSIS_IMPOSSIBLE */
function checkFields(reader: SegmentReader, derived: readonly string[] = []): void {
  for (const { name, type, docCount } of unstoredFields(reader)) {
    if (type.docValues || docCount === 0 || derived.includes(name)) continue
    throw new SpindleError(
      'REANALYSIS_IMPOSSIBLE',
      `The field ${name} is indexed and not stored, so its documents cannot be analyzed again from the index: add them anew from where they came from, or store the field.`,
    )
  }
}

/** For each field that is only in doc values, what gives its values. */
async function hiddenFields(reader: SegmentReader): Promise<((doc: number) => Field[])[]> {
  const getters: ((doc: number) => Field[])[] = []
  for (const { name, type } of unstoredFields(reader)) {
    const values = type.docValues ? await reader.docValues(name) : null
    if (values === null) continue
    if (isNumeric(type.kind)) {
      getters.push((doc) =>
        values.numbers(doc).map((number) => new Field(name, numberText(name, type.kind, number), type)),
      )
    } else if (hasOrdinals(type)) {
      getters.push((doc) =>
        values.numbers(doc).map((ordinal) => new Field(name, reader.data.terms.termAt(name, ordinal), type)),
      )
    }
  }
  return getters
}
