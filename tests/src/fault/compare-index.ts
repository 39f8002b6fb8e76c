/** An index of the workload, held against the model: every document, check-index, and the next writer. */
import { readdirSync } from 'node:fs'
import { isSpindleError } from '@spindle/core'
import { checkIndex, IndexReader } from '@spindle/index'
import { contentsAfter, openWriter } from './workload.js'

/** Longest time from opening to the next writer being there, in milliseconds, and how often that was measured. */
export const restarts = { slowest: 0, count: 0 }

/** No restart on any machine should take so long; how long it takes is shown, not asserted. */
const RESTART_DEADLINE_MS = 20_000

/**
 * Opens, checks and compares an index after a fault, and lets the next writer in.
 * @param acknowledged last commit that returned; the one after it may be there, too, but only as a whole
 * @returns what is wrong, or undefined
 */
export async function compareIndex(dir: string, acknowledged: number): Promise<string | undefined> {
  const began = performance.now()
  let opening = 0
  try {
    const reader = await IndexReader.open(dir)
    opening = performance.now() - began
    try {
      const k = Number(reader.userData.k)
      if (k !== acknowledged && k !== acknowledged + 1) return `commit ${k} is there, ${acknowledged} was acknowledged`
      const wrong = await compareContents(reader, k)
      if (wrong !== undefined) return wrong
      const report = await checkIndex(dir, { idField: 'id' })
      if (!report.clean) return `check-index: ${JSON.stringify(report)}`
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (acknowledged > 0 || !isSpindleError(error, 'INDEX_NOT_FOUND')) return `cannot be read: ${error}`
  }
  return nextWriter(dir, opening)
}

/** The next writer gets in with no manual step and removes what was left over. @returns what is wrong, or undefined */
async function nextWriter(dir: string, opening: number): Promise<string | undefined> {
  const began = performance.now()
  const writer = await openWriter(dir)
  const elapsed = opening + performance.now() - began
  restarts.count++
  restarts.slowest = Math.max(restarts.slowest, elapsed)
  const { generation } = writer
  await writer.rollback()
  if (elapsed > RESTART_DEADLINE_MS) return `opening and the next writer took ${elapsed} ms`
  if (generation === 0) return readdirSync(dir).length === 0 ? undefined : `left over: ${readdirSync(dir)}`
  const after = await checkIndex(dir)
  const spare = [...after.unreferencedFiles, ...after.leftoverFiles]
  if (after.generation !== generation || spare.length > 0) return `left over: ${spare} of ${readdirSync(dir)}`
  return undefined
}

/** Number of the newest commit, 0 where there is none. */
export async function lastCommit(dir: string): Promise<number> {
  try {
    const reader = await IndexReader.open(dir)
    await reader.close()
    return Number(reader.userData.k)
  } catch (error) {
    if (isSpindleError(error, 'INDEX_NOT_FOUND')) return 0
    throw error
  }
}

/** Compares every live document of a snapshot with the model of its commit. @returns what is wrong, or undefined */
export async function compareContents(reader: IndexReader, k: number): Promise<string | undefined> {
  const expected = contentsAfter(k)
  if (reader.numDocs !== expected.size) return `commit ${k}: ${reader.numDocs} documents, expected ${expected.size}`
  for (let s = 0; s < reader.segments.length; s++) {
    const { liveDocs, maxDoc } = reader.segments[s]!
    for (let doc = 0; doc < maxDoc; doc++) {
      if (liveDocs !== null && !liveDocs.get(doc)) continue
      const document = await reader.document(reader.docBases[s]! + doc)
      const id = document.get('id') ?? ''
      const version = document.get('version')
      if (expected.get(id) !== version) return `commit ${k}: ${id} is ${version}, expected ${expected.get(id)}`
      expected.delete(id)
    }
  }
  const missing = [...expected.keys()][0]
  return missing === undefined ? undefined : `commit ${k}: ${missing} is missing`
}
