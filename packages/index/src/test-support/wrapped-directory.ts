/** Directories that do some things in another way. */
import type { Directory } from '../store/directory.js'

/** A directory with some methods replaced. */
export function wrap(directory: Directory, changes: Partial<Directory>): Directory {
  return {
    path: directory.path,
    list: () => directory.list(),
    create: () => directory.create(),
    createOutput: (name) => directory.createOutput(name),
    open: (name) => directory.open(name),
    rename: (from, to) => directory.rename(from, to),
    sync: (names) => directory.sync(names),
    syncDirectory: () => directory.syncDirectory(),
    delete: (name) => directory.delete(name),
    obtainLock: () => directory.obtainLock(),
    ...changes,
  }
}
