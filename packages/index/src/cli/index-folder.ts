/** Which folder a command means. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { commitGeneration } from '../codec/segment-files.js'
import { FsDirectory } from '../store/fs-directory.js'

/** The folder itself, or the index in it where it is a data folder. */
export async function indexFolder(dir: string): Promise<string> {
  const inside = join(dir, 'index')
  if (!existsSync(inside)) return dir
  const names = await new FsDirectory(dir).list()
  return names.some((name) => commitGeneration(name) !== undefined) ? dir : inside
}
