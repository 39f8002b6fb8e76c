/** Merging: what the policy chooses, and merges in a worker while documents are added, deleted, committed and read. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { FsDirectory } from '../store/fs-directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { contentsAfter, crashAnalyzer } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter, type IndexWriterOptions } from './index-writer.js'
import { findDeletesMerge, findForcedMerge, findMerge, type MergeCandidate } from './merge-policy.js'

const analyzer = new WhitespaceAnalyzer()
const seed = testSeed()
t.comment(`SEED=${seed}`)

function page(id: string, body: string): Document {
  return new Document().add(Field.keyword(ID, id)).add(Field.text('body', body))
}

/** 20 words of which many are rare, so that a merge has something to do. */
function words(random: Random): string {
  return Array.from({ length: 20 }, () => `w${random.below(random.next() < 0.5 ? 50 : 20_000)}`).join(' ')
}

/** Segments that the commit of a folder names. */
async function segmentCount(dir: string): Promise<number> {
  return (await IndexReader.listCommits(dir)).at(-1)!.segmentCount
}

t.test('the policy', async (t) => {
  const MB = 1 << 20
  const segment = (megabytes: number, deleted = 0): MergeCandidate => ({
    liveBytes: megabytes * MB * (1 - deleted),
    numDocs: Math.round(1000 * (1 - deleted)),
    deletedCount: Math.round(1000 * deleted),
  })
  const settings = { mergeFactor: 10, maxMergedSegmentBytes: 5000 * MB }
  const nine = Array.from({ length: 9 }, () => segment(0.1))
  t.equal(findMerge(nine, settings), undefined)
  t.equal(findMerge([...nine, segment(0.1)], settings)?.length, 10)
  t.equal(findMerge([...nine, segment(900)], settings), undefined, 'a large one is another tier')
  t.equal(findMerge([segment(10), segment(0.1, 0.6)], settings)?.[0], 1, 'most of it is deleted')
  t.equal(findMerge([segment(10), segment(0.1, 0.4)], settings), undefined)
  t.same(findMerge([segment(10, 0.2), segment(300, 0.5), segment(10)], settings), [1], 'much of the index is deleted')
  t.equal(findMerge([segment(4900), segment(4900), segment(2600)], settings), undefined, 'too large')
  t.equal(findMerge([], settings), undefined)
  t.same(findForcedMerge([segment(4900), segment(4900)], 1, 10), [0, 1])
  t.same(findDeletesMerge([segment(1, 0.05), segment(1, 0.2)]), [1])
  t.equal(findDeletesMerge([segment(1, 0.05)]), undefined)

  // A million flushes in fast motion: few segments, few rewrites, none too large.
  const random = new Random(seed)
  for (const [mergeFactor, limit] of [
    [10, 5000],
    [4, 5000],
    [2, 5000],
    [10, 40],
  ] as const) {
    let sizes: MergeCandidate[] = []
    let written = 0
    let total = 0
    let most = 0
    for (let flush = 0; flush < 2000; flush++) {
      const size = random.next() * 4
      total += size
      sizes.push(segment(size))
      for (;;) {
        const found = findMerge(sizes, { mergeFactor, maxMergedSegmentBytes: limit * MB })
        if (found === undefined) break
        t.ok(found.every((i, n) => i < sizes.length && (n === 0 || i > found[n - 1]!)) && found.length <= mergeFactor)
        const sum = found.reduce((all, i) => all + sizes[i]!.liveBytes, 0) / MB
        if (sum > limit) t.fail(`a segment of ${sum} MB`)
        written += sum
        sizes = sizes.filter((_, i) => !found.includes(i))
        sizes.push(segment(sum))
      }
      const large = sizes.filter((one) => one.liveBytes > (limit * MB) / 2).length
      most = Math.max(most, sizes.length - large)
    }
    const tiers = Math.log(Math.min(limit, total)) / Math.log(mergeFactor)
    t.comment(
      `factor ${mergeFactor}, limit ${limit} MB: up to ${most} segments below half, ${(written / total).toFixed(1)} rewrites`,
    )
    t.ok(most <= mergeFactor * (tiers + 2), `${most} segments`)
    t.ok(written / total <= tiers + 1.5, `${written / total} rewrites, ${tiers} tiers`)
  }
})

for (let round = 0; round < byEffort(1, 6, 40); round++) {
  t.test(`in a worker, round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const dir = t.testdir({})
    let errors = 0
    const options: IndexWriterOptions = {
      analyzer,
      memoryBudget: 60_000,
      mergeFactor: random.pick([2, 3, 5]),
      backgroundMergeBytes: random.pick([0, 30_000]),
      // Slow merges, so that much happens meanwhile.
      maxMergeBytesPerSecond: random.pick([1_000_000, Number.POSITIVE_INFINITY]),
      maxMergeBacklog: random.below(3),
      keepCommits: 1 + random.below(2),
      onMergeError: () => errors++,
    }
    let model = new Map<string, Document>()
    let committed = new Map(model)
    let writer = await IndexWriter.open(dir, options)
    const check = async (reader: IndexReader, expected: ReadonlyMap<string, Document>, what: string) => {
      const difference = firstDifference(await indexContents(reader), expectedContents(expected.values(), analyzer))
      t.equal(difference, undefined, what)
      await reader.close()
    }
    for (let step = 0; step < 400; step++) {
      const choice = random.next()
      const id = String(random.below(600))
      if (choice < 0.75) {
        const document = page(id, words(random))
        model.delete(id)
        model.set(id, document)
        await writer.updateDocument({ field: ID, text: id }, document)
      } else if (choice < 0.95) {
        model.delete(id)
        await writer.deleteDocuments({ field: ID, text: id })
      } else if (choice < 0.97) {
        await writer.commit()
        committed = new Map(model)
        if (random.next() < 0.3) await check(await IndexReader.open(dir), committed, `a commit after step ${step}`)
      } else if (choice < 0.976) {
        await check(await IndexReader.open(writer), model, `uncommitted after step ${step}`)
      } else if (choice < 0.98) {
        if (random.next() < 0.5) {
          await writer.rollback()
          model = new Map(committed)
        } else {
          await writer.close({ waitForMerges: random.next() < 0.3 })
          committed = new Map(model)
        }
        if (writer.generation > 0) await check(await IndexReader.open(dir), committed, `reopened after step ${step}`)
        writer = await IndexWriter.open(dir, options)
      } else if (choice < 0.981) {
        await writer.forceMerge(1 + random.below(3))
      } else if (choice < 0.99) {
        await setTimeout(random.below(30))
      }
    }
    await writer.close({ waitForMerges: true })
    const reader = await IndexReader.open(dir)
    await reader.verifyChecksums()
    const names = new Set(reader.segments.map((segment) => segment.name))
    await check(reader, model, 'at the end')
    t.equal(errors, 0)
    const strangers = readdirSync(dir).filter((name) => name.startsWith('_') && !names.has(/^_\d+/.exec(name)![0]))
    if (options.keepCommits === 1) t.same(strangers, [], 'no file is left over')
  })
}

t.test('adding and committing go on during a merge; what is deleted meanwhile stays deleted', async (t) => {
  const dir = t.testdir({})
  const random = new Random(seed)
  const writer = await IndexWriter.open(dir, {
    analyzer,
    mergeFactor: 2,
    backgroundMergeBytes: 100_000,
    maxMergeBytesPerSecond: 250_000,
  })
  for (const half of [0, 1]) {
    for (let i = 0; i < 4000; i++) await writer.addDocument(page(`${half}-${i}`, words(random)))
    await writer.commit()
  }
  // The merge of the two takes a second at least.
  const began = performance.now()
  for (let i = 0; i < 4000; i += 3) await writer.deleteDocuments({ field: ID, text: `1-${i}` })
  await writer.addDocument(page('meanwhile', 'x'))
  await writer.commit()
  const during = performance.now() - began
  let reader = await IndexReader.open(dir)
  t.same([reader.segments.length, reader.numDocs], [3, 6667], 'the merge goes on')
  await reader.close()
  // Nobody calls the writer: the result is put in place by itself.
  let merged = await IndexReader.open(writer)
  while (merged.segments.length === 3) {
    await setTimeout(20)
    const next = await merged.refresh()
    if (next !== merged) await merged.close()
    merged = next
  }
  t.comment(`commit during the merge ${Math.round(during)} ms, merge ${Math.round(performance.now() - began)} ms`)
  t.same([merged.segments.length, merged.numDocs, merged.segments[0]!.liveDocs?.count()], [2, 6667, 6666])
  await merged.close()
  await writer.close()
  reader = await IndexReader.open(dir)
  t.same([reader.segments.length, reader.numDocs], [2, 6667])
  t.equal(await reader.docFreq(ID, '1-1'), 1)
  await reader.verifyChecksums()
  await reader.close()
})

t.test('documents leave a part of the budget to a merge that is running', async (t) => {
  const dir = t.testdir({})
  const random = new Random(seed)
  const memoryBudget = 1 << 20
  const writer = await IndexWriter.open(dir, {
    analyzer,
    memoryBudget,
    mergeFactor: 2,
    backgroundMergeBytes: 0,
    maxMergeBytesPerSecond: 10_000,
    maxMergeBacklog: 100,
  })
  const most = async (count: number) => {
    let bytes = 0
    for (let i = 0; i < count; i++) {
      await writer.addDocument(page(String(random.below(1e9)), words(random)))
      bytes = Math.max(bytes, writer.ramBytesUsed)
    }
    return bytes
  }
  const alone = await most(500)
  t.notOk(writer.mergeStats.isRunning)
  t.ok(alone > memoryBudget / 2, `${alone} bytes of documents`)
  await writer.commit()
  await most(500)
  await writer.commit()
  t.ok(writer.mergeStats.isRunning)
  const beside = await most(2000)
  t.ok(writer.mergeStats.isRunning)
  t.ok(beside < memoryBudget / 2, `${beside} bytes of documents beside a merge`)
  await writer.rollback()
})

t.test('rollback and close give a merge up; many waiting merges make the writer wait', async (t) => {
  const dir = t.testdir({})
  const random = new Random(seed)
  const options = { analyzer, mergeFactor: 2, backgroundMergeBytes: 0, maxMergeBytesPerSecond: 10_000 }
  let writer = await IndexWriter.open(dir, { ...options, maxMergeBacklog: 100 })
  for (let i = 0; i < 300; i++) {
    await writer.addDocument(page(String(i), words(random)))
    if (i % 100 === 99) await writer.commit()
  }
  const { files } = await writer.snapshot()
  const forced = writer.optimize()
  await setTimeout(50)
  const began = performance.now()
  const rolledBack = writer.rollback()
  await t.rejects(forced, { code: 'INDEX_CLOSED' })
  await rolledBack
  // The merge itself would take minutes at its rate.
  t.ok(performance.now() - began < 30_000, 'at once, though the merge takes longer')
  t.same(readdirSync(dir).sort(), files.toSorted(), 'nothing is left of it')
  t.equal(await segmentCount(dir), 3)

  writer = await IndexWriter.open(dir, { ...options, maxMergeBytesPerSecond: 300_000, maxMergeBacklog: 0 })
  for (let i = 0; i < 30; i++) {
    await writer.addDocument(page(`more ${i}`, words(random)))
    await writer.commit()
    t.ok((await segmentCount(dir)) <= 6, 'segments stay few')
  }
  await writer.close()
  const reader = await IndexReader.open(dir)
  t.equal(reader.numDocs, 330)
  await reader.close()
})

t.test('a merge that fails is told, and loses nothing', async (t) => {
  for (const background of [true, false]) {
    const dir = t.testdir({})
    const errors: Error[] = []
    const options = { analyzer, mergeFactor: 3, backgroundMergeBytes: background ? 0 : 1e9 }
    let writer = await IndexWriter.open(dir, { ...options, mergeFactor: 10 })
    for (let i = 0; i < 2; i++) {
      await writer.addDocument(page(String(i), `body ${i}`))
      await writer.commit()
    }
    await writer.close()
    // Stored fields are checked when they are read: only the merge sees it.
    const file = join(dir, '_0.stored')
    const bytes = readFileSync(file)
    bytes[40] ^= 0xff
    writeFileSync(file, bytes)
    writer = await IndexWriter.open(dir, { ...options, onMergeError: (error) => errors.push(error) })
    await writer.addDocument(page('2', 'body 2'))
    await writer.commit()
    for (let wait = 0; errors.length === 0 && wait < 3000; wait++) await setTimeout(10)
    t.equal(errors.length, 1)
    t.match(errors[0], { code: 'INDEX_CORRUPT' })
    await writer.addDocument(page('3', 'body 3'))
    await t.rejects(writer.optimize(), { code: 'INDEX_CORRUPT' }, 'a forced merge tells its caller')
    await writer.addDocument(page('4', 'body 4'))
    await writer.close()
    const reader = await IndexReader.open(dir)
    t.equal(reader.numDocs, 5)
    t.equal((await reader.document(4)).get(ID), '4')
    const names = new Set(reader.segments.map((segment) => segment.name))
    t.ok(
      readdirSync(dir).every((name) => !name.startsWith('_') || names.has(/^_\d+/.exec(name)![0])),
      'nothing is left of the merges',
    )
    await reader.close()
  }
})

t.test('kill -9 during merges in a worker', async (t) => {
  const dir = t.testdir({})
  const random = new Random(seed)
  const program = fileURLToPath(new URL('../test-support/merge-crash-workload.js', import.meta.url))
  let acknowledged = 0
  for (let kill = 0; kill < byEffort(2, 30, 300); kill++) {
    const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const commits = 1 + random.below(6)
    while (output.split('commit').length <= commits && child.exitCode === null) await setTimeout(3)
    await setTimeout(random.below(20))
    child.kill('SIGKILL')
    t.equal((await exit)[1], 'SIGKILL')
    for (const [, number] of output.matchAll(/^commit (\d+)\n/gm)) acknowledged = Math.max(acknowledged, Number(number))
    const reader = await IndexReader.open(dir)
    const k = Number(reader.userData.k)
    t.ok(k === acknowledged || k === acknowledged + 1, `commit ${k} is there, ${acknowledged} was acknowledged`)
    acknowledged = k
    const expected = expectedContents(contentsAfter(k), crashAnalyzer)
    t.equal(firstDifference(await indexContents(reader), expected), undefined)
    await reader.verifyChecksums()
    await reader.close()
  }
  const writer = await IndexWriter.open(dir, { analyzer: crashAnalyzer })
  const { files } = await writer.snapshot()
  await writer.rollback()
  t.same(readdirSync(dir).sort(), files.toSorted(), 'the next writer leaves no file of a dead merge')
})

t.test('a worker is started for large merges in folders only, and ends', async (t) => {
  const workers = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = workers()
  const run = async (directory: FsDirectory | MemoryDirectory, backgroundMergeBytes?: number) => {
    const writer = await IndexWriter.open(directory, {
      analyzer,
      mergeFactor: 2,
      ...(backgroundMergeBytes === undefined ? {} : { backgroundMergeBytes }),
    })
    for (let i = 0; i < 6; i++) {
      await writer.addDocument(page(String(i), 'small'))
      await writer.commit()
    }
    await writer.optimize()
    const during = workers()
    await writer.close()
    const reader = await IndexReader.open(directory)
    t.same([reader.segments.length, reader.numDocs], [1, 6])
    await reader.close()
    return during - before
  }
  t.equal(await run(new FsDirectory(t.testdir({}))), 0, 'a small crawl needs none')
  t.equal(await run(new MemoryDirectory(), 0), 0)
  await run(new FsDirectory(t.testdir({})), 0)
  t.equal(workers(), before)
  await t.resolves(run(new (class extends FsDirectory {})(t.testdir({})), 0))
})
