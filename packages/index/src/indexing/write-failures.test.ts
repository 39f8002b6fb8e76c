/** What is durable when, and what is left when a write, sync or rename fails. */
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { readCommitPoint } from '../codec/commit-point.js'
import { commitGeneration, liveDocsFile, SEGMENT_COMPONENTS, segmentFile } from '../codec/segment-files.js'
import { IndexReader } from '../reading/index-reader.js'
import type { Directory, FileOutput } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { writeFailed } from '../store/write-failed.js'
import { ids, page } from '../test-support/small-pages.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { wrap } from '../test-support/wrapped-directory.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer()

t.test('every sync is in its place', async (t) => {
  const inner = new MemoryDirectory()
  const synced = new Set<string>()
  /** Files whose creation, or renaming, the folder's sync has made durable. */
  const durable = new Set<string>()
  let created: string[] = []
  let committed: string[] = []
  let commits = 0
  const directory = wrap(inner, {
    createOutput: async (name) => {
      created.push(name)
      synced.delete(name)
      return inner.createOutput(name)
    },
    sync: async (names) => {
      for (const name of names) synced.add(name)
    },
    syncDirectory: async () => {
      for (const name of created) durable.add(name)
      created = []
    },
    rename: async (from, to) => {
      await inner.rename(from, to)
      const commit = await readCommitPoint(inner, commitGeneration(to)!)
      committed = [to]
      for (const { name, liveGeneration } of commit.segments) {
        for (const component of SEGMENT_COMPONENTS) committed.push(segmentFile(name, component))
        if (liveGeneration > 0) committed.push(liveDocsFile(name, liveGeneration))
      }
      for (const name of [from, ...committed.slice(1)]) {
        if (!synced.has(name) || !durable.has(name)) t.fail(`${name} is not durable when ${to} names it`)
      }
      created.push(to)
      commits++
    },
    delete: async (name) => {
      const before = commitGeneration(name)
      if (before !== undefined) t.ok(durable.has(committed[0]!), `${name} goes when ${committed[0]} is durable`)
      if (committed.includes(name)) t.fail(`${name} is in use`)
      await inner.delete(name)
    },
  })
  const writer = await IndexWriter.open(directory, { analyzer, mergeFactor: 3, memoryBudget: 2000 })
  for (let i = 0; i < 60; i++) {
    await writer.updateDocument({ field: 'id', text: String(i % 20) }, page(String(i % 20), `body of ${i}`))
    if (i % 7 !== 6) continue
    await writer.commit()
    t.ok(durable.has(committed[0]!), 'the commit is durable when it returns')
  }
  await writer.optimize()
  await writer.close()
  t.equal(commits, 9)
})

t.test('every write, sync and rename fails once: the last commit stays, nothing is left behind', async (t) => {
  const run = async (inner: Directory, failAt: number) => {
    let operations = 0
    let failed = false
    const step = () => {
      if (++operations < failAt || failed) return
      failed = true
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    const stepAsync = async () => step()
    const directory = wrap(inner, {
      createOutput: async (name) => {
        step()
        const output = await inner.createOutput(name)
        const failing: FileOutput = {
          name,
          write: (bytes) => {
            step()
            output.write(bytes)
          },
          close: () => output.close(),
        }
        return failing
      },
      rename: (from, to) => stepAsync().then(() => inner.rename(from, to)),
      sync: (names) => stepAsync().then(() => inner.sync(names)),
      syncDirectory: () => stepAsync().then(() => inner.syncDirectory()),
    })
    let done = 0
    let error: unknown
    // A merge that fails is told, and the writer goes on.
    const onMergeError = (failure: Error) => {
      error = failure
    }
    const writer = await IndexWriter.open(directory, { analyzer, mergeFactor: 2, onMergeError })
    try {
      for (let i = 0; i < 3; i++) {
        await writer.updateDocument({ field: 'id', text: 'same' }, page('same', `version ${i}`))
        await writer.addDocument(page(`extra ${i}`, 'x'))
        await writer.commit()
        done = i + 1
      }
      await writer.close()
    } catch (thrown) {
      error = thrown
    }
    return { operations, failed, done, error, writer }
  }
  const total = (await run(new MemoryDirectory(), Number.POSITIVE_INFINITY)).operations
  t.ok(total > 60, `${total} operations`)
  for (let k = 1; k <= total; k++) {
    const dir = new MemoryDirectory()
    const { failed, done, error, writer } = await run(dir, k)
    t.ok(failed && error instanceof Error, `operation ${k} fails`)
    await t.rejects(writer.addDocument(page('x', '')), { code: 'INDEX_CLOSED' })
    // The commit that failed last may be there (the folder's sync failed after the rename), or not.
    const again = await IndexWriter.open(dir, { analyzer })
    t.ok(
      again.generation === done || again.generation === done + 1,
      `generation ${again.generation} after ${done} commits`,
    )
    const seen = again.generation
    await again.close()
    const reader = await IndexReader.open(dir)
    await reader.verifyChecksums()
    const expected = seen === 0 ? [] : ['same', ...Array.from({ length: seen }, (_, i) => `extra ${i}`)]
    t.same((await ids(reader)).sort(), expected.sort())
    await reader.close()
    const named = reader.segments.length * 8 + reader.segments.filter((segment) => segment.liveDocs !== null).length + 1
    const names = await dir.list()
    t.equal(names.length, named, `no file is left over: ${names}`)
  }
})

t.test('a full disk has its own code', async (t) => {
  t.ok(isSpindleError(writeFailed('/x', Object.assign(new Error(), { code: 'ENOSPC' })), 'DISK_FULL'))
  t.ok(isSpindleError(writeFailed('/x', Object.assign(new Error(), { code: 'EIO' })), 'INDEX_WRITE_FAILED'))
  const file = t.testdir({ f: '' })
  // A folder that cannot be made.
  await t.rejects(IndexWriter.open(join(file, 'f', 'index'), { analyzer }), { code: 'INDEX_WRITE_FAILED' })
})
