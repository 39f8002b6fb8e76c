import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isSpindleError } from '../errors.js'
import { writeFileAtomic } from './atomic-file.js'
import { RecordLogReader, RecordLogWriter } from './record-log.js'

async function payloads(path: string): Promise<string[]> {
  const reader = await RecordLogReader.open(path)
  const found: string[] = []
  for await (const record of reader.scan()) found.push(record.payload.toString())
  await reader.close()
  return found
}

t.test('records are read back in order and by place, also while the log is written', async (t) => {
  const path = join(t.testdir(), 'log')
  const writer = await RecordLogWriter.open(path)
  const texts = ['', 'a', '中文', 'x'.repeat(300_000), 'last']
  const offsets = texts.map((text) => writer.append(Buffer.from(text)))
  await writer.flush()
  t.strictSame(await payloads(path), texts)
  await writer.close()
  const reader = await RecordLogReader.open(path)
  for (const [i, offset] of offsets.entries()) t.equal((await reader.read(offset)).payload.toString(), texts[i])
  await t.rejects(reader.read(offsets[2]! + 1), { code: 'PAGE_STORE_CORRUPT' })
  await t.rejects(reader.read(-1), { code: 'PAGE_STORE_CORRUPT' })
  await reader.close()

  const again = await RecordLogWriter.open(path, offsets[3])
  again.append(Buffer.from('more'))
  await again.close()
  t.strictSame(await payloads(path), [...texts, 'more'])
})

t.test('a tail torn at any byte is dropped and writing goes on behind the last whole record', async (t) => {
  const dir = t.testdir()
  const path = join(dir, 'log')
  const writer = await RecordLogWriter.open(path)
  writer.append(Buffer.from('first'))
  const keep = writer.end
  writer.append(Buffer.from('second'))
  await writer.close()
  const whole = await readFile(path)
  for (let length = keep; length < whole.length; length++) {
    const torn = join(dir, `torn-${length}`)
    await writeFile(torn, whole.subarray(0, length))
    const reopened = await RecordLogWriter.open(torn)
    t.equal(reopened.end, keep)
    reopened.append(Buffer.from('third'))
    await reopened.close()
    t.strictSame(await payloads(torn), ['first', 'third'])
  }
})

t.test('a flipped byte ends the scan before the damaged record; junk behind the end is cut', async (t) => {
  const dir = t.testdir()
  const path = join(dir, 'log')
  const writer = await RecordLogWriter.open(path)
  writer.append(Buffer.from('first'))
  const second = writer.append(Buffer.from('second'))
  await writer.close()
  const whole = await readFile(path)
  for (let at = second; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 0x10
    const file = join(dir, `damaged-${at}`)
    await writeFile(file, damaged)
    t.strictSame(await payloads(file), ['first'])
  }
  await appendFile(path, Buffer.alloc(100, 0xff))
  await (await RecordLogWriter.open(path)).close()
  t.equal((await readFile(path)).length, whole.length)
})

t.test('a foreign, missing or shortened file is a clear error', async (t) => {
  const dir = t.testdir({ foreign: 'something else entirely' })
  for (const open of [RecordLogReader.open, RecordLogWriter.open] as ((path: string) => Promise<unknown>)[]) {
    await t.rejects(open(join(dir, 'foreign')), { code: 'PAGE_STORE_CORRUPT' })
  }
  await t.rejects(RecordLogReader.open(join(dir, 'missing')), { code: 'PAGE_STORE_CORRUPT' })
  const path = join(dir, 'log')
  const writer = await RecordLogWriter.open(path)
  writer.append(Buffer.from('record'))
  const end = writer.end
  await writer.close()
  await truncate(path, end - 1)
  const error = await RecordLogWriter.open(path, end).catch((cause: unknown) => cause)
  t.ok(isSpindleError(error, 'PAGE_STORE_CORRUPT'))
})

t.test('an atomic file has the old content or the new and leaves nothing behind', async (t) => {
  const dir = t.testdir({ folder: {} })
  const path = join(dir, 'file')
  await writeFileAtomic(path, 'one')
  await writeFileAtomic(path, Buffer.from('two'))
  t.equal(await readFile(path, 'utf8'), 'two')
  await t.rejects(writeFileAtomic(join(dir, 'folder'), 'x'), 'a folder cannot be replaced')
  await t.rejects(readFile(join(dir, 'folder.pending')), { code: 'ENOENT' })
})
