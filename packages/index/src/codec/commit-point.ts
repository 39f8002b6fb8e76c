/**
 * The commit point: everything that makes an index of files. Its file, `segments_N`, appears by a rename after all that
 * it names is on disk; the highest N is the index. See INDEX-FORMAT.md.
 */
import { ByteReader, ByteWriter } from '@spindle/core'
import type { AnalyzerSettings } from '../analysis/analyzer.js'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH, ID_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { type FieldSchema, readFieldSchema, writeFieldSchema } from './field-infos.js'
import { commitFile, commitGeneration, segmentName } from './segment-files.js'

/** A segment as a commit names it. */
export interface SegmentCommit {
  readonly name: string
  /** 16 bytes. */
  readonly id: Uint8Array
  readonly maxDoc: number
  /** Generation of its live docs file; 0: no deletes, no file. */
  readonly liveGeneration: number
  readonly deletedCount: number
  /** For each field number whose doc values were changed since, the generation of its file; left out: none. */
  readonly valueGenerations?: ReadonlyMap<number, number>
}

/** A field of the index; its number is its place in the list. */
export type IndexField = FieldSchema

/** An analyzer as it is recorded. */
export interface AnalyzerRecord {
  readonly name: string
  readonly settings: AnalyzerSettings
  readonly fingerprint: string
}

/** Written into every commit; held against the version of the package by a test. */
const CREATED_BY = 'spindle 0.1.0'

/** Contents of a commit point. Its file has an id besides, by which two commits of one generation are told apart. */
export interface CommitPoint {
  readonly generation: number
  /** Number that the next segment gets. */
  readonly nextSegment: number
  readonly segments: readonly SegmentCommit[]
  readonly fields: readonly IndexField[]
  readonly analyzer: AnalyzerRecord
  /** Analyzers of single fields. */
  readonly analyzers: ReadonlyMap<string, AnalyzerRecord>
  readonly userData: Readonly<Record<string, string>>
  /** Program and version that wrote the commit; of a commit that is not written yet left out. */
  readonly createdBy?: string
}

/** Generation of the newest commit, or 0 where there is none. */
export function latestGeneration(names: readonly string[]): number {
  let latest = 0
  for (const name of names) latest = Math.max(latest, commitGeneration(name) ?? 0)
  return latest
}

/** Writes a commit point under a name of the caller's choice. */
export async function writeCommitPoint(
  directory: Directory,
  name: string,
  id: Uint8Array,
  commit: CommitPoint,
): Promise<void> {
  const bytes = new ByteWriter(1024)
  bytes.writeVarint(commit.generation)
  bytes.writeVarint(commit.nextSegment)
  bytes.writeVarint(commit.segments.length)
  for (const segment of commit.segments) {
    bytes.writeString(segment.name)
    bytes.writeBytes(segment.id)
    bytes.writeVarint(segment.maxDoc)
    bytes.writeVarint(segment.liveGeneration)
    bytes.writeVarint(segment.deletedCount)
    bytes.writeVarint(segment.valueGenerations?.size ?? 0)
    for (const [field, valueGeneration] of segment.valueGenerations ?? []) {
      bytes.writeVarint(field)
      bytes.writeVarint(valueGeneration)
    }
  }
  bytes.writeVarint(commit.fields.length)
  for (const field of commit.fields) writeFieldSchema(bytes, field)
  writeAnalyzer(bytes, commit.analyzer)
  bytes.writeVarint(commit.analyzers.size)
  for (const [field, analyzer] of commit.analyzers) {
    bytes.writeString(field)
    writeAnalyzer(bytes, analyzer)
  }
  const entries = Object.entries(commit.userData)
  bytes.writeVarint(entries.length)
  for (const [key, value] of entries) {
    bytes.writeString(key)
    bytes.writeString(value)
  }
  bytes.writeString(CREATED_BY)
  const output = await CheckedOutput.create(directory, name, 'commit', id)
  try {
    output.writeBytes(bytes.view())
    await output.finish()
  } catch (error) {
    await output.abandon().catch(() => {})
    throw error
  }
}

/** Id of the commit of a generation: another one where the index was deleted and begun anew. */
export async function readCommitId(directory: Directory, generation: number): Promise<Uint8Array> {
  const input = await CheckedInput.open(directory, commitFile(generation), 'commit', null)
  await input.close()
  return input.id
}

/** Reads the commit of a generation. @throws SpindleError INDEX_CORRUPT; ENOENT where the file is gone */
export async function readCommitPoint(directory: Directory, generation: number): Promise<CommitPoint> {
  const input = await CheckedInput.open(directory, commitFile(generation), 'commit', null)
  try {
    const reader = new ByteReader(await input.readAll(false), HEADER_LENGTH, input.contentEnd)
    try {
      return parse(reader, generation)
    } catch (error) {
      if (!(error instanceof RangeError) && !(error instanceof SyntaxError)) throw error
      throw indexCorrupt(input.path, reader.position, `the commit of generation ${generation}`, error.message, error)
    }
  } finally {
    await input.close()
  }
}

function parse(reader: ByteReader, generation: number): CommitPoint {
  const written = reader.readVarint()
  if (written !== generation) throw new RangeError(`generation ${written}`)
  const nextSegment = reader.readVarint()
  const segments: SegmentCommit[] = []
  const names = new Set<string>()
  let documents = 0
  for (let left = reader.readVarint(); left > 0; left--) {
    const name = reader.readString()
    const id = Uint8Array.from(reader.readBytes(ID_LENGTH))
    const maxDoc = reader.readVarint()
    const liveGeneration = reader.readVarint()
    const deletedCount = reader.readVarint()
    const valueGenerations = new Map<number, number>()
    for (let more = reader.readVarint(); more > 0; more--) {
      const field = reader.readVarint()
      if (valueGenerations.has(field)) throw new RangeError(`the field ${field} twice`)
      valueGenerations.set(field, reader.readVarint())
      if (valueGenerations.get(field) === 0) throw new RangeError('generation 0')
    }
    const number = Number(name.slice(1))
    if (!(name === segmentName(number) && number < nextSegment) || names.has(name))
      throw new RangeError(`segment ${name}`)
    if (!(maxDoc > 0 && deletedCount <= maxDoc)) throw new RangeError(`${deletedCount} deletes of ${maxDoc} documents`)
    if (liveGeneration === 0 && deletedCount > 0) throw new RangeError('deletes without a generation')
    names.add(name)
    documents += maxDoc
    const segment = { name, id, maxDoc, liveGeneration, deletedCount }
    segments.push(valueGenerations.size === 0 ? segment : { ...segment, valueGenerations })
  }
  if (documents > 0x7fffffff) throw new RangeError(`${documents} documents`)
  const fields: IndexField[] = []
  for (let left = reader.readVarint(); left > 0; left--) fields.push(readFieldSchema(reader))
  if (new Set(fields.map((field) => field.name)).size !== fields.length) throw new RangeError('a field twice')
  const analyzer = readAnalyzer(reader)
  const analyzers = new Map<string, AnalyzerRecord>()
  for (let left = reader.readVarint(); left > 0; left--) analyzers.set(reader.readString(), readAnalyzer(reader))
  // No prototype: a key may be any word.
  const userData: Record<string, string> = Object.create(null)
  for (let left = reader.readVarint(); left > 0; left--) userData[reader.readString()] = reader.readString()
  const createdBy = reader.readString()
  if (reader.remaining > 0) throw new RangeError(`${reader.remaining} bytes too many`)
  return {
    generation,
    nextSegment,
    segments,
    fields,
    analyzer,
    analyzers,
    userData: Object.freeze(userData),
    createdBy,
  }
}

function writeAnalyzer(bytes: ByteWriter, analyzer: AnalyzerRecord): void {
  bytes.writeString(analyzer.name)
  bytes.writeString(JSON.stringify(analyzer.settings))
  bytes.writeString(analyzer.fingerprint)
}

function readAnalyzer(reader: ByteReader): AnalyzerRecord {
  const name = reader.readString()
  const settings: unknown = JSON.parse(reader.readString())
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new RangeError(`settings of the analyzer ${name} that are no object`)
  }
  return { name, settings: settings as AnalyzerSettings, fingerprint: reader.readString() }
}
