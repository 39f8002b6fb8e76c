/** `spindle check-index`: runs the check, prints what it found, and takes out damaged segments where that is asked for. */
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import { checkIndex } from '../check/check-index.js'
import type { CheckReport, PartReport, SegmentReport } from '../check/check-report.js'
import { type ExorciseResult, exorcise } from '../check/exorcise.js'
import { isFormatError } from '../store/format-version.js'
import { indexFolder } from './index-folder.js'

/** What the command line asks for. */
export interface CheckIndexFlags {
  readonly dir?: string
  readonly segment?: string
  readonly idField?: string
  readonly fast: boolean
  readonly json: boolean
  readonly exorcise: boolean
  readonly purge: boolean
}

/** Runs the command. @returns exit code: 0 clean, 1 damaged, 2 wrong usage, 3 no index or unreadable, 4 other format */
export async function checkIndexCommand(flags: CheckIndexFlags): Promise<number> {
  const id = flags.idField === undefined ? {} : { idField: flags.idField }
  try {
    const dir = await indexFolder(flags.dir ?? join('data', 'index'))
    const report = await checkIndex(dir, {
      ...id,
      fast: flags.fast,
      ...(flags.segment === undefined ? {} : { segment: flags.segment }),
    })
    let taken: ExorciseResult | null = null
    const canExorcise = report.error === null && report.badSegments.length > 0
    if (flags.exorcise && canExorcise) taken = await exorcise(dir, report, { ...id, purge: flags.purge })
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(taken === null ? report : { ...report, exorcised: taken })}\n`
        : text(report, taken),
    )
    if (report.clean) return 0
    // What is left must be clean by itself; an identity that is there twice is still there twice.
    return taken !== null && (await checkIndex(dir, id)).clean ? 0 : 1
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`spindle check-index: ${message.replace(/\s*\n\s*/g, ' ')}\n`)
    if (isSpindleError(error, 'CONFIG_INVALID')) return 2
    if (isFormatError(error)) return 4
    return isSpindleError(error, 'INDEX_CORRUPT') ? 1 : 3
  }
}

function text(report: CheckReport, taken: ExorciseResult | null): string {
  const lines: string[] = []
  if (report.error !== null) lines.push(`The commit point is damaged: ${report.error}`)
  else {
    lines.push(
      `${report.path}: generation ${report.generation}, format ${report.formatVersion}, written by ${report.createdBy}, ${counted(report.docs, 'document')}` +
        ` (${count(report.deleted)} deleted), ${counted(report.segments.length, 'segment')} checked, ${megabytes(report.bytes)}`,
    )
  }
  for (const segment of report.segments) lines.push(...segmentLines(segment))
  if (report.uniqueIds !== null) {
    lines.push(
      `  ${report.uniqueIds.field}: ${report.uniqueIds.error ?? counted(report.uniqueIds.count, 'different value')}`,
    )
  }
  if (report.missingFiles.length > 0) lines.push(`Missing: ${report.missingFiles.join(', ')}`)
  if (report.pointer !== null && report.pointer.generation !== report.generation) {
    const what = report.pointer.error ?? `It names generation ${report.pointer.generation}.`
    lines.push(`The pointer of readers over HTTP is not up to date; the next commit writes it anew. ${what}`)
  }
  if (report.lock !== null) {
    lines.push(`A writer is at work: process ${report.lock.pid} on ${report.lock.host} since ${report.lock.since}.`)
  }
  const spare = [...report.unreferencedFiles, ...report.leftoverFiles]
  if (spare.length > 0) {
    const why = report.lock === null ? 'left over; the next writer removes them' : 'of the writer at work, or left over'
    lines.push(`${counted(spare.length, 'file')} of no commit (${why}).`)
  }
  if (report.clean) {
    const speed =
      report.mode === 'full' ? `, ${megabytes((report.bytes / Math.max(1, report.ms)) * 1000)} a second` : ''
    lines.push(`Clean (${report.mode} check, ${(report.ms / 1000).toFixed(1)} s${speed}).`)
  } else if (report.badSegments.length > 0) {
    lines.push(
      `DAMAGED: ${report.badSegments.join(', ')} with ${counted(report.docsLost, 'document')}.` +
        (taken === null ? ' Restore the index from a backup or build it again; --exorcise goes on without them.' : ''),
    )
  } else lines.push('DAMAGED.')
  if (taken !== null) {
    lines.push(
      `Generation ${taken.generation} is written without ${taken.segments.join(', ')}: ${counted(taken.docsLost, 'document')} lost.`,
    )
    for (const one of taken.idsLost) lines.push(`  lost: ${one}`)
    if (taken.keptFiles.length > 0) lines.push(`Their files are kept: ${taken.keptFiles.join(', ')}`)
  }
  return `${lines.join('\n')}\n`
}

function segmentLines(segment: SegmentReport): string[] {
  const { name, maxDoc, deleted, bytes, ok, parts } = segment
  const seen = (Object.entries(parts) as [string, PartReport][])
    .filter(([, part]) => part.checked)
    .map(([part, { count: n }]) => `${part} ${count(n)}`)
  const lines = [
    `  ${name}: ${counted(maxDoc, 'document')}, ${count(deleted)} deleted, ${megabytes(bytes)}, ${ok ? `ok (${seen.join(', ')})` : 'DAMAGED'}`,
  ]
  for (const file of segment.files) if (file.error !== null) lines.push(`    ${file.name}: ${file.error}`)
  for (const [part, { error }] of Object.entries(parts)) if (error !== null) lines.push(`    ${part}: ${error}`)
  return lines
}

function count(n: number): string {
  return n.toLocaleString('en-US')
}

/** `1 document`, `2,000 documents`. */
function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${count(Math.round(bytes))} bytes` : `${(bytes / 1e6).toFixed(1)} MB`
}
