/**
 * Brings an index to the dictionary of the user without a crawl. A crawl goes first: where one runs it does this itself,
 * and one that begins meanwhile finds the index free after a moment, and goes on with what is left.
 */
import { DataDir, DirectoryLock, isSpindleError, SpindleError } from '@spindle/core'
import {
  ChineseAnalyzer,
  IndexDictionary,
  IndexReader,
  IndexWriter,
  UserDictionaryFile,
  withoutDictionary,
} from '@spindle/index'
import { DERIVED_FIELDS } from './page-document.js'

/** Milliseconds between two commits, and looks for a crawl. */
const COMMIT_INTERVAL = 2_000
const LOOK_INTERVAL = 200
const MEMORY_BUDGET = 16 * 1024 * 1024

/** Settings of {@link applyDictionary}. */
export interface ApplyDictionaryOptions {
  /** Data folder. */
  readonly data: string
  /** Path of the dictionary; there need be none. */
  readonly dictionary: string
  readonly signal?: AbortSignal | undefined
  /** Told of each commit how many documents were made again so far. */
  readonly onProgress?: (documents: number) => void
}

/** How it ended. */
export interface DictionaryReport {
  /** `busy`: a crawl or another process of this kind is at it; `stopped`: another one goes on with the rest. */
  readonly end: 'done' | 'stopped' | 'busy'
  /** Words of the dictionary. */
  readonly words: number
  /** Documents made again. */
  readonly documents: number
}

/**
 * See the head of this file.
 * @throws SpindleError `DICTIONARY_INVALID`, `INDEX_NOT_FOUND`, `INDEX_CORRUPT`, `ANALYZER_MISMATCH`
 */
export async function applyDictionary(options: ApplyDictionaryOptions): Promise<DictionaryReport> {
  const folder = await new DataDir(options.data).check()
  const file = new UserDictionaryFile(options.dictionary)
  await file.read()
  const analyzer = await recordedAnalyzer(folder.index)
  const busy: DictionaryReport = { end: 'busy', words: file.current.size, documents: 0 }
  if (await isCrawling(folder)) return busy
  const locks: { release(): Promise<void> }[] = []
  let writer: IndexWriter | undefined
  try {
    locks.push(await DirectoryLock.acquire(folder.root, DataDir.dictionaryLock))
    writer = await IndexWriter.open(folder.index, { analyzer, memoryBudget: MEMORY_BUDGET, create: false })
    const dictionary = await IndexDictionary.open(writer, analyzer, folder.dictionaries, DERIVED_FIELDS)
    await dictionary.use(file.current)
    const end = await run(writer, dictionary, folder, options)
    return { end, words: file.current.size, documents: dictionary.done }
  } catch (error) {
    if (isSpindleError(error, 'LOCK_HELD')) return busy
    throw error
  } finally {
    await writer?.rollback()
    for (const lock of locks) await lock.release()
  }
}

async function run(
  writer: IndexWriter,
  dictionary: IndexDictionary,
  folder: DataDir,
  { signal, onProgress }: ApplyDictionaryOptions,
): Promise<'done' | 'stopped'> {
  let looked = performance.now()
  let committed = looked
  let mustStop = false
  const commit = async () => {
    await writer.commit({ userData: { ...withoutDictionary(writer.userData), ...dictionary.commitData } })
    await dictionary.committed()
    committed = performance.now()
    onProgress?.(dictionary.done)
  }
  while (dictionary.isBehind && !mustStop) {
    await dictionary.step()
    const now = performance.now()
    if (now - looked > LOOK_INTERVAL) {
      looked = now
      mustStop = await isCrawling(folder)
    }
    mustStop ||= signal?.aborted === true
    if (now - committed > COMMIT_INTERVAL) await commit()
  }
  await commit()
  return dictionary.isBehind ? 'stopped' : 'done'
}

async function isCrawling(folder: DataDir): Promise<boolean> {
  return (await DirectoryLock.holder(folder.root, DataDir.crawlLock)) !== null
}

/** The analyzer that the index was written with. */
async function recordedAnalyzer(index: string): Promise<ChineseAnalyzer> {
  const reader = await IndexReader.open(index)
  try {
    const analyzer = reader.analyzers.default
    if (analyzer instanceof ChineseAnalyzer) return analyzer
    throw new SpindleError(
      'DICTIONARY_INVALID',
      `The index in ${index} was written with the analyzer "${analyzer.name}", which has no dictionary: leave the dictionary away.`,
    )
  } finally {
    await reader.close()
  }
}
