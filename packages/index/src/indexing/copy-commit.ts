/**
 * Copies the files of a commit into another folder. On one file system they are hard links: no bytes are copied, and as
 * index files never change, the copy stays what it is. The commit point comes last, by a rename.
 */
import { constants } from 'node:fs'
import { copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { SpindleError, systemCode } from '@spindle/core'
import { commitFile, isIndexFile, pendingCommitFile } from '../codec/segment-files.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { writeFailed } from '../store/write-failed.js'

const PIECE = 1 << 20
/** Errors of a file system, or of two, without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'EMLINK',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
])

/**
 * @param files the commit's files, which stay while this runs
 * @throws SpindleError BACKUP_TARGET_USED, DISK_FULL, INDEX_WRITE_FAILED; then nothing is left in the target
 */
export async function copyCommit(
  source: Directory,
  files: readonly string[],
  generation: number,
  target: string | Directory,
): Promise<void> {
  const copy = typeof target === 'string' ? new FsDirectory(target) : target
  await copy.create()
  if ((await copy.list()).some(isIndexFile)) {
    throw new SpindleError('BACKUP_TARGET_USED', `There is an index in ${copy.path} already: give an empty folder.`)
  }
  const commit = commitFile(generation)
  const pending = pendingCommitFile(generation)
  const made: string[] = []
  try {
    for (const name of files) {
      const as = name === commit ? pending : name
      made.push(as)
      if (source instanceof FsDirectory && copy instanceof FsDirectory) {
        await linkOrCopy(join(source.path, name), join(copy.path, as))
      } else {
        await copyBytes(source, name, copy, as)
      }
    }
    await copy.sync(made)
    await copy.syncDirectory()
    made.push(commit)
    await copy.rename(pending, commit)
    await copy.syncDirectory()
  } catch (error) {
    for (const name of made) await copy.delete(name).catch(() => {})
    throw error
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(systemCode(error))) throw writeFailed(to, error)
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch((cause) => {
      throw writeFailed(to, cause)
    })
  }
}

async function copyBytes(source: Directory, name: string, copy: Directory, as: string): Promise<void> {
  const input = await source.open(name)
  try {
    const output = await copy.createOutput(as)
    try {
      for (let at = 0; at < input.length; at += PIECE) {
        const bytes = new Uint8Array(Math.min(PIECE, input.length - at))
        await input.read(bytes, at)
        output.write(bytes)
      }
    } finally {
      await output.close()
    }
  } finally {
    await input.close()
  }
}
