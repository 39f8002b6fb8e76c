/** A real file system that is too small: short writes, then ENOSPC, as the kernel gives them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import type { IndexWriter } from '@spindle/index'
import t from 'tap'
import { byEffort, seed } from '../support/effort.js'
import { compareIndex, lastCommit } from './compare-index.js'
import { COMMITS, openWriter, writeCommit } from './workload.js'

function mount(dir: string, kilobytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', dir]).status === 0
}

/** Whether this user may mount at all. */
function canMount(dir: string): boolean {
  mkdirSync(dir)
  return mount(dir, 64) && spawnSync('umount', [dir]).status === 0
}

// No package can give the right to mount, so that CI=true does not ask for it either.
const rights = canMount(join(t.testdir({}), 'try')) ? {} : { skip: 'this user may not mount a file system' }

t.test('disks of several sizes', { ...rights, timeout: 600_000 }, async (t) => {
  const root = t.testdir({})
  const sizes = byEffort(4, 24, 96)
  let full = 0
  for (let i = 0; i < sizes; i++) {
    // A page is 4 KB; the whole workload takes some 300.
    const kilobytes = 16 + (seed % 16) * 4 + Math.floor((i * 256) / sizes / 4) * 4
    const disk = join(root, `disk-${i}`)
    mkdirSync(disk)
    if (!mount(disk, kilobytes)) throw new Error(`cannot mount ${kilobytes} KB`)
    try {
      const dir = join(disk, 'index')
      let acknowledged = 0
      let failure: unknown
      let writer: IndexWriter | null = null
      try {
        writer = await openWriter(dir)
        for (let k = 1; k <= COMMITS; k++) {
          await writeCommit(writer, k)
          acknowledged = k
        }
        await writer.close()
      } catch (error) {
        failure = error
        // A merge that fails leaves the writer open: nothing is lost by it.
        await writer?.rollback()
      }
      if (failure === undefined) continue
      full++
      t.ok(isSpindleError(failure, 'DISK_FULL'), `${kilobytes} KB: ${failure}`)
      t.equal(await compareIndex(dir, acknowledged), undefined, `${kilobytes} KB, after commit ${acknowledged}`)
      // With room the work goes on where it was.
      t.equal(spawnSync('mount', ['-o', 'remount,size=16m', disk]).status, 0)
      const next = await openWriter(dir)
      const from = Number(next.userData.k ?? 0) + 1
      for (let k = from; k <= Math.min(COMMITS, from + 3); k++) await writeCommit(next, k)
      await next.close()
      t.equal(await compareIndex(dir, await lastCommit(dir)), undefined)
    } finally {
      const { status } = spawnSync('umount', [disk])
      if (status !== 0) spawnSync('umount', ['-l', disk])
      t.equal(status, 0, 'no descriptor is left open on the disk')
    }
  }
  t.ok(full >= sizes / 2, `${full} of ${sizes} disks were full`)
})
