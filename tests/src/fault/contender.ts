/**
 * One of several processes that want the same index: `node contender.js <index> <sentinel> <rounds> <milliseconds>`. In
 * each round it takes the writer's lock, makes a file that must not exist yet, commits one document and gives the lock
 * back; it says how many rounds it had time for. With `hold` instead of the milliseconds it keeps the lock, and commits once more for every line it reads.
 */
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { isSpindleError } from '@spindle/core'
import { Document, Field, IndexWriter, StandardAnalyzer } from '@spindle/index'

const [, , dir = '', sentinel = '', rounds = '0', time = ''] = process.argv
const analyzer = new StandardAnalyzer()

async function take(): Promise<IndexWriter> {
  for (;;) {
    try {
      return await IndexWriter.open(dir, { analyzer })
    } catch (error) {
      if (!isSpindleError(error, 'LOCK_HELD')) throw error
      await setTimeout(1 + Math.random() * 4)
    }
  }
}

async function addOne(writer: IndexWriter): Promise<void> {
  await writer.addDocument(new Document().add(Field.keyword('by', String(process.pid))))
  await writer.commit()
}

if (time === 'hold') {
  const writer = await take()
  writeSync(1, 'held\n')
  for await (const _line of createInterface({ input: process.stdin })) {
    try {
      await addOne(writer)
      writeSync(1, 'committed\n')
    } catch (error) {
      writeSync(1, `${isSpindleError(error) ? error.code : error}\n`)
    }
  }
} else {
  let round = 0
  for (; round < Number(rounds) && (round === 0 || performance.now() < Number(time)); round++) {
    const writer = await take()
    // EEXIST here: two processes hold the lock.
    closeSync(openSync(sentinel, 'wx'))
    await addOne(writer)
    unlinkSync(sentinel)
    await writer.close()
  }
  writeSync(1, `done ${round}\n`)
}
