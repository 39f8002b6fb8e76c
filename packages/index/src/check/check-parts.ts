/**
 * The parts of a segment of which all that is in them is decoded, in two tasks of about the same size that need nothing
 * of each other, so that two threads can do them.
 */
import type { SegmentCommit } from '../codec/commit-point.js'
import { readFieldInfos } from '../codec/field-infos.js'
import { segmentFile } from '../codec/segment-files.js'
import { StoredFieldsReader } from '../codec/stored-fields-reader.js'
import { SegmentData } from '../reading/segment-data.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import { checkCombined } from './check-combined.js'
import { checkDocValues } from './check-doc-values.js'
import { checkNorms, checkTerms, FieldLists } from './check-field.js'
import { type PartName, type PartReport, PartRun, runPart } from './check-report.js'

/** What can be checked side by side. */
export const CHECK_TASKS = ['lists', 'stored'] as const
/** One of them. */
export type CheckTask = (typeof CHECK_TASKS)[number]

/** What became of the parts of a task. */
export type CheckedParts = Partial<Record<PartName, PartReport>>

/** Does a task. Files are opened anew, so that it can be done in another thread. */
export function runCheckTask(directory: Directory, commit: SegmentCommit, task: CheckTask): Promise<CheckedParts> {
  return task === 'stored' ? checkStored(directory, commit) : checkLists(directory, commit)
}

async function checkStored(directory: Directory, { name, id, maxDoc }: SegmentCommit): Promise<CheckedParts> {
  const storedFields = await runPart(async () => {
    const infos = await readFieldInfos(directory, name, id, maxDoc)
    const input = await CheckedInput.open(directory, segmentFile(name, 'stored'), 'stored', id)
    try {
      return await (await StoredFieldsReader.open(input, maxDoc, infos)).checkDocuments()
    } finally {
      await input.close()
    }
  })
  return { storedFields }
}

async function checkLists(directory: Directory, { name, id, maxDoc }: SegmentCommit): Promise<CheckedParts> {
  let data: SegmentData | null = null
  const opened = await runPart(async () => {
    data = await SegmentData.open(directory, name, id, maxDoc, false)
    return 0
  })
  if (data === null) return { terms: opened }
  const open: SegmentData = data
  try {
    return await checkListParts(open, `${directory.path}/${segmentFile(name, 'norms')}`)
  } finally {
    await open.release()
  }
}

async function checkListParts(data: SegmentData, normsFile: string): Promise<CheckedParts> {
  const fields = [...data.fieldInfos.values()].filter((info) => info.options !== 'none')
  const terms = await runPart(() => {
    let count = 0
    for (const info of fields) count += checkTerms(data, info)
    return count
  })
  const norms = new PartRun()
  const lists = new FieldLists(data)
  const postings = await runPart(async () => {
    let count = 0
    for (const info of fields) {
      const checked = await lists.check(info)
      count += checked.postings
      // At once, as what is known of the documents of a field goes with the next one.
      await norms.add(() => checkNorms(data, info, checked.documents, normsFile))
    }
    for (const info of fields) if (info.sources !== undefined) await checkCombined(data, info)
    return count
  })
  const docValues = await runPart(async () => {
    let count = 0
    for (const info of data.fieldInfos.values()) count += await checkDocValues(data, info)
    return count
  })
  return { terms, postings, norms: norms.report, docValues }
}
