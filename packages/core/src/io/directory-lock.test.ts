import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { DirectoryLock } from './directory-lock.js'

const moduleUrl = new URL('./directory-lock.js', import.meta.url).href

/** Starts a process that takes the lock, says so, and holds it until it is killed. */
async function holder(directory: string) {
  const code = `const { DirectoryLock } = await import(process.argv[1])
    await DirectoryLock.acquire(process.argv[2]); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, moduleUrl, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, line: line as string }
}

t.test('the second writer is refused and told who holds the lock', async (t) => {
  const dir = t.testdir()
  const lock = await DirectoryLock.acquire(dir)
  await t.rejects(DirectoryLock.acquire(dir), { code: 'LOCK_HELD', message: new RegExp(`process ${process.pid} `) })
  t.equal(await lock.isHeld(), true)
  await lock.release()
  t.equal(await lock.isHeld(), false)
  t.strictSame(await readdir(dir), [], 'nothing is left behind')
  await (await DirectoryLock.acquire(dir)).release()
})

t.test('a lock held by another process ends with it, however it ends', async (t) => {
  const dir = t.testdir()
  const { child, line } = await holder(dir)
  t.equal(line, 'held')
  await t.rejects(DirectoryLock.acquire(dir), { code: 'LOCK_HELD', message: new RegExp(`process ${child.pid} `) })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await DirectoryLock.acquire(dir)
  t.equal(await lock.isHeld(), true)
  await lock.release()
})

t.test('of many contenders for a stale lock one gets it', async (t) => {
  const dir = t.testdir()
  for (let round = 0; round < 20; round++) {
    await writeFile(join(dir, 'write.lock'), '')
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => DirectoryLock.acquire(dir)))
    const locks = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const held: DirectoryLock[] = []
    for (const lock of locks) if (await lock.isHeld()) held.push(lock)
    t.equal(held.length, 1, `round ${round}: one holder`)
    for (const lock of locks) await lock.release()
  }
})

t.test('a holder whose lock vanished or was replaced must not go on', async (t) => {
  const dir = t.testdir()
  const first = await DirectoryLock.acquire(dir)
  await rm(join(dir, 'write.lock'))
  await t.rejects(first.ensureHeld(), { code: 'LOCK_LOST' })
  const second = await DirectoryLock.acquire(dir)
  await t.rejects(first.ensureHeld(), { code: 'LOCK_LOST' })
  await second.ensureHeld()
  await first.release()
  t.equal(await second.isHeld(), true, 'releasing a lost lock leaves the new one alone')
  await second.release()
})

t.test('a folder with a long path can be locked', async (t) => {
  const dir = join(t.testdir(), ...Array.from({ length: 6 }, () => 'a-rather-long-folder-name-of-forty-bytes'))
  await mkdir(dir, { recursive: true })
  const lock = await DirectoryLock.acquire(dir)
  await t.rejects(DirectoryLock.acquire(dir), { code: 'LOCK_HELD' })
  await lock.release()
})

t.test('a process that died before it had the lock leaves nothing for long', async (t) => {
  const dir = t.testdir()
  const dead = await holder(dir)
  dead.child.kill('SIGKILL')
  await once(dead.child, 'exit')
  // As a kill between binding and linking, and one while a stale lock was moved aside, leave it.
  await rename(join(dir, 'write.lock'), join(dir, `write.lock.${dead.child.pid}.0`))
  await writeFile(join(dir, `write.lock.${dead.child.pid}.1.stale`), '')
  await writeFile(join(dir, 'write.lock.notes'), '')
  const lock = await DirectoryLock.acquire(dir)
  t.strictSame((await readdir(dir)).sort(), ['write.lock', 'write.lock.info', 'write.lock.notes'])
  await lock.release()
})

t.test('a lock of another machine is never taken over by itself', async (t) => {
  const dir = t.testdir()
  const dead = await holder(dir)
  dead.child.kill('SIGKILL')
  await once(dead.child, 'exit')
  const info = join(dir, 'write.lock.info')
  const own = JSON.parse(await readFile(info, 'utf8'))
  const elsewhere = { ...own, host: 'another-machine', boot: '0' }
  await writeFile(info, JSON.stringify(elsewhere))
  const told = /process \d+ on another-machine since .*: stop it there; .* remove .*write\.lock and .*write\.lock\.info/
  await t.rejects(DirectoryLock.acquire(dir), { code: 'LOCK_HELD', message: told })
  t.match(await DirectoryLock.holder(dir), { pid: own.pid, host: 'another-machine' })
  t.strictSame((await readdir(dir)).sort(), ['write.lock', 'write.lock.info'], 'nothing is left of the attempt')
  await rm(join(dir, 'write.lock'))
  t.equal(await DirectoryLock.holder(dir), null)
  await (await DirectoryLock.acquire(dir)).release()

  // The same kernel under another name, as a container has it, and the same name after a restart of the machine.
  const changes =
    own.boot === undefined
      ? []
      : [
          { ...own, host: 'another-container' },
          { ...own, boot: '0' },
        ]
  for (const change of changes) {
    await writeFile(join(dir, 'write.lock'), '')
    await writeFile(info, JSON.stringify(change))
    await (await DirectoryLock.acquire(dir)).release()
  }
})

t.test('the number of a dead holder may be that of a living process', async (t) => {
  const dir = t.testdir()
  const dead = await holder(dir)
  dead.child.kill('SIGKILL')
  await once(dead.child, 'exit')
  const info = join(dir, 'write.lock.info')
  await writeFile(info, JSON.stringify({ ...JSON.parse(await readFile(info, 'utf8')), pid: process.pid }))
  await (await DirectoryLock.acquire(dir)).release()
})
