/** The clock jumps ten years forth and back between processes: commits stay in order, and the lock does not know the time. */
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { commitGeneration } from '../codec/segment-files.js'
import { IndexReader } from '../reading/index-reader.js'
import { contentsAfter, crashAnalyzer } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { SpawnedWriter } from '../test-support/spawn-writer.js'
import { IndexWriter } from './index-writer.js'

const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000

/** Options of Node.js by which a program lives at another time. */
function at(shift: number): string[] {
  const code = `const Real = Date
globalThis.Date = class extends Real {
  constructor(...args) { if (args.length === 0) super(Real.now() + ${shift}); else super(...args) }
  static now() { return Real.now() + ${shift} }
}`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

/** Waits until the writer has said so many lines, or fails. */
async function says(writing: SpawnedWriter, line: string): Promise<void> {
  while (!writing.output.includes(line)) {
    if (writing.hasEnded) throw new Error(`ended without ${line}: ${writing.output}`)
    await setTimeout(5)
  }
}

t.test('commits by clocks that are ten years apart', async (t) => {
  const dir = t.testdir({})
  let k = 0
  for (const shift of [0, TEN_YEARS, -TEN_YEARS]) {
    k += 2
    const writing = new SpawnedWriter('crash-workload', [dir, String(k)], at(shift))
    t.equal(await writing.ended, '0')
    t.same(
      readdirSync(dir)
        .map(commitGeneration)
        .filter((one) => one !== undefined),
      [k],
      'one higher each time',
    )
    const reader = await IndexReader.open(dir)
    t.equal(reader.userData.k, String(k))
    const expected = expectedContents(contentsAfter(k), crashAnalyzer)
    t.equal(firstDifference(await indexContents(reader), expected), undefined)
    await reader.close()
  }
  t.ok((await checkIndex(dir)).clean)
})

t.test('a lock is held, and free, whatever the time', async (t) => {
  const dir = t.testdir({})
  for (const shift of [TEN_YEARS]) {
    const writing = new SpawnedWriter('crash-workload', [dir, '0', 'paced'], at(shift))
    t.teardown(() => writing.kill())
    await says(writing, 'open')
    const year = new Date(Date.now() + shift).getUTCFullYear()
    const told = new RegExp(`process ${writing.child.pid} on .* since ${year}`)
    await t.rejects(IndexWriter.open(dir, { analyzer: crashAnalyzer }), { code: 'LOCK_HELD', message: told })
    writing.child.stdin.write('\n')
    await says(writing, 'commit')
    await writing.kill()
    const writer = await IndexWriter.open(dir, { analyzer: crashAnalyzer })
    await writer.close()
  }
})
