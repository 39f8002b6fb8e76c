/** Checking an index: what a clean one gives, what is said of each kind of damage, exit codes, and taking segments out. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexReader } from '../reading/index-reader.js'
import { publishIndex } from '../reading/publish-index.js'
import { FORMAT, formatText } from '../store/format-version.js'
import { sealFile } from '../test-support/seal-file.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { checkIndex } from './check-index.js'
import type { CheckReport, SegmentReport } from './check-report.js'
import { exorcise } from './exorcise.js'

const analyzer = new WhitespaceAnalyzer(true)
const run = promisify(execFile)
const main = fileURLToPath(new URL('../cli/main.js', import.meta.url))

/** Runs the command in a process of its own. */
async function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const program = `import { main } from ${JSON.stringify(main)}; process.exitCode = await main(process.argv.slice(1))`
  try {
    const { stdout, stderr } = await run(process.execPath, [
      '--input-type=module',
      '-e',
      program,
      'check-index',
      ...args,
    ])
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

function document(id: string, body: string): Document {
  return new Document().add(Field.keyword('id', id)).add(Field.text('body', body))
}

/** Two segments: 300 documents with 10 deleted ones, and 20 documents. */
async function build(dir: string): Promise<void> {
  const writer = await IndexWriter.open(dir, { analyzer })
  for (let i = 0; i < 300; i++)
    await writer.addDocument(document(`a${i}`, `common word w${i % 50} ${'x '.repeat(i % 7)}`))
  await writer.commit({ userData: { source: 'one' } })
  for (let i = 0; i < 20; i++) await writer.addDocument(document(`b${i}`, `common other ${i}`))
  for (let i = 0; i < 10; i++) await writer.deleteDocuments({ field: 'id', text: `a${i}` })
  await writer.close()
}

/** Changes bytes of a file, and its checksum where wished. */
function damage(path: string, change: (bytes: Buffer) => void, repair = false): void {
  const bytes = readFileSync(path)
  change(bytes)
  if (repair) sealFile(bytes)
  writeFileSync(path, bytes)
}

t.test('check-index', async (t) => {
  const root = t.testdir({})
  const clean = join(root, 'index')
  await build(clean)
  let copies = 0
  const copy = () => {
    const dir = join(root, `copy-${copies++}`)
    cpSync(clean, dir, { recursive: true })
    return dir
  }

  await t.test('a clean index, with a writer at work or without', async (t) => {
    const report = await checkIndex(clean, { idField: 'id' })
    const { path, ms, segments, bytes, ...rest } = report
    t.same(rest, {
      clean: true,
      mode: 'full',
      generation: 2,
      segmentsFile: 'segments_2',
      formatVersion: formatText(FORMAT),
      createdBy: rest.createdBy,
      userData: { source: 'one' },
      counterValid: true,
      error: null,
      missingFiles: [],
      unreferencedFiles: [],
      leftoverFiles: [],
      olderCommits: [],
      lock: null,
      pointer: null,
      docs: 310,
      deleted: 10,
      badSegments: [],
      docsLost: 0,
      uniqueIds: { field: 'id', checked: true, count: 310, error: null, ms: rest.uniqueIds!.ms },
    })
    t.match(rest.createdBy, /^spindle \d+\.\d+\.\d+/)
    t.equal(segments.length, 2)
    for (const segment of segments) {
      for (const file of segment.files) t.ok(file.ok && file.crcStored === file.crcComputed, file.name)
      for (const [part, { checked, error }] of Object.entries(segment.parts)) t.ok(checked && error === null, part)
    }
    t.equal(segments[0].parts.storedFields.count, 300)
    t.equal(segments[0].parts.liveDocs.count, 10)
    t.equal(
      bytes,
      readdirSync(clean).reduce((sum, name) => sum + readFileSync(join(clean, name)).length, 0),
    )

    const before = readdirSync(clean)
    const writer = await IndexWriter.open(clean, { analyzer, memoryBudget: 1 })
    await writer.addDocument(document('pending', 'not committed'))
    const during = await checkIndex(clean)
    t.ok(during.clean)
    t.match(during.lock, { pid: process.pid })
    t.ok(during.unreferencedFiles.length > 0, 'files being written belong to no commit')
    await writer.rollback()
    t.same(readdirSync(clean), before, 'the check leaves nothing behind')
    writeFileSync(join(copy(), 'pending_segments_9'), 'half')
    t.same((await checkIndex(join(root, `copy-${copies - 1}`))).leftoverFiles, ['pending_segments_9'])
  })

  await t.test('each kind of damage', async (t) => {
    const bad = async (dir: string, segment: string, text: RegExp, options = {}): Promise<CheckReport> => {
      const report = await checkIndex(dir, options)
      t.notOk(report.clean, String(text))
      t.same(report.badSegments, [segment])
      t.match(JSON.stringify(report.segments), text)
      return report
    }
    for (const name of readdirSync(clean).filter((one) => one.startsWith('_0'))) {
      const dir = copy()
      damage(join(dir, name), (bytes) => {
        bytes[bytes.length >> 1] ^= 0x10
      })
      const report = await bad(dir, '_0', /checksum|damaged/)
      t.notOk(report.segments[0].files.find((file) => file.name === name)!.ok, name)
      t.equal(report.docsLost, 290)
      t.ok(report.segments[1].ok)
    }
    const gone = copy()
    rmSync(join(gone, '_1.norms'))
    t.same((await bad(gone, '_1', /norms/)).missingFiles, ['_1.norms'])
    const commit = copy()
    damage(join(commit, 'segments_2'), (bytes) => {
      bytes[40] ^= 1
    })
    const report = await checkIndex(commit)
    t.notOk(report.clean)
    t.match(report.error, /segments_2 is damaged at byte/)
    // Right checksums over wrong contents: only what is compared with something else finds these.
    const norms = copy()
    damage(join(norms, '_0.norms'), (bytes) => bytes.fill(200, 100, 101), true)
    t.match(
      (await bad(norms, '_0', /a length from 1 to/)).segments[0].parts.norms.error,
      /_0\.norms is damaged at byte 100/,
    )
    const published = copy()
    await publishIndex(published)
    t.match(await checkIndex(published), {
      clean: true,
      pointer: { generation: 2, error: null },
      unreferencedFiles: [],
    })
    damage(join(published, 'segments.gen'), (bytes) => {
      bytes[33] ^= 1
    })
    t.match(await checkIndex(published), {
      clean: false,
      pointer: { error: /segments\.gen is damaged/ },
      badSegments: [],
    })
    const swapped = copy()
    const both = readFileSync(join(clean, '_1.stored'))
    writeFileSync(join(swapped, '_0.stored'), both)
    await bad(swapped, '_0', /expected id/)
  })

  await t.test('in threads: the same, also where the files are deleted meanwhile', async (t) => {
    const told = (report: CheckReport) => JSON.stringify({ ...report, path: '', ms: 0 }).replace(/"ms":[\d.]+/g, '')
    const changes: [string, (bytes: Buffer) => void, boolean][] = [
      ['_0.postings', (bytes) => bytes.fill(0xff, 40, 60), true],
      ['_0.position', (bytes) => bytes.fill(0xff, 40, 60), true],
      ['_0.stored', (bytes) => bytes.fill(0, 40, 60), true],
      ['_1.terms', (bytes) => bytes.fill(0, 40, 42), false],
    ]
    for (const [name, change, repair] of changes) {
      const dir = copy()
      damage(join(dir, name), change, repair)
      const alone = await checkIndex(dir, { threads: 0 })
      t.notOk(alone.clean, name)
      const hasError = (one: SegmentReport) => Object.values(one.parts).some(({ error }) => error !== null)
      t.ok(alone.segments.some(hasError), `${name}: what it means is wrong`)
      t.equal(told(await checkIndex(dir, { threads: 2 })), told(alone), name)
    }
    const dir = copy()
    const onSegment = (_: string, index: number) => {
      if (index === 0) for (const name of readdirSync(dir)) rmSync(join(dir, name))
    }
    t.ok((await checkIndex(dir, { threads: 2, onSegment })).clean, 'a writer that deletes is no obstacle')
  })

  await t.test('fast, one segment, identity', async (t) => {
    const dir = copy()
    damage(join(dir, '_0.stored'), (bytes) => {
      bytes[60] ^= 1
    })
    t.same((await checkIndex(dir, { fast: true })).badSegments, ['_0'], 'a fast check reads every byte')
    const wrong = copy()
    damage(join(wrong, '_0.norms'), (bytes) => bytes.fill(200, 100, 101), true)
    t.ok((await checkIndex(wrong, { fast: true })).clean, 'but does not ask what the bytes mean')
    t.ok((await checkIndex(dir, { segment: '_1' })).clean)
    t.notOk((await checkIndex(dir, { segment: '_0' })).clean)
    await t.rejects(checkIndex(dir, { segment: '_7' }), { code: 'CONFIG_INVALID', message: /choose one of _0, _1/ })
    const twice = copy()
    const writer = await IndexWriter.open(twice, { analyzer })
    await writer.addDocument(document('a100', 'once more'))
    await writer.addDocument(document('a5', 'deleted before'))
    await writer.close()
    const report = await checkIndex(twice, { idField: 'id' })
    t.notOk(report.clean)
    t.match(report.uniqueIds!.error, /2 live documents with id = "a100" \(document 100 of _0, document 0 of _2\)/)
  })

  await t.test('exorcise', async (t) => {
    const dir = copy()
    damage(join(dir, '_1.terms'), (bytes) => {
      bytes[40] ^= 1
    })
    const result = await exorcise(dir, await checkIndex(dir), { idField: 'id' })
    t.match(result, { generation: 3, segments: ['_1'], docsLost: 20, idsLost: [] })
    t.ok((await checkIndex(dir, { idField: 'id' })).clean)
    t.ok(result.keptFiles.includes('exorcised-2-_1.terms') && result.keptFiles.includes('exorcised-2-segments_2'))
    const writer = await IndexWriter.open(dir, { analyzer })
    await writer.addDocument(document('next', 'goes on'))
    await writer.close()
    for (const name of result.keptFiles) t.ok(readdirSync(dir).includes(name), `${name} is still there`)
    const reader = await IndexReader.open(dir)
    t.equal(reader.numDocs, 291)
    t.equal(reader.userData.source, 'one')
    await reader.close()

    // Where stored fields can be read, the ids of the lost documents are told.
    const other = copy()
    damage(join(other, '_0.norms'), (bytes) => bytes.fill(200, 100, 101), true)
    const held = await IndexWriter.open(other, { analyzer })
    await t.rejects(exorcise(other, await checkIndex(other)), { code: 'LOCK_HELD' })
    await held.rollback()
    const stale = await checkIndex(other)
    const told = await command(other, '--exorcise', '--purge', '--id', 'id', '--json')
    t.equal(told.code, 0, told.err)
    const { exorcised } = JSON.parse(told.out)
    t.equal(exorcised.docsLost, 290)
    t.equal(exorcised.idsLost.length, 290)
    t.equal(exorcised.idsLost[0], 'a10')
    t.notOk(
      readdirSync(other).some((name) => name.includes('_0') || name.startsWith('exorcised')),
      'purged',
    )
    await t.rejects(exorcise(other, stale), { code: 'CONFIG_INVALID', message: /check it again/ })
  })

  await t.test('the command', async (t) => {
    const dir = copy()
    const data = join(root, 'data')
    mkdirSync(data)
    renameSync(dir, join(data, 'index'))
    t.match(await command(data), { code: 0, out: /generation 2.*310 documents[\s\S]*Clean \(full check/, err: '' })
    t.match(await command(join(data, 'index'), '--fast', '--segment', '_1'), { code: 0, out: /1 segment checked/ })
    damage(join(data, 'index', '_0.postings'), (bytes) => {
      bytes[50] ^= 1
    })
    t.match(await command(data), { code: 1, out: /_0: .*DAMAGED[\s\S]*290 documents\. Restore/ })
    t.equal(JSON.parse((await command(data, '--json')).out).clean, false)
    t.match(await command(data, '--exorcise'), {
      code: 0,
      out: /Generation 3 is written without _0: 290 documents lost/,
    })
    t.match(await command('--help'), { code: 0, out: /Usage: spindle check-index/ })
    for (const args of [
      ['--no'],
      ['a', 'b'],
      ['--fast', '--full'],
      ['--purge'],
      ['--exorcise', '--fast'],
      [data, '--segment', '_9'],
    ]) {
      const { code, err } = await command(...args)
      t.equal(code, 2, args.join(' '))
      t.match(err, /^spindle check-index: [^\n]+\n$/)
    }
    const junk = join(root, 'junk')
    mkdirSync(junk)
    for (const name of ['.DS_Store', 'extra0', 'pending_segments_1']) writeFileSync(join(junk, name), 'x')
    symlinkSync('loop', join(root, 'loop'))
    writeFileSync(join(root, 'file'), 'x')
    for (const name of ['missing', 'junk', 'loop', 'file']) {
      const { code, err } = await command(join(root, name))
      t.equal(code, 3, name)
      t.match(err, /^spindle check-index: There is no index in [^\n]+\n$/)
    }
    const newer = copy()
    damage(join(newer, 'segments_2'), (bytes) => bytes.writeUInt32LE(99, 12), true)
    t.match(await command(newer), {
      code: 4,
      err: /segments_2 has format 99\.0 and this program reads .*; use a newer/,
    })
    const older = copy()
    damage(join(older, 'segments_2'), (bytes) => bytes.writeUInt32LE(0, 12), true)
    t.match(await command(older), {
      code: 4,
      err: /segments_2 has format 0\.0 and .*; remove the index and build it again/,
    })
  })
})
