/** Never two writers: many processes at one lock, a holder that is killed, stopped, or robbed of it; folders that cannot be written. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkIndex, IndexReader, IndexWriter, StandardAnalyzer } from '@spindle/index'
import t from 'tap'
import { byEffort, timeFor } from '../support/effort.js'
import { needs } from '../support/needs.js'

const contender = fileURLToPath(new URL('contender.js', import.meta.url))
const readOnly = fileURLToPath(new URL('read-only.js', import.meta.url))
const analyzer = new StandardAnalyzer()

class Contender {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<string>
  output = ''

  /** @param prefix command to run it by. @param cwd folder to start in */
  constructor(args: readonly string[], prefix: readonly string[] = [], cwd = process.cwd()) {
    // Without the test runner's hooks, which double the time of a start.
    const [command = '', ...rest] = [...prefix, 'env', 'NODE_OPTIONS=', process.execPath, contender, ...args]
    this.child = spawn(command, rest, { cwd })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
    })
    this.ended = new Promise((resolve) => this.child.once('close', (code, signal) => resolve(signal ?? String(code))))
  }

  /** Waits until the output has a line so many times. */
  async says(line: string, times = 1): Promise<void> {
    while (this.output.split(`${line}\n`).length <= times) {
      if (this.child.exitCode !== null) throw new Error(`ended without ${line}: ${this.output}`)
      await setTimeout(5)
    }
  }
}

/** A command that runs another one in a network of its own, as a container has it; nothing where that is not allowed. */
const otherNetwork = spawnSync('unshare', ['-n', 'true']).status === 0 ? ['unshare', '-n'] : []

t.test('many processes, one index', { timeout: 3_600_000 }, async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  mkdirSync(dir)
  symlinkSync('index', join(root, 'other-name'))
  const processes = byEffort(3, 8, 16)
  const rounds = byEffort(12, 60, 1000)
  const time = String(timeFor(0.7, 1_800_000))
  // The same folder under three names, and from another network.
  const paths = [dir, join(root, 'other-name'), 'index']
  const all = Array.from({ length: processes }, (_, i) => {
    const args = [paths[i % 3]!, join(root, 'sentinel'), String(rounds), time]
    return new Contender(args, i === 1 ? otherNetwork : [], root)
  })
  let done = 0
  for (const one of all) {
    t.equal(await one.ended, '0', one.output)
    done += Number(/^done (\d+)\n/.exec(one.output)?.[1])
  }
  const report = await checkIndex(dir)
  t.ok(report.clean)
  t.equal(report.docs, done, 'nobody lost a commit')
  t.same([report.unreferencedFiles, report.leftoverFiles, report.lock], [[], [], null])
  t.ok(done >= processes, `${processes} processes, ${done} rounds, ${otherNetwork.length > 0} for another network`)
  t.comment(`${processes} processes, ${done} rounds, one in another network: ${otherNetwork.length > 0}`)
})

t.test('the holder is killed, stopped, or loses its lock', { timeout: 600_000 }, async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  const args = [dir, join(root, 'sentinel'), '0', 'hold']
  const killed = new Contender(args)
  await killed.says('held')
  killed.child.kill('SIGKILL')
  t.equal(await killed.ended, 'SIGKILL')
  // The information that it left names a process that is alive, as a number that was given again does.
  const info = join(dir, 'write.lock.info')
  writeFileSync(info, JSON.stringify({ ...JSON.parse(readFileSync(info, 'utf8')), pid: process.pid }))
  const began = performance.now()
  const next = await IndexWriter.open(dir, { analyzer })
  t.ok(performance.now() - began < 30_000, `the next writer gets in after ${performance.now() - began} ms`)
  t.comment(`the next writer gets in after ${Math.round(performance.now() - began)} ms`)
  await next.close()

  const stopped = new Contender(args)
  await stopped.says('held')
  stopped.child.kill('SIGSTOP')
  await setTimeout(byEffort(100, 2000, 60_000))
  const told = new RegExp(`process ${stopped.child.pid} on .* since`)
  await t.rejects(IndexWriter.open(dir, { analyzer }), { code: 'LOCK_HELD', message: told })
  t.equal((await checkIndex(dir)).lock?.pid, stopped.child.pid)
  stopped.child.kill('SIGCONT')
  stopped.child.stdin.write('\n')
  await stopped.says('committed')

  // The lock is removed under its holder, and another writer takes it.
  rmSync(join(dir, 'write.lock'))
  const thief = await IndexWriter.open(dir, { analyzer })
  stopped.child.stdin.write('\n')
  await stopped.says('LOCK_LOST')
  t.notOk((await thief.commit()) < 1, 'the other one can commit')
  await thief.close()
  stopped.child.stdin.end()
  t.equal(await stopped.ended, '0')
  t.ok((await checkIndex(dir)).clean)
})

t.test('a folder that may not be written', { ...needs('another user', process.getuid?.() === 0) }, async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  const writer = await IndexWriter.open(dir, { analyzer })
  await writer.close()
  await IndexWriter.open(dir, { analyzer }).then((one) => one.close())
  const before = readdirSync(dir).map((name) => `${name} ${statSync(join(dir, name)).mtimeMs}`)
  chmodSync(dir, 0o555)
  // Without the test runner's hooks, which come in by the environment of every process and write into its own folder.
  const child = spawn('env', ['NODE_OPTIONS=', process.execPath, readOnly, dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    uid: 65534,
    gid: 65534,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  t.equal(code, 0, output)
  t.same(output.split('\n'), ['searched', 'checked true', 'INDEX_WRITE_FAILED', ''])
  chmodSync(dir, 0o755)
  t.same(
    readdirSync(dir).map((name) => `${name} ${statSync(join(dir, name)).mtimeMs}`),
    before,
    'nothing was touched',
  )
  const reader = await IndexReader.open(dir)
  await reader.close()
})
