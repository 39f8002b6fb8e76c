/** One segment, file by file and part by part. A damaged part does not hide the others. */
import type { IndexField, SegmentCommit } from '../codec/commit-point.js'
import { readFieldInfos } from '../codec/field-infos.js'
import { readLiveDocs } from '../codec/live-docs.js'
import {
  fieldValuesFile,
  liveDocsFile,
  SEGMENT_COMPONENTS,
  type SegmentComponent,
  segmentFile,
} from '../codec/segment-files.js'
import { readSegmentInfo } from '../codec/segment-info.js'
import { type FieldInfo, printSources } from '../document/field-info.js'
import { typeCode } from '../document/field-type.js'
import { SegmentData } from '../reading/segment-data.js'
import type { Directory } from '../store/directory.js'
import type { Component } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { checkValueOverlays } from './check-doc-values.js'
import { checkFile } from './check-file.js'
import { CHECK_TASKS } from './check-parts.js'
import {
  type FileReport,
  type PartName,
  type PartReport,
  runPart,
  type SegmentReport,
  UNCHECKED,
} from './check-report.js'
import type { CheckThreads } from './check-threads.js'

/** Files of a segment that its commit and its description name; all there can be where the description is unreadable. */
export async function filesOfSegment(
  directory: Directory,
  { name, id, liveGeneration, valueGenerations }: SegmentCommit,
): Promise<Map<string, Component>> {
  const files = new Map<string, Component>()
  let components: ReadonlySet<SegmentComponent> = new Set(SEGMENT_COMPONENTS)
  try {
    components = new Set<SegmentComponent>(['info', ...(await readSegmentInfo(directory, name, id)).files.keys()])
  } catch {
    // The check of the file itself tells what is wrong with it.
  }
  for (const component of SEGMENT_COMPONENTS) {
    if (components.has(component)) files.set(segmentFile(name, component), component)
  }
  if (liveGeneration > 0) files.set(liveDocsFile(name, liveGeneration), 'live')
  for (const [field, generation] of valueGenerations ?? []) {
    files.set(fieldValuesFile(name, field, generation), 'values')
  }
  return files
}

/**
 * Checks a segment.
 * @param fields those of the whole index, by number
 * @param files what {@link filesOfSegment} gives
 * @param full whether every list, column and document is decoded; otherwise only checksums and tables are compared
 * @param threads do the decoding
 */
export async function checkSegment(
  directory: Directory,
  commit: SegmentCommit,
  fields: readonly IndexField[],
  files: ReadonlyMap<string, Component>,
  full: boolean,
  threads: CheckThreads,
): Promise<SegmentReport> {
  const { name, id, maxDoc, liveGeneration, deletedCount } = commit
  // Begun first: other threads decode while this one computes checksums.
  const tasks = full ? CHECK_TASKS.map((task) => threads.run(commit, task)) : []
  for (const task of tasks) task.catch(() => {})
  const reports: FileReport[] = []
  for (const [file, component] of files) reports.push(await checkFile(directory, file, component, id))
  const parts: Record<PartName, PartReport> = {
    liveDocs: await runPart(async () => {
      if (liveGeneration > 0) await readLiveDocs(directory, name, id, liveGeneration, maxDoc, deletedCount)
      return deletedCount
    }),
    fieldInfos: await runPart(async () => {
      const info = await readSegmentInfo(directory, name, id)
      if (info.maxDoc !== maxDoc) {
        throw indexCorrupt(`${directory.path}/${segmentFile(name, 'info')}`, 0, `${maxDoc} documents`, info.maxDoc)
      }
      const infos = await readFieldInfos(directory, name, id, maxDoc)
      for (const info of infos.values()) checkField(`${directory.path}/${segmentFile(name, 'fields')}`, info, fields)
      return infos.size
    }),
    terms: UNCHECKED,
    postings: UNCHECKED,
    norms: UNCHECKED,
    docValues: UNCHECKED,
    storedFields: UNCHECKED,
  }
  if (full) Object.assign(parts, ...(await Promise.all(tasks)))
  else {
    const opened = await runPart(async () => {
      await (await SegmentData.open(directory, name, id, maxDoc, false)).release()
      return 0
    })
    if (opened.error !== null) parts.terms = opened
  }
  const later = await runPart(async () => {
    if (commit.valueGenerations === undefined) return 0
    return checkValueOverlays(directory, commit, await readFieldInfos(directory, name, id, maxDoc), fields)
  })
  if (later.error !== null && parts.docValues.error === null) parts.docValues = later
  return {
    name,
    id: Buffer.from(id).toString('hex'),
    maxDoc,
    deleted: deletedCount,
    bytes: reports.reduce((sum, file) => sum + file.bytes, 0),
    ok: reports.every((file) => file.ok) && Object.values(parts).every((part) => part.error === null),
    files: reports,
    parts,
  }
}

/** A number means the same field in all segments. */
function checkField(file: string, info: FieldInfo, fields: readonly IndexField[]): void {
  const field = fields[info.number]
  const tell = (one: IndexField | undefined) =>
    one === undefined
      ? 'none'
      : `${JSON.stringify(one.name)} with ${one.options}${one.norms ? ' and norms' : ''} of type ${typeCode(one.type)}${one.sources === undefined ? '' : ` combined of ${printSources(one.sources)}`}`
  if (tell(field) !== tell(info)) throw indexCorrupt(file, 0, `as field ${info.number} ${tell(field)}`, tell(info))
}
