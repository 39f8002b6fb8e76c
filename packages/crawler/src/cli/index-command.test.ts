/** `spindle index` as a process: usage, a kill, the lock, and watching. */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { IndexReader } from '@spindle/index'
import t, { type Test } from 'tap'

const COMMAND = fileURLToPath(new URL('../../../../bin/spindle.mjs', import.meta.url))

interface Event {
  readonly type: string
  readonly url?: string
  readonly [key: string]: unknown
}

class IndexProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly ended: Promise<number | null>
  readonly events: Event[] = []
  stderr = ''
  #rest = ''
  #wake: () => void = () => {}

  constructor(t: Test, ...args: string[]) {
    this.child = spawn(process.execPath, [COMMAND, 'index', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    t.teardown(() => this.child.kill('SIGKILL'))
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.events.push(JSON.parse(line))
      this.#wake()
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.ended = once(this.child, 'close').then(([code]) => {
      this.#wake()
      return code as number | null
    })
  }

  /** Resolves with the first event that fits and has not been waited for. */
  async next(fits: (event: Event) => boolean): Promise<Event> {
    for (;;) {
      const at = this.events.findIndex(fits)
      if (at >= 0) return this.events.splice(0, at + 1).at(-1)!
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(`it ended: ${this.stderr}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

async function urls(data: string): Promise<string[]> {
  const reader = await IndexReader.open(join(data, 'index'))
  const found: string[] = []
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) !== false) found.push((await segment.document(id)).get('url') ?? '')
    }
  }
  await reader.close()
  return found.toSorted()
}

t.test('wrong usage: one line and exit code 2', async (t) => {
  const dir = t.testdir({ 'a.md': '# a' })
  for (const args of [[], [join(dir, 'none')], [join(dir, 'a.md'), '--map', 'x=y'], [join(dir, 'a.md'), '--what']]) {
    const run = new IndexProcess(t, ...args, '--data', join(dir, 'data'))
    t.equal(await run.ended, 2, args.join(' '))
    t.match(run.stderr, /^spindle index: [^\n]+\n$/)
  }
})

t.test('killed at any moment, the next run takes in what is missing and nothing twice', async (t) => {
  const dir = t.testdir()
  const docs = join(dir, 'docs')
  mkdirSync(docs)
  const count = 150
  for (let i = 0; i < count; i++) writeFileSync(join(docs, `${i}.md`), `# Title ${i}\n\n正文 ${i}\n`)
  writeFileSync(
    join(docs, 'rows.ndjson'),
    Array.from({ length: 50 }, (_, i) => `{"id":${i},"text":"row ${i}"}\n`).join(''),
  )
  const data = join(dir, 'data')
  for (const after of [1, 40, 60]) {
    const run = new IndexProcess(t, docs, '--data', data, '--json')
    for (let i = 0; i < after; i++) await run.next(({ type }) => type === 'indexed' || type === 'done')
    run.child.kill('SIGKILL')
    await run.ended
  }
  const last = new IndexProcess(t, docs, '--data', data, '--json')
  t.match(await last.next(({ type }) => type === 'done'), { removed: 0, failed: {}, documents: count + 50 })
  t.equal(await last.ended, 0, last.stderr)
  const found = await urls(data)
  t.equal(found.length, count + 50)
  t.equal(new Set(found).size, found.length)
})

t.test('watching: what comes, changes and goes is followed; nobody else may write meanwhile', async (t) => {
  const dir = t.testdir({ docs: { 'a.md': '# A' } })
  const docs = join(dir, 'docs')
  const data = join(dir, 'data')
  const watch = new IndexProcess(t, docs, '--data', data, '--json', '--watch')
  t.match(await watch.next(({ type }) => type === 'done'), { indexed: 1, documents: 1 })
  const other = new IndexProcess(t, docs, '--data', data)
  t.equal(await other.ended, 1)
  t.match(other.stderr, /^spindle index: [^\n]* is being written by process [^\n]*\n$/)
  mkdirSync(join(docs, 'new'))
  writeFileSync(join(docs, 'new', 'b.txt'), 'a new file')
  t.match(await watch.next(({ type }) => type === 'indexed'), { url: /new\/b\.txt$/ })
  t.match(await watch.next(({ type }) => type === 'done'), { documents: 2 })
  writeFileSync(join(docs, 'a.md'), '# A changed\n')
  t.match(await watch.next(({ type }) => type === 'indexed'), { url: /a\.md$/ })
  t.match(await watch.next(({ type }) => type === 'done'), { documents: 2 })
  rmSync(join(docs, 'new'), { recursive: true })
  t.match(await watch.next(({ type }) => type === 'removed'), { url: /new\/b\.txt$/ })
  t.match(await watch.next(({ type }) => type === 'done'), { documents: 1 })
  watch.child.kill('SIGINT')
  t.equal(await watch.ended, 130, watch.stderr)
  t.match(await urls(data), [/a\.md$/])
})
