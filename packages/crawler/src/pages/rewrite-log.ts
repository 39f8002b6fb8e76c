/**
 * Writes a page store's log anew: without the records that were superseded, and, where asked for, with pages that were read again.
 * The new log grows beside the old one (at most as large as what is kept of it) and takes its place by one rename, so that a
 * process killed at any moment leaves one of the two whole. One that was stopped goes on where it was.
 */
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fsyncDir, isSpindleError, RecordLogReader, RecordLogWriter, systemCode, writeFully } from '@spindle/core'
import { NewestRecords } from './newest-records.js'
import { decodeHead, encodeHead, OffsetMap, type RewriteHead } from './offset-map.js'
import { readSequence } from './page-codec.js'
import { PAGE_LOG, type PageReader } from './page-reader.js'
import type { PageStoreState } from './stored-page.js'

/** How a log is rewritten. */
export interface RewriteOptions {
  /** Changes with what `transform` does. */
  readonly purpose: string
  /**
   * The payload of a page's record as it is to be now.
   * @param offset by which the page is known
   */
  readonly transform?: (payload: Buffer, offset: number) => Promise<Buffer>
  /** Told how many of the pages are done. */
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal | undefined
}

/** Name of the new log until it is whole. */
const NEW_LOG = 'pages.log.new'
/** Records between two syncs: what is done again after a loss of power. */
const SYNC_EVERY = 1000

/**
 * Rewrites the log in a folder. Nothing may be appended to it meanwhile; who has it open must open it again.
 * @param state all of it
 * @returns false where it was stopped before it was done; then nothing has changed
 */
export async function rewriteLog(
  folder: string,
  reader: PageReader,
  state: PageStoreState,
  options: RewriteOptions,
): Promise<boolean> {
  try {
    return await rewrite(folder, reader, state, options)
  } catch (error) {
    // Whoever needs the room gets it.
    if (systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT') await dropRewrite(folder)
    throw error
  }
}

async function rewrite(
  folder: string,
  reader: PageReader,
  state: PageStoreState,
  { purpose, transform, onProgress, signal }: RewriteOptions,
): Promise<boolean> {
  const newest = new NewestRecords()
  for await (const { url, sequence, isRemoval } of reader.scanSummaries()) {
    if (signal?.aborted === true) return false
    newest.note(url, sequence, isRemoval)
  }
  const epoch = reader.epoch + (transform === undefined ? 0 : 1)
  const head: RewriteHead = { purpose, epoch, sequence: state.sequence, end: state.end, table: 0 }
  const path = join(folder, NEW_LOG)
  const written = await openNew(path, head)
  const total = newest.live
  const pairs: number[] = []
  const writer = await RecordLogWriter.open(path)
  let table: number
  try {
    for await (const { url, sequence, offset, payload, isRemoval } of reader.scanSummaries()) {
      if (signal?.aborted === true) return false
      // The last one is kept whatever it is: it tells how far the log went.
      if (!newest.isLive(url, sequence) && sequence !== newest.last) continue
      let place = written.get(sequence)
      if (place === undefined) {
        place = writer.append(isRemoval || transform === undefined ? payload : await transform(payload, offset))
        if ((pairs.length / 2) % SYNC_EVERY === 0) await writer.sync()
      }
      pairs.push(offset, place)
      onProgress?.(Math.min(pairs.length / 2, total), total)
    }
    table = writer.append(OffsetMap.encode(pairs))
    await writer.sync()
  } finally {
    await writer.close()
  }
  await complete(path, { ...head, table })
  await rename(path, join(folder, PAGE_LOG))
  await fsyncDir(folder)
  return true
}

/** Removes what a rewriting has left that nobody goes on with. */
export async function dropRewrite(folder: string): Promise<void> {
  await rm(join(folder, NEW_LOG), { force: true })
}

/** Begins a new log, or finds one that was begun for the same. @returns where which records lie in it */
async function openNew(path: string, head: RewriteHead): Promise<ReadonlyMap<number, number>> {
  const places = new Map<number, number>()
  if (await isBegun(path, head)) {
    const log = await RecordLogReader.open(path)
    try {
      for await (const { payload, offset } of log.scan()) {
        if (offset !== RecordLogReader.start) places.set(readSequence(payload, path, offset), offset)
      }
    } finally {
      await log.close()
    }
    return places
  }
  await rm(path, { force: true })
  const writer = await RecordLogWriter.open(path)
  writer.append(encodeHead(head))
  await writer.close()
  return places
}

async function isBegun(path: string, head: RewriteHead): Promise<boolean> {
  let log: RecordLogReader | undefined
  try {
    log = await RecordLogReader.open(path)
    const { payload } = await log.read(RecordLogReader.start)
    // One that has its table was not put in its place: that is quickly done again.
    return JSON.stringify(decodeHead(payload)) === JSON.stringify(head)
  } catch (error) {
    if (isSpindleError(error, 'PAGE_STORE_CORRUPT')) return false
    throw error
  } finally {
    await log?.close()
  }
}

/** Puts the place of the table into the head. */
async function complete(path: string, head: RewriteHead): Promise<void> {
  const payload = encodeHead(head)
  const file = await open(path, 'r+')
  try {
    await writeFully(file, Buffer.concat([RecordLogWriter.header(payload), payload]), RecordLogReader.start)
    await file.sync()
  } finally {
    await file.close()
  }
}
