/**
 * Takes over the segments of other indexes: each is written once more as a segment of this one, without its deleted
 * documents. Terms are copied as they are, so both must have been made by the same analyzers. Where the fields have the
 * same numbers in both, stored fields are copied in their compressed chunks; otherwise they are read and written anew.
 */
import { resolve } from 'node:path'
import { SpindleError } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import { IndexReader } from '../reading/index-reader.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { Directory } from '../store/directory.js'
import { checkAddedFields } from './combined-fields.js'
import type { FieldTable } from './field-table.js'
import { numberSource } from './merge-numbers.js'
import { SegmentMerger } from './segment-merger.js'
import { SegmentWriter } from './segment-writer.js'
import type { Yielder } from './yielder.js'

/** What the import needs of the writer. */
export interface ImportTarget {
  readonly directory: Directory
  readonly fields: FieldTable
  readonly yielder: Yielder
  /** The analyzer of a field. */
  analyzerFor(field: string): Analyzer
  /** Name of the next segment. */
  nextName(): string
}

/** An index to be added: a folder, a directory, or a reader, which stays the caller's. */
export type IndexSource = string | Directory | IndexReader

/**
 * Opens what is to be added.
 * @param directory where it is to be added to
 * @throws SpindleError INDEX_NOT_FOUND, INDEX_CORRUPT; RangeError for the very same folder
 */
export async function openSources(
  sources: readonly IndexSource[],
  directory: Directory,
): Promise<{ readonly readers: IndexReader[]; close(): Promise<void> }> {
  const opened: IndexReader[] = []
  const close = async () => {
    for (const reader of opened) await reader.close()
  }
  try {
    const readers: IndexReader[] = []
    for (const source of sources) {
      if (source instanceof IndexReader) {
        readers.push(source)
        continue
      }
      const path = typeof source === 'string' ? source : source.path
      if (source === directory || resolve(path) === resolve(directory.path)) {
        throw new RangeError(`The index in ${path} cannot be added to itself.`)
      }
      const reader = await IndexReader.open(source)
      opened.push(reader)
      readers.push(reader)
    }
    return { readers, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Writes the segments of the readers.
 * @returns the new segments. When it fails, files may be left, which the writer removes, but no field
 * @throws SpindleError ANALYZER_MISMATCH, COMBINED_FIELD_MISMATCH, DOCUMENT_INVALID where a field has another type here,
 * INDEX_CORRUPT, DISK_FULL, INDEX_WRITE_FAILED
 */
export async function importSegments(readers: readonly IndexReader[], target: ImportTarget): Promise<SegmentInfo[]> {
  for (const reader of readers) {
    checkAnalyzers(reader, target)
    checkAddedFields(target.fields.combined, reader.fields)
  }
  const fieldCount = target.fields.fields.length
  try {
    const infos: SegmentInfo[] = []
    for (const reader of readers) {
      const numbers = target.fields.adopt(reader.fields)
      for (const segment of reader.segments) {
        if (segment.numDocs === 0) continue
        // Kept while it is read, also when its reader is closed meanwhile.
        segment.retain()
        try {
          infos.push(await importSegment(segment, numbers, target))
        } finally {
          await segment.release()
        }
      }
    }
    return infos
  } catch (error) {
    target.fields.truncate(fieldCount)
    throw error
  }
}

async function importSegment(segment: SegmentReader, numbers: Int32Array, target: ImportTarget): Promise<SegmentInfo> {
  const { data, liveDocs: live, overlays } = segment
  const writer = await SegmentWriter.create(target.directory, target.nextName())
  try {
    const isSame = numbers.every((number, i) => number === i)
    const source = isSame
      ? { data, live, numbers: numberSource(data, overlays) }
      : {
          data,
          live,
          numbers: numberSource(data, overlays, numbers),
          renumbering: { numbers, find: target.fields.number.bind(target.fields) },
        }
    return await new SegmentMerger([source], writer, target.yielder).merge()
  } catch (error) {
    await writer.abandon(false)
    throw error
  }
}

function checkAnalyzers(reader: IndexReader, target: ImportTarget): void {
  for (const { name, type, sources } of reader.fields) {
    // The layers of a field are made by its analyzer, and combined fields by those of their sources.
    if (!type.tokenized || name.includes('#') || sources !== undefined) continue
    const theirs = reader.analyzers.recordFor(name)
    const ours = target.analyzerFor(name)
    if (theirs.fingerprint === ours.fingerprint) continue
    throw new SpindleError(
      'ANALYZER_MISMATCH',
      `The field ${name} of an index to be added was written with "${theirs.name}" (${theirs.fingerprint}), and here it has "${ours.name}" (${ours.fingerprint}): both must be the same.`,
    )
  }
}
