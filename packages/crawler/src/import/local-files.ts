/** The files that `spindle index` takes in: those named, and of folders those whose names tell that they hold text. */

import { realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SpindleError } from '@spindle/core'
import glob from 'fast-glob'
import { DOCUMENT_SUFFIXES } from '../documents/sniff-document.js'

/** A file or folder that was named. */
export interface LocalRoot {
  /** absolute, symbolic links followed */
  readonly path: string
  /** `file:` address, of a folder with an ending slash */
  readonly url: string
  readonly isFolder: boolean
}

/** A file to take in. */
export interface LocalFile {
  readonly path: string
  readonly url: string
  /** true where it holds records, each of which is a document */
  readonly isRecords: boolean
}

/** Endings of text files, without dot; HTML as it is written in many places. */
const TEXT_SUFFIXES =
  'html htm xhtml shtml md markdown mdown mkd txt text rst adoc asciidoc org tex log rss atom'.split(' ')
const RECORD_SUFFIXES = 'ndjson jsonl csv tsv'.split(' ')
const RECORDS = new RegExp(`\\.(?:${RECORD_SUFFIXES.join('|')})$`, 'i')
const PATTERN = `**/*.{${[...TEXT_SUFFIXES, ...RECORD_SUFFIXES, ...DOCUMENT_SUFFIXES].join(',')}}`
const KNOWN = new RegExp(`\\.(?:${[...TEXT_SUFFIXES, ...RECORD_SUFFIXES, ...DOCUMENT_SUFFIXES].join('|')})$`, 'i')
/** Folders that hold what programs make, never what people read. */
const LEFT_OUT = ['**/node_modules/**']

/** What a path means. @throws SpindleError `SEED_INVALID` where nothing is there */
export async function rootOf(text: string): Promise<LocalRoot> {
  try {
    const path = await realpath(resolve(text))
    const isFolder = (await stat(path)).isDirectory()
    const { href } = pathToFileURL(path)
    return { path, url: isFolder && !href.endsWith('/') ? `${href}/` : href, isFolder }
  } catch (cause) {
    throw new SpindleError(
      'SEED_INVALID',
      `"${text}" cannot be read (${(cause as Error).message}): give the path of a file or folder that is there.`,
      { cause },
    )
  }
}

/**
 * The files of a root, in no particular order; symbolic links, hidden files and folders are left out.
 * @throws the error of a folder that cannot be read
 */
export async function* filesOf({ path, url, isFolder }: LocalRoot): AsyncGenerator<LocalFile, void, void> {
  if (!isFolder) {
    yield { path, url, isRecords: RECORDS.test(path) }
    return
  }
  const found = glob.stream(PATTERN, {
    cwd: path,
    caseSensitiveMatch: false,
    followSymbolicLinks: false,
    ignore: LEFT_OUT,
  })
  for await (const name of found) yield toFile(join(path, String(name)))
}

/** A path that has come up below a root: the file that it is, or undefined where it would not be taken in. */
export function fileAt(path: string, { path: root, isFolder }: LocalRoot): LocalFile | undefined {
  if (!isFolder) return path === root ? toFile(path) : undefined
  if (!path.startsWith(root + sep) && root !== sep) return undefined
  const steps = path.slice(root.length).split(sep)
  if (steps.some((step) => step.startsWith('.') || step === 'node_modules')) return undefined
  return KNOWN.test(basename(path)) ? toFile(path) : undefined
}

function toFile(path: string): LocalFile {
  return { path, url: pathToFileURL(path).href, isRecords: RECORDS.test(path) }
}
