/**
 * One writer a folder. The lock is a Unix-domain socket that its holder listens on: the kernel closes it when the
 * process ends, however it ends, so a lock that refuses connections is stale and the next writer takes it over with no
 * manual step. Node.js has no flock, and a file with a process id in it would survive a kill.
 *
 *   write.lock         the socket, a hard link made in one step (two contenders: one gets EEXIST)
 *   write.lock.info    who holds it, for the message; decides only where the holder is on another machine, whose
 *                      sockets on a shared disk cannot be asked from here: then nobody takes the lock over
 *   write.lock.<pid>.* the socket before it is linked; those of dead processes go with the next writer
 *
 * The socket is bound under its short name with the folder as working directory for that one synchronous call, because
 * a socket's path may have 107 bytes at most. Costs one open descriptor.
 */
import { readFileSync } from 'node:fs'
import { link, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SpindleError, systemCode } from '../errors.js'

const ATTEMPTS = 20
/** How often a lock that is not there is looked for again. */
const LOOKS = 50
const MS_BETWEEN_LOOKS = 10
let counter = 0

/** Who holds a lock, as written in its information file. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** ISO time. */
  readonly since: string
  /** Tells one start of an operating system from another; containers on one machine share it. Not known everywhere. */
  readonly boot?: string
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
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const own = `${name}.${process.pid}.${counter++}`
      const server = await listenIn(directory, own)
      let lock: DirectoryLock | undefined
      try {
        const inode = await linkInto(directory, name, own)
        if (inode !== undefined) {
          lock = new DirectoryLock(path, server, inode)
          const holder = { pid: process.pid, host: hostname(), since: new Date().toISOString(), boot: bootId() }
          await writeFile(`${path}.info`, JSON.stringify(holder))
          await removeSocketsOfTheDead(directory, name)
          return lock
        }
        const asked = await identityOf(path)
        const foreign = await foreignHolder(path)
        if (foreign !== undefined) throw heldElsewhere(directory, path, foreign)
        const state = await ask(directory, name)
        if (state === 'alive') throw held(directory, await readHolder(path))
        // Given back, or taken by another one, while it was asked: then nothing is known of the one that is there now.
        if (state === 'dead' && asked === (await identityOf(path))) await removeStale(directory, name)
      } catch (error) {
        if (lock !== undefined) await lock.release().catch(() => {})
        throw error
      } finally {
        if (lock === undefined) await closeServer(server, join(directory, own))
      }
    }
    throw held(directory, await readHolder(path))
  }

  /**
   * Tells who holds the lock of a folder, without touching it.
   * @returns null where nobody does; process 0 where the holder has not written who it is
   * @throws the system's EACCES error where the lock may not be asked
   */
  static async holder(directory: string, name = 'write.lock'): Promise<LockHolder | null> {
    if ((await ask(directory, name)) !== 'alive') return (await foreignHolder(join(directory, name))) ?? null
    return (await readHolder(join(directory, name))) ?? { pid: 0, host: hostname(), since: '' }
  }

  /** True while the lock file is the one that this holder made. */
  async isHeld(): Promise<boolean> {
    for (let look = 0; look < LOOKS && !this.#released; look++) {
      const inode = await inodeOf(this.#path)
      if (inode !== undefined) return inode === this.#inode
      // A contender that took it for stale puts it back at once.
      await setTimeout(MS_BETWEEN_LOOKS)
    }
    return false
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

/** Links our socket to the name of the lock. @returns its inode, or undefined where the name is taken */
async function linkInto(directory: string, name: string, own: string): Promise<number | undefined> {
  try {
    await link(join(directory, own), join(directory, name))
    // The inode is asked of our own name: the other may just be in the hands of a contender (removeStale).
    const { ino } = await stat(join(directory, own))
    await unlink(join(directory, own))
    return ino
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    return undefined
  }
}

/** Removes the sockets that processes left which died between binding and linking them. */
async function removeSocketsOfTheDead(directory: string, name: string): Promise<void> {
  for (const file of await readdir(directory)) {
    const pid = file.startsWith(`${name}.`)
      ? /^(\d+)\.\d+(\.stale)?$/.exec(file.slice(name.length + 1))?.[1]
      : undefined
    if (pid === undefined || isAlive(Number(pid)) || (await ask(directory, file)) !== 'dead') continue
    await rm(join(directory, file), { force: true })
  }
}

/** Whether there may be such a process: another one may have got the number of a dead one. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) !== 'ESRCH'
  }
}

function held(directory: string, holder: LockHolder | undefined): SpindleError {
  return new SpindleError(
    'LOCK_HELD',
    `The folder ${directory} is being written by ${holder === undefined ? 'another process' : describe(holder)}: wait for it to end, stop it, or use another folder.`,
  )
}

function heldElsewhere(directory: string, path: string, holder: LockHolder): SpindleError {
  return new SpindleError(
    'LOCK_HELD',
    `The folder ${directory} was locked by ${describe(holder)}, another machine that cannot be asked from here: stop it there; where it is gone for good, remove ${path} and ${path}.info.`,
  )
}

function describe({ pid, host, since }: LockHolder): string {
  return `process ${pid} on ${host} since ${since}`
}

/** The holder of a lock that is there, where it is on another machine. */
async function foreignHolder(path: string): Promise<LockHolder | undefined> {
  const holder = await readHolder(path)
  if (holder === undefined || holder.host === hostname()) return undefined
  // A container beside this one has another name and the same kernel, which knows whether its socket is alive.
  if (holder.boot !== undefined && holder.boot === bootId()) return undefined
  return (await inodeOf(path)) === undefined ? undefined : holder
}

/** Tells a file from all others, also from one that was given the inode of a removed one; undefined: there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, birthtimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${birthtimeNs}`
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Inode of a file, or undefined where there is none. */
async function inodeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).ino
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
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

/** Whether a living process accepts connections on the socket, nobody does any more, or there is none. */
function ask(directory: string, name: string): Promise<'alive' | 'dead' | 'gone'> {
  return new Promise((resolve, reject) => {
    const socket = inDirectory(directory, () => connect(name))
    socket.once('connect', () => {
      socket.destroy()
      resolve('alive')
    })
    socket.once('error', (error) => {
      const code = systemCode(error)
      // Not a socket at all (a plain file of that name) is stale, too.
      if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') resolve('dead')
      // Closed before it was accepted: given back at this moment.
      else if (code === 'ENOENT' || code === 'ECONNRESET' || code === 'EPIPE') resolve('gone')
      else if (code === 'EAGAIN') resolve('alive')
      else reject(error)
    })
  })
}

/**
 * Moves a stale lock out of the way. Another contender may have replaced it between our look and our rename; then a
 * living lock was moved, and it is linked back; its holder looks for it a few times before it gives up.
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
    if ((await ask(directory, aside)) === 'alive') {
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
    const { pid, host, since, boot } = value as Partial<LockHolder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return undefined
    return typeof boot === 'string' ? { pid, host, since, boot } : { pid, host, since }
  } catch {
    return undefined
  }
}

async function closeServer(server: Server, path?: string): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()))
  if (path !== undefined) await rm(path, { force: true })
}
