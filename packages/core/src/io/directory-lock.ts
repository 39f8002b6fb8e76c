/**
 * One writer a folder. The lock is a Unix-domain socket that its holder listens on: the kernel closes it when the
 * process ends, however it ends, so a lock that refuses connections is stale and the next writer takes it over with no
 * manual step. Node.js has no flock, and a file with a process id in it would survive a kill.
 *
 *   write.lock        the socket, a hard link made in one step (two contenders: one gets EEXIST)
 *   write.lock.info   who holds it, for the message; never decides
 *
 * The socket is bound under its short name with the folder as working directory for that one synchronous call, because
 * a socket's path may have 107 bytes at most. Costs one open descriptor.
 */
import { link, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { SpindleError, systemCode } from '../errors.js'

const ATTEMPTS = 20
let counter = 0

/** Who holds a lock, as written in its information file. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** ISO time. */
  readonly since: string
}

/** The held lock of a folder; see {@link DirectoryLock.acquire}. */
export class DirectoryLock {
  readonly #path: string
  readonly #server: Server
  readonly #inode: number
  #released = false

  private constructor(path: string, server: Server, inode: number) {
    this.#path = path
    this.#server = server
    this.#inode = inode
  }

  /**
   * Takes the lock of an existing folder.
   * @param name file name of the lock inside the folder
   * @throws SpindleError `LOCK_HELD` naming the process that holds it
   */
  static async acquire(directory: string, name = 'write.lock'): Promise<DirectoryLock> {
    const path = join(directory, name)
    const own = `${name}.${process.pid}.${counter++}`
    const server = await listenIn(directory, own)
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        try {
          await link(join(directory, own), path)
        } catch (error) {
          if (systemCode(error) !== 'EEXIST') throw error
          if (await answers(directory, name)) break
          await removeStale(directory, name)
          continue
        }
        // The inode is asked of our own name: the other may just be in the hands of a contender (removeStale).
        const { ino } = await stat(join(directory, own))
        await unlink(join(directory, own))
        const holder: LockHolder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
        await writeFile(`${path}.info`, JSON.stringify(holder))
        return new DirectoryLock(path, server, ino)
      }
    } catch (error) {
      await closeServer(server, join(directory, own))
      throw error
    }
    await closeServer(server, join(directory, own))
    const holder = await readHolder(path)
    throw new SpindleError(
      'LOCK_HELD',
      `The folder ${directory} is being written by ${holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host} since ${holder.since}`}: wait for it to end, stop it, or use another folder.`,
    )
  }

  /**
   * Tells who holds the lock of a folder, without touching it.
   * @returns null where nobody does; process 0 where the holder has not written who it is
   * @throws the system's EACCES error where the lock may not be asked
   */
  static async holder(directory: string, name = 'write.lock'): Promise<LockHolder | null> {
    if (!(await answers(directory, name))) return null
    return (await readHolder(join(directory, name))) ?? { pid: 0, host: hostname(), since: '' }
  }

  /** True while the lock file is the one that this holder made. */
  async isHeld(): Promise<boolean> {
    if (this.#released) return false
    try {
      return (await stat(this.#path)).ino === this.#inode
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /**
   * To be called before anything that only the holder may do.
   * @throws SpindleError `LOCK_LOST` where the lock file was removed or replaced
   */
  async ensureHeld(): Promise<void> {
    if (await this.isHeld()) return
    throw new SpindleError(
      'LOCK_LOST',
      `The lock ${this.#path} was removed or taken over, so nothing more is written: close this writer and open a new one.`,
    )
  }

  /** Gives the lock back. A lock that was lost is left alone. */
  async release(): Promise<void> {
    if (this.#released) return
    const held = await this.isHeld()
    this.#released = true
    if (held) {
      await rm(`${this.#path}.info`, { force: true })
      await rm(this.#path, { force: true })
    }
    await closeServer(this.#server)
  }
}

/** Binds a socket to a name inside a folder. `listen` on a path binds before it returns, so the working directory changes for one call. */
function listenIn(directory: string, name: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.once('listening', () => resolve(server))
    server.unref()
    inDirectory(directory, () => server.listen(name))
  })
}

function inDirectory<T>(directory: string, action: () => T): T {
  const back = process.cwd()
  process.chdir(directory)
  try {
    return action()
  } finally {
    process.chdir(back)
  }
}

/** True where a living process accepts connections on the socket. */
function answers(directory: string, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = inDirectory(directory, () => connect(name))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => {
      const code = systemCode(error)
      // Not a socket at all (a plain file of that name) is stale, too.
      if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK') resolve(false)
      else if (code === 'EAGAIN') resolve(true)
      else reject(error)
    })
  })
}

/**
 * Moves a stale lock out of the way. Another contender may have replaced it between our look and our rename; then a
 * living lock was moved, and it is linked back. In that instant its holder would refuse to commit, never write twice.
 */
async function removeStale(directory: string, name: string): Promise<void> {
  const aside = `${name}.${process.pid}.${counter++}.stale`
  try {
    await rename(join(directory, name), join(directory, aside))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  try {
    if (await answers(directory, aside)) {
      await link(join(directory, aside), join(directory, name)).catch((error) => {
        if (systemCode(error) !== 'EEXIST') throw error
      })
    }
  } finally {
    await rm(join(directory, aside), { force: true })
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(`${path}.info`, 'utf8'))
    if (typeof value !== 'object' || value === null) return undefined
    const { pid, host, since } = value as Partial<LockHolder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return undefined
    return { pid, host, since }
  } catch {
    return undefined
  }
}

async function closeServer(server: Server, path?: string): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()))
  if (path !== undefined) await rm(path, { force: true })
}
