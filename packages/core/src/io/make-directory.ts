/**
 * Creates a folder and those above it, and makes their names durable: an index whose commits survive a power cut is of
 * no use in a folder that does not. `mkdir` of Node.js 20 with `recursive` never returns where the file system says
 * ENOENT for a folder whose parent exists (below /proc, for one).
 */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '../errors.js'
import { fsyncDir } from './atomic-file.js'

/**
 * Does nothing where the folder exists already.
 * @param mode permissions of the folders that are created
 * @throws the system's error; ENOTDIR or EEXIST where something else has the name
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = []
  for (let at = path, triedAgain = false; ; ) {
    try {
      await mkdir(at, { mode })
      await syncParent(at)
      break
    } catch (error) {
      const code = systemCode(error)
      const parent = dirname(at)
      if (code === 'ENOENT' && parent !== at && !(await isDirectory(parent))) {
        missing.push(at)
        at = parent
        triedAgain = false
        continue
      }
      if (code === 'ENOENT' && !triedAgain) {
        // Someone has made the parent meanwhile. In a folder that takes none, such as /proc, it fails once more.
        triedAgain = true
        continue
      }
      if (code !== 'ENOENT' && (await isDirectory(at))) break
      throw error
    }
  }
  for (const at of missing.reverse()) {
    await mkdir(at, { mode }).catch(async (error) => {
      if (!(await isDirectory(at))) throw error
    })
    await syncParent(at)
  }
}

/** A parent may be writable and not readable; then its sync is left to the system. */
async function syncParent(path: string): Promise<void> {
  await fsyncDir(dirname(path)).catch((error) => {
    if (systemCode(error) !== 'EACCES') throw error
  })
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
