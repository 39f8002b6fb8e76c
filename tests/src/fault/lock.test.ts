/** Never two writers: many processes at one lock, a holder that is killed, stopped, or robbed of it; folders that cannot be written. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkIndex, IndexReader, IndexWriter, StandardAnalyzer } from '@spindle/index'
import t from 'tap'
import { needs } from '../support/needs.js'
import { byEffort } from './effort.js'

const contender = fileURLToPath(new URL('contender.js', import.meta.url))
const readOnly = fileURLToPath(new URL('read-only.js', import.meta.url))
const analyzer = new StandardAnalyzer()

class Contender {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<string>
  output = ''

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, [contender, ...args])
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

t.test('many processes, one index', async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  mkdirSync(dir)
  symlinkSync('index', join(root, 'other-name'))
  const processes = byEffort(3, 8, 16)
  const rounds = byEffort(12, 60, 1000)
  const all = Array.from(
    { length: processes },
    (_, i) => new Contender(i % 2 === 0 ? dir : join(root, 'other-name'), join(root, 'sentinel'), String(rounds)),
  )
  for (const one of all) t.equal(await one.ended, '0', one.output)
  const report = await checkIndex(dir)
  t.ok(report.clean)
  t.equal(report.docs, processes * rounds, 'nobody lost a commit')
  t.same([report.unreferencedFiles, report.leftoverFiles, report.lock], [[], [], null])
})

t.test('the holder is killed, stopped, or loses its lock', async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  const args = [dir, join(root, 'sentinel'), '0', 'hold']
  const killed = new Contender(...args)
  await killed.says('held')
  killed.child.kill('SIGKILL')
  t.equal(await killed.ended, 'SIGKILL')
  const began = performance.now()
  const next = await IndexWriter.open(dir, { analyzer })
  t.ok(performance.now() - began < 30_000, `the next writer gets in after ${performance.now() - began} ms`)
  await next.close()

  const stopped = new Contender(...args)
  await stopped.says('held')
  stopped.child.kill('SIGSTOP')
  await setTimeout(byEffort(100, 5000, 60_000))
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
