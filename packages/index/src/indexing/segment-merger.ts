/**
 * Makes one segment of several: postings are decoded and encoded block by block (nothing is analyzed again), deleted
 * documents are left out, chunks of stored fields without deletes are copied as they are. Memory: some 10 bytes a
 * document, windows of 64 KB of the files, and the encoded list of one term.
 */
import { BitSet, largeInt32Array } from '@spindle/core'
import { BLOCK_SIZE } from '../codec/bit-packing.js'
import { NO_NORM } from '../codec/impacts.js'
import { Offsets } from '../codec/offsets.js'
import { Postings } from '../codec/postings.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import { CHUNK_LENGTH } from '../codec/stored-fields-writer.js'
import type { TermCursor } from '../codec/term-dictionary.js'
import { type FieldInfo, hasOffsets, printSources } from '../document/field-info.js'
import { hasOrdinals } from '../document/field-type.js'
import { ReadAhead } from '../reading/read-ahead.js'
import { ReadBuffer } from '../reading/read-buffer.js'
import type { SegmentData } from '../reading/segment-data.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { mergeNumbers, type NumberSource, numberSource } from './merge-numbers.js'
import { OrdinalsBuilder } from './ordinals-builder.js'
import type { SegmentWriter } from './segment-writer.js'
import type { Pace } from './yielder.js'

/** How the fields of another index are numbered in this one. */
export interface Renumbering {
  /** By the number there. */
  readonly numbers: Int32Array
  /** By the name. */
  find(name: string): number
}

/** A segment to be merged. */
export interface MergeSource {
  readonly data: SegmentData
  readonly live: BitSet | null
  /** Of a segment of another index, where fields have other numbers. */
  readonly renumbering?: Renumbering | undefined
  /** Doc values as the commit and later changes have them; those of the segment's own file where not given. */
  readonly numbers?: NumberSource | undefined
}

interface OpenSource extends MergeSource {
  /** New id of each document, −1 for deleted ones. */
  readonly docMap: Int32Array
  readonly postings: ReadAhead
  readonly positions: ReadAhead
  /** For pieces of its terms. */
  readonly terms: ReadBuffer
}

const docs = new Int32Array(BLOCK_SIZE)
const freqs = new Int32Array(BLOCK_SIZE)

/** Merges segments in the order given. At least one document is live. */
export class SegmentMerger {
  readonly #sources: readonly OpenSource[]
  readonly #writer: SegmentWriter
  readonly #yielder: Pace
  readonly #maxDoc: number
  /** One for all fields, made by the first that needs it. */
  #ordinals: OrdinalsBuilder | null = null
  #positions = new Int32Array(1024)
  #starts = new Int32Array(1024)
  #ends = new Int32Array(1024)

  constructor(sources: readonly MergeSource[], writer: SegmentWriter, yielder: Pace) {
    let maxDoc = 0
    const opened: OpenSource[] = []
    for (const { data, live, numbers, renumbering } of sources) {
      const docMap = largeInt32Array(data.info.maxDoc)
      for (let doc = 0; doc < docMap.length; doc++) docMap[doc] = live === null || live.get(doc) ? maxDoc++ : -1
      opened.push({
        data,
        live,
        numbers: numbers ?? (renumbering && numberSource(data, null, renumbering.numbers)),
        renumbering,
        docMap,
        postings: new ReadAhead(data.postings),
        positions: new ReadAhead(data.positions),
        terms: new ReadBuffer(),
      })
    }
    this.#sources = opened
    this.#writer = writer
    this.#yielder = yielder
    this.#maxDoc = maxDoc
  }

  /** Writes the merged segment. */
  async merge(): Promise<SegmentInfo> {
    const merged: FieldInfo[] = []
    const fields = this.#fields()
    const withNorms = fields.filter(
      ({ name, norms }) => norms && this.#sources.some(({ data }) => data.norms.keeps(name)),
    )
    const norms = new Uint8Array(withNorms.length > 0 ? this.#maxDoc : 0)
    this.#writer.norms.start(withNorms.map((field) => field.number))
    for (const field of fields) {
      const hasNorms = withNorms.includes(field)
      if (hasNorms) await this.#mergeNorms(field.name, norms)
      await mergeNumbers(field, this.#sources, this.#maxDoc, this.#writer.values)
      merged.push(field.options === 'none' ? field : await this.#mergeTerms(field, hasNorms ? norms : null))
      if (!hasNorms) continue
      this.#writer.norms.add(norms)
      this.#writer.norms.finishField()
    }
    await this.#mergeStored()
    return this.#writer.finish(this.#maxDoc, 'merge', merged)
  }

  /** All fields by number, with the sums of the sources. */
  #fields(): FieldInfo[] {
    const fields = new Map<number, FieldInfo>()
    for (const { data, numbers, renumbering } of this.#sources) {
      const renumbered = [...data.fieldInfos.values()].map((own) =>
        renumbering === undefined ? own : { ...own, number: renumbering.numbers[own.number] },
      )
      for (const info of [...renumbered, ...(numbers?.extraFields ?? [])]) {
        const known = fields.get(info.number)
        if (known === undefined) {
          fields.set(info.number, info)
          continue
        }
        if (!isSameField(known, info)) {
          throw indexCorrupt(data.terms.file, 0, `the field ${known.name} as in other segments`, info.name)
        }
        fields.set(info.number, {
          ...known,
          docCount: known.docCount + info.docCount,
          sumTotalTermFreq: known.sumTotalTermFreq + info.sumTotalTermFreq,
          sumDocFreq: known.sumDocFreq + info.sumDocFreq,
        })
      }
    }
    return [...fields.values()].sort((a, b) => a.number - b.number)
  }

  async #mergeNorms(field: string, merged: Uint8Array): Promise<void> {
    merged.fill(0)
    for (const { data, docMap } of this.#sources) {
      const norms = await data.norms.readOnce(field)
      if (norms === undefined) continue
      for (let doc = 0; doc < docMap.length; doc++) if (docMap[doc] >= 0) merged[docMap[doc]] = norms[doc]
    }
  }

  /** Merges the lists of a field. @returns its description with the sums of what is left */
  async #mergeTerms(field: FieldInfo, norms: Uint8Array | null): Promise<FieldInfo> {
    const { terms, postings } = this.#writer
    const withField = new BitSet(this.#maxDoc)
    const walks = this.#sources.map(({ data, terms }) => data.walkTerms(field.name, terms))
    const cursors: (TermCursor | undefined)[] = []
    for (const walk of walks) cursors.push(await walk.next())
    let sumTotalTermFreq = 0
    let sumDocFreq = 0
    let count = 0
    terms.startField(field)
    postings.startField(field)
    const ordinals = hasOrdinals(field.type) ? this.#startOrdinals() : null
    const same: number[] = []
    while (findSmallest(cursors, same)) {
      postings.startTerm()
      for (const i of same) await this.#addPostings(this.#sources[i], field, cursors[i]!, norms, withField, ordinals)
      const first = cursors[same[0]]!
      if (postings.docFreq > 0) {
        const entry = postings.finishTerm()
        sumTotalTermFreq += entry.totalTermFreq
        sumDocFreq += entry.docFreq
        ordinals?.finishTerm()
        if (!terms.add(first.bytes, 0, first.length, entry)) {
          throw indexCorrupt(this.#sources[same[0]].data.terms.file, 0, 'terms in ascending order', 'another order')
        }
      }
      for (const i of same) if (!cursors[i]!.next()) cursors[i] = await walks[i].next()
      if ((++count & 63) === 0) await this.#yielder.maybeYield()
    }
    terms.finishField()
    if (ordinals !== null) {
      this.#writer.values.addOrdinals(field.number, this.#maxDoc, ordinals.termCount, () => ordinals.runs())
    }
    return { ...field, docCount: withField.count(), sumTotalTermFreq, sumDocFreq }
  }

  #startOrdinals(): OrdinalsBuilder {
    this.#ordinals ??= new OrdinalsBuilder(this.#maxDoc)
    this.#ordinals.startField()
    return this.#ordinals
  }

  async #addPostings(
    source: OpenSource,
    info: FieldInfo,
    { entry }: TermCursor,
    norms: Uint8Array | null,
    withField: BitSet,
    ordinals: OrdinalsBuilder | null,
  ): Promise<void> {
    const { data, docMap } = source
    const writer = this.#writer.postings
    const { postingsStart, postingsLength, positionsStart } = entry
    // Offsets lie behind the positions: one range holds both.
    const positionsLength = entry.positionsEnd - positionsStart
    const hasPositions = info.options === 'positions'
    const list =
      postingsLength === 0
        ? null
        : (source.postings.get(postingsStart, postingsLength) ??
          (await source.postings.load(postingsStart, postingsLength)))
    const places =
      positionsLength === 0
        ? null
        : (source.positions.get(positionsStart, positionsLength) ??
          (await source.positions.load(positionsStart, positionsLength)))
    const context = { info, maxDoc: data.info.maxDoc, norms: null }
    const postings = new Postings(context, entry, list, places, hasPositions)
    const offsets = hasOffsets(info) ? new Offsets(entry, places) : null
    for (let b = 0; b < postings.blockCount; b++) {
      const length = postings.decodeDocs(b, docs)
      postings.decodeFreqs(b, freqs)
      let before = 0
      for (let i = 0; i < length; i++) {
        const doc = docMap[docs[i]]
        const freq = freqs[i]
        if (doc >= 0) {
          withField.set(doc)
          ordinals?.add(doc)
          writer.addDoc(doc, freq, norms === null ? NO_NORM : norms[doc])
          if (hasPositions) {
            if (before + freq > postings.totalTermFreq) {
              throw indexCorrupt(
                data.postings.file,
                postingsStart,
                `${postings.totalTermFreq} occurrences`,
                before + freq,
              )
            }
            if (freq > this.#positions.length) this.#grow(freq * 2)
            const positions = this.#positions
            postings.positions(b, before, freq, positions, 0)
            if (offsets === null) for (let n = 0; n < freq; n++) writer.addPosition(positions[n])
            else this.#addOffsets(offsets, postings.occurrence(b, before), freq)
          }
        }
        before += freq
      }
      if ((b & 63) === 63) await this.#yielder.maybeYield()
    }
  }

  /** Adds positions with their offsets. */
  #addOffsets(offsets: Offsets, first: number, freq: number): void {
    const writer = this.#writer.postings
    offsets.read(first, freq, this.#starts, this.#ends)
    for (let n = 0; n < freq; n++) {
      writer.addPosition(this.#positions[n])
      writer.addOffsets(this.#starts[n], this.#ends[n])
    }
  }

  #grow(length: number): void {
    this.#positions = new Int32Array(length)
    this.#starts = new Int32Array(length)
    this.#ends = new Int32Array(length)
  }

  async #mergeStored(): Promise<void> {
    const { stored } = this.#writer
    for (const { data, live, docMap, renumbering } of this.#sources) {
      const reader = data.stored
      if (renumbering !== undefined) {
        await this.#addStored(data, docMap, renumbering)
        continue
      }
      const compressed = reader.walk()
      for (let number = 0; number < reader.chunkCount; number++) {
        const from = reader.firstDoc(number)
        const to = reader.firstDoc(number + 1)
        let deleted = 0
        if (live !== null) for (let doc = from; doc < to; doc++) if (docMap[doc] < 0) deleted++
        if (deleted === 0 && reader.rawLength(number) >= CHUNK_LENGTH / 2) {
          await stored.addCompressed(to - from, reader.rawLength(number), await compressed(number))
        } else if (deleted < to - from) {
          const { starts, bytes } = await reader.decompress(number, await compressed(number))
          for (let doc = from; doc < to; doc++) {
            if (docMap[doc] >= 0) stored.addRaw(bytes.subarray(starts[doc - from], starts[doc - from + 1]))
          }
        }
        await stored.drain()
        await this.#yielder.maybeYield()
      }
    }
  }

  /** Stored fields hold the numbers of fields: they are read and written anew. */
  async #addStored(data: SegmentData, docMap: Int32Array, { find }: Renumbering): Promise<void> {
    const { stored } = this.#writer
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] < 0) continue
      stored.addDocument(await data.stored.document(doc), find)
      if (stored.needsDrain) await stored.drain()
      await this.#yielder.maybeYield()
    }
  }
}

/** Whether two segments say the same of a field. */
function isSameField(a: FieldInfo, b: FieldInfo): boolean {
  const isSame = a.name === b.name && a.type === b.type && a.options === b.options && a.norms === b.norms
  return isSame && printSources(a.sources ?? []) === printSources(b.sources ?? [])
}

/** Puts the indexes of the cursors at the smallest term into `same`. @returns false where all cursors are at their end */
function findSmallest(cursors: readonly (TermCursor | undefined)[], same: number[]): boolean {
  same.length = 0
  for (let i = 0; i < cursors.length; i++) {
    const cursor = cursors[i]
    if (cursor === undefined) continue
    const order = same.length === 0 ? -1 : compareTerms(cursor, cursors[same[0]]!)
    if (order > 0) continue
    if (order < 0) same.length = 0
    same.push(i)
  }
  return same.length > 0
}

function compareTerms(a: TermCursor, b: TermCursor): number {
  const limit = Math.min(a.length, b.length)
  for (let i = 0; i < limit; i++) if (a.bytes[i] !== b.bytes[i]) return a.bytes[i] - b.bytes[i]
  return a.length - b.length
}
