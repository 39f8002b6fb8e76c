/**
 * Collections that others have judged, by the bench of relevance: done Lucene's way, the library reaches Lucene's own figures; done the
 * product's way, it is at least as good as these.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../support/spindle-process.js'

const DATA = process.env.SPINDLE_JUDGED_COLLECTIONS ?? join(projectRoot, '../shared/data/ir')
const BENCH = join(projectRoot, 'packages/server/bench/relevance.mjs')
const SETS = ['med', 'cmrc2018-trial']

const skip = existsSync(DATA) ? false : 'needs ../shared/data'

t.test('Lucene is reached its way and passed ours', { skip }, async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [BENCH, '--data', DATA, '--reference', ...SETS])
  t.comment(stdout)
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  const ours = rows.filter(([name]) => SETS.includes(name!))
  const reference = rows.filter(([name]) => name === "as Lucene's")
  t.equal(ours.length, SETS.length)
  t.equal(reference.length, SETS.length)
  const differenceOf = (row: readonly string[]): number => Number(row.at(-1)!.replace('−', '-'))
  for (const row of reference) t.ok(Math.abs(differenceOf(row)) <= 0.0002, row.join(' '))
  for (const row of ours) t.ok(differenceOf(row) >= 0, row.join(' '))
})
