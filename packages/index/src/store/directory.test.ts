/** One suite for every kind of directory: on disk, in memory, behind a web server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '@spindle/core'
import t, { type Test } from 'tap'
import { Random, testSeed } from '../test-support/random.js'
import { RangeServer } from '../test-support/range-server.js'
import { BlockCache } from './block-cache.js'
import type { Directory } from './directory.js'
import { FsDirectory } from './fs-directory.js'
import { HttpDirectory } from './http-directory.js'
import { MemoryDirectory } from './memory-directory.js'
import { readNewestCommit, writeNewestCommit } from './newest-commit.js'

const SEED = testSeed()
t.comment(`SEED=${SEED}`)
const random = new Random(SEED)

/** Lengths on both sides of the pieces in which files are read. */
const LENGTHS = [0, 1, 3, 4, 2047, 2048, 2049, 8191, 8192, 10_240, 10_241, 65_535, 65_536, 65_537, 300_000]
const contents = new Map<string, Uint8Array>()
for (const length of LENGTHS) {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = random.below(256)
  contents.set(`_${length}.stored`, bytes)
}
contents.set('名 % ?#&+.x', new Uint8Array([1, 2, 3]))

async function fill(directory: Directory): Promise<void> {
  await directory.create()
  for (const [name, bytes] of contents) {
    const output = await directory.createOutput(name)
    output.write(bytes.subarray(0, bytes.length >> 1))
    output.write(bytes.subarray(bytes.length >> 1))
    await output.close()
  }
}

/** What every directory does. */
async function reads(t: Test, directory: Directory): Promise<void> {
  for (const [name, bytes] of contents) {
    // A web server has no range of an empty file to give; index files are never empty.
    if (bytes.length === 0 && directory.isRemote) continue
    const input = await directory.open(name)
    t.equal(input.name, name)
    t.equal(input.length, bytes.length)
    const ranges: [number, number][] = [
      [0, bytes.length],
      [0, 0],
      [bytes.length, bytes.length],
      [0, Math.min(1, bytes.length)],
      [Math.max(0, bytes.length - 1), bytes.length],
      [Math.max(0, bytes.length - 16), bytes.length],
    ]
    for (const border of [2048, 8192, bytes.length - 8192, 65_536]) {
      if (border >= 1 && border < bytes.length) ranges.push([border - 1, border + 1], [border, border + 1])
    }
    for (let i = 0; i < 30; i++) {
      const from = random.below(bytes.length + 1)
      ranges.push([from, from + random.below(bytes.length - from + 1)])
    }
    const read = async ([from, to]: [number, number]) => {
      const target = new Uint8Array(to - from)
      await input.read(target, from)
      return Buffer.compare(target, bytes.subarray(from, to)) === 0
    }
    t.equal((await Promise.all(ranges.map(read))).indexOf(false), -1, `ranges of ${name} at the same time`)
    for (const range of ranges.slice(0, 8)) if (!(await read(range))) t.fail(`the range ${range}`)
    const two = new Uint8Array(2)
    await t.rejects(input.read(two, bytes.length - 1), { code: 'INDEX_CORRUPT' }, 'a range over the end')
    await t.rejects(input.read(two, bytes.length + 10), { code: 'INDEX_CORRUPT' }, 'a range behind the end')
    // In memory of others, as readers do.
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 8), 4, bytes.length)
    await input.read(shared, 0)
    t.ok(Buffer.from(shared).equals(bytes), 'into shared memory')
    await input.close()
    await input.close()
    if (!(directory instanceof MemoryDirectory)) {
      await t.rejects(input.read(new Uint8Array(1), 0), { code: 'INDEX_CLOSED' })
    }
  }
  const error = await directory.open('_none.terms').then(
    () => null,
    (reason) => reason,
  )
  t.equal(systemCode(error), 'ENOENT', 'a missing file')
}

/** What directories do that can be written to. */
async function writes(t: Test, directory: Directory): Promise<void> {
  t.same((await directory.list()).sort(), [...contents.keys()].sort())
  await t.rejects(directory.createOutput('_1.stored'), { code: 'INDEX_WRITE_FAILED' }, 'files are written once')
  const held = await directory.open('_4.stored')
  await directory.rename('_3.stored', '_4.stored')
  t.equal((await directory.open('_4.stored')).length, 3, 'replaced')
  const bytes = new Uint8Array(4)
  await held.read(bytes, 0)
  t.same(bytes, contents.get('_4.stored'), 'an open file stays what it was')
  await held.close()
  await t.rejects(directory.rename('_none', '_other'), { code: 'INDEX_WRITE_FAILED' })
  await directory.sync(['_4.stored'])
  await directory.syncDirectory()
  await directory.delete('_4.stored')
  await directory.delete('_4.stored')
  t.notOk((await directory.list()).includes('_4.stored'))
  const lock = await directory.obtainLock()
  await lock.ensureValid()
  await t.rejects(directory.obtainLock(), { code: 'LOCK_HELD' })
  await lock.release()
  await (await directory.obtainLock()).release()
  await writeNewestCommit(directory, 7)
  await writeNewestCommit(directory, 300)
  t.equal(await readNewestCommit(directory), 300)
  t.notOk((await directory.list()).some((name) => name.startsWith('pending')))
}

t.test('on disk', async (t) => {
  const directory = new FsDirectory(join(t.testdir({}), 'index'))
  await t.rejects(directory.list(), { code: 'INDEX_NOT_FOUND' })
  await fill(directory)
  await reads(t, directory)
  await writes(t, directory)
})

t.test('in memory', async (t) => {
  const directory = new MemoryDirectory()
  await fill(directory)
  await reads(t, directory)
  await writes(t, directory)
})

t.test('behind a web server', async (t) => {
  const source = new MemoryDirectory()
  await fill(source)
  const server = await RangeServer.start(source)
  t.teardown(() => server.close())
  const options = { retryDelay: 1, retries: 2, concurrency: 3 }
  const directory = new HttpDirectory(server.address.slice(0, -1), options)
  t.equal(directory.path, encodeURI(server.address))
  await reads(t, directory)
  t.ok(server.mostAtOnce <= 3, `${server.mostAtOnce} requests at once`)
  t.equal(directory.traffic.requests, server.requests.length)

  for (const refused of [
    () => directory.create(),
    () => directory.createOutput(),
    () => directory.rename(),
    () => directory.sync(),
    () => directory.syncDirectory(),
    () => directory.delete(),
    () => directory.obtainLock(),
  ]) {
    await t.rejects(Promise.resolve<unknown>(refused()), { code: 'READ_ONLY' })
  }
  for (const wrong of ['', 'x', '/index', 'file:///index', 'ftp://host/']) {
    t.throws(() => new HttpDirectory(wrong), RangeError)
  }
  t.throws(() => new HttpDirectory(server.address, { concurrency: 0 }), RangeError)

  await t.rejects(directory.list(), { code: 'INDEX_NOT_FOUND', message: /segments\.gen/ })
  await writeNewestCommit(source, 12)
  t.same(await directory.list(), ['segments_12'])
  t.same(await new HttpDirectory(server.address, { generation: 3 }).list(), ['segments_3'])

  const name = '_300000.stored'
  const bytes = contents.get(name)!
  const readAt = async (from: number, to: number) => {
    const input = await directory.open(name)
    const target = new Uint8Array(to - from)
    try {
      await input.read(target, from)
    } finally {
      await input.close()
    }
    return Buffer.from(target).equals(bytes.subarray(from, to))
  }

  await t.test('neighbouring ranges are one request', async (t) => {
    const input = await directory.open(name)
    const before = server.requests.length
    const targets = [100_000, 50_000, 50_100, 66_000, 100_100].map((from) => ({ from, target: new Uint8Array(100) }))
    await Promise.all(targets.map(({ from, target }) => input.read(target, from)))
    for (const { from, target } of targets) t.same(target, bytes.subarray(from, from + 100))
    t.same(server.requests.slice(before).sort(), [`${name} bytes=100000-100199`, `${name} bytes=50000-66099`])
    await input.read(new Uint8Array(16), bytes.length - 16)
    await input.read(new Uint8Array(900), bytes.length - 1000)
    await input.read(new Uint8Array(2048), 0)
    t.equal(server.requests.length, before + 3, 'the beginning and the end are kept')
  })

  await t.test('faults that pass', async (t) => {
    for (const status of [408, 429, 500, 502, 503]) {
      let left = 2
      server.misbehave = (_, response) => {
        if (left-- <= 0) return undefined
        response.writeHead(status).end('busy')
        return 'handled'
      }
      t.ok(await readAt(0, 5), `${status} twice`)
    }
    let left = 2
    server.misbehave = () => (left-- > 0 ? 'truncate' : undefined)
    t.ok(await readAt(0, 2000), 'an answer that breaks off, twice')
    left = 2
    server.misbehave = (_, response) => {
      if (left-- <= 0) return undefined
      response.destroy()
      return 'handled'
    }
    t.ok(await readAt(0, 5), 'a connection that breaks, twice')
    server.misbehave = () => 'no-version'
    t.ok(await readAt(100_000, 200_000), 'a server without ETag and date')
  })

  await t.test('faults that stay are told', async (t) => {
    const told: [string, ReturnType<typeof server.misbehave>, RegExp][] = [
      ['INDEX_FETCH_FAILED', 'ignore-range', /ignores ranges/],
      ['INDEX_FETCH_FAILED', 'gzip', /compress/],
      ['INDEX_FETCH_FAILED', 'wrong-range', /sent the bytes/],
      ['INDEX_FETCH_FAILED', 'truncate', /broke off|ended after/],
    ]
    for (const [code, fault, message] of told) {
      server.misbehave = () => fault
      await t.rejects(readAt(0, 5), { code, message })
    }
    for (const status of [204, 302, 401, 403, 416, 500]) {
      server.misbehave = (_, response) => {
        response.writeHead(status).end()
        return 'handled'
      }
      await t.rejects(readAt(0, 5), { code: 'INDEX_FETCH_FAILED' }, String(status))
    }
    server.misbehave = (_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-2047/300000' })
      response.end(new Uint8Array(5000))
      return 'handled'
    }
    await t.rejects(readAt(0, 5), { code: 'INDEX_FETCH_FAILED', message: /more than/ })
    server.misbehave = (_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-2047/300000' })
      response.end(new Uint8Array(5))
      return 'handled'
    }
    await t.rejects(readAt(0, 5), { code: 'INDEX_FETCH_FAILED', message: /ended after 5 of 2048/ })
    // A whole file that fits into the range may come as 200.
    server.misbehave = () => 'ignore-range'
    const small = await directory.open('_4.stored')
    const four = new Uint8Array(4)
    await small.read(four, 0)
    t.same(four, contents.get('_4.stored'))

    server.misbehave = () => undefined
    const input = await directory.open(name)
    server.misbehave = () => 'other-etag'
    await t.rejects(input.read(new Uint8Array(5), 100_000), { code: 'INDEX_CHANGED', message: /ETag/ })
    server.misbehave = () => 'no-version'
    await t.rejects(input.read(new Uint8Array(5), 100_000), { code: 'INDEX_CHANGED' })
    const unversioned = await directory.open(name)
    await source.rename('_65537.stored', name)
    await t.rejects(unversioned.read(new Uint8Array(5), 10_000), { code: 'INDEX_CHANGED', message: /65537 bytes/ })
    await t.rejects(unversioned.read(new Uint8Array(5), 250_000), { code: 'INDEX_CHANGED' })
    await source.delete(name)
    const gone = await unversioned.read(new Uint8Array(5), 10_000).catch((error) => error)
    t.equal(systemCode(gone), 'ENOENT')
  })

  await t.test('time limit and signal', async (t) => {
    server.misbehave = () => 'handled'
    const hurried = new HttpDirectory(server.address, { ...options, timeout: 30 })
    await t.rejects(hurried.open('_4.stored'), { code: 'INDEX_FETCH_FAILED', message: /within 30 ms, 3 times/ })
    const controller = new AbortController()
    const stopped = new HttpDirectory(server.address, { signal: controller.signal })
    const opening = stopped.open('_4.stored')
    setTimeout(() => controller.abort(new Error('enough')), 10)
    await t.rejects(opening, { message: 'enough' })
    await t.rejects(stopped.open('_4.stored'), { message: 'enough' })
    server.misbehave = (_, response) => {
      response.writeHead(503).end()
      return 'handled'
    }
    const pausing = new AbortController()
    const waiting = new HttpDirectory(server.address, { signal: pausing.signal, retryDelay: 60_000 }).open('_4.stored')
    setTimeout(() => pausing.abort(new Error('enough')), 20)
    await t.rejects(waiting, { message: 'enough' }, 'a pause ends at once')
    const closed = new HttpDirectory('http://127.0.0.1:1/', { retries: 0 })
    await t.rejects(closed.list(), { code: 'INDEX_FETCH_FAILED' })
  })
})

t.test('the cache of blocks', async (t) => {
  const dir = t.testdir({})
  const bytes = new Uint8Array(100_003)
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256)
  writeFileSync(join(dir, 'f'), bytes)
  const input = await new FsDirectory(dir).open('f')
  const reads: [number, number][] = []
  let fail = false
  const source = {
    contentEnd: bytes.length,
    read: async (target: Uint8Array, offset: number) => {
      reads.push([offset, target.length])
      if (fail) throw new Error('no luck')
      await input.read(target, offset)
    },
  }
  let capacity = 10_000
  const cache = new BlockCache({ capacity: () => capacity, blockSize: 1000 })
  const file = cache.add(source)
  const check = async (start: number, length: number) => {
    const loaded = await file.load(start, length)
    if (loaded.start % 4 !== 0 || loaded.bytes.byteOffset % 4 !== 0) t.fail('words stay words')
    if (loaded.bytes.buffer.byteLength < ((loaded.bytes.length + 3) & ~3)) t.fail('room for the last word')
    const at = start - loaded.start
    return Buffer.compare(loaded.bytes.subarray(at, at + length), bytes.subarray(start, start + length)) === 0
  }
  t.ok(await check(2500, 2000))
  t.same(reads, [[2000, 3000]], 'neighbouring blocks come with one read')
  t.ok(await check(1500, 4000))
  t.same(
    reads.slice(1),
    [
      [1000, 1000],
      [5000, 1000],
    ],
    'only what is missing',
  )
  t.ok((await Promise.all([check(7000, 1000), check(7100, 10), check(6999, 2)])).every(Boolean))
  t.same(
    reads.slice(3),
    [
      [7000, 1000],
      [6000, 1000],
    ],
    'a block on its way is not asked for again',
  )
  fail = true
  await t.rejects(Promise.all([check(50_000, 10), check(50_500, 10)]), { message: 'no luck' })
  fail = false
  t.ok(await check(50_000, 10), 'a failure is not kept')
  t.ok(await check(100_000, 3))
  t.ok(await check(20_000, 30_000), 'a range larger than half of the cache')
  let wrong = 0
  for (let round = 0; round < 300; round++) {
    capacity = random.below(20_000)
    const jobs = Array.from({ length: 1 + random.below(5) }, () => {
      const start = random.below(bytes.length)
      return check(start, 1 + random.below(Math.min(15_000, bytes.length - start)))
    })
    for (const right of await Promise.all(jobs)) if (!right) wrong++
    if (cache.stats.bytes > Math.max(capacity, 20_000)) t.fail('more is kept than allowed')
  }
  t.equal(wrong, 0)
  capacity = 5000
  await check(0, 1)
  await check(99_000, 1)
  t.ok(cache.stats.bytes <= 5000)
  const other = cache.add(source)
  await other.load(0, 10)
  file.close()
  t.equal(cache.stats.bytes, 1000, 'a closed file leaves nothing')
  other.close()
  t.equal(cache.stats.bytes, 0)
  await input.close()
})
