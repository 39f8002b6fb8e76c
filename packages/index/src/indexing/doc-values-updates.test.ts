/**
 * Doc values changed without their documents: random updates, deletes, adds, commits, merges (also in a worker), readers
 * of the writer, rollbacks and reopenings, against a Map. Files that no commit needs go.
 */

import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { NumberRangeQuery } from '../search/query/number-range-query.js'
import { FsDirectory } from '../store/fs-directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)

interface Row {
  readonly group: string
  rank: number | null
  late: number | null
}

/** What a reader says, by id: as the model, and by way of a query. */
async function contents(reader: IndexReader): Promise<string[]> {
  const lines: string[] = []
  for (const segment of reader.segments) {
    const rank = await segment.docValues('rank')
    const late = await segment.docValues('late')
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      if (segment.liveDocs?.get(doc) === false) continue
      const document = await segment.document(doc)
      const numbers = [rank, late].map((column) => column?.numbers(doc)[0] ?? null)
      lines.push(`${document.get('id')} ${document.get('group')} ${numbers.join(' ')}`)
    }
  }
  return lines.sort()
}

function expected(model: ReadonlyMap<string, Row>): string[] {
  return [...model].map(([id, { group, rank, late }]) => `${id} ${group} ${[rank, late].join(' ')}`).sort()
}

function cloned(model: ReadonlyMap<string, Row>): Map<string, Row> {
  return new Map([...model].map(([id, row]) => [id, { ...row }]))
}

for (let round = 0; round < 3; round++) {
  t.test(`round ${round}`, async (t) => {
    const random = new Random(seed + round)
    // A worker merges only in plain folders.
    const directory = round % 2 === 0 ? new MemoryDirectory() : new FsDirectory(t.testdir({}))
    const options = {
      analyzer: new WhitespaceAnalyzer(),
      // A flush a document is for folders in memory: on disk it costs files by the thousand.
      memoryBudget: random.pick(round % 2 === 0 ? [1, 8000] : [8000, 1 << 20]),
      mergeFactor: 3,
      backgroundMergeBytes: random.pick([1, 1 << 30]),
    }
    let writer = await IndexWriter.open(directory, options)
    let model = new Map<string, Row>()
    let committed = new Map<string, Row>()
    let reader = null as IndexReader | null
    for (let step = 0; step < (round === 1 ? 110 : 220); step++) {
      const choice = random.next()
      const id = String(random.below(60))
      if (choice < 0.4) {
        const row: Row = {
          group: `g${random.below(5)}`,
          rank: random.next() < 0.8 ? random.below(100) : null,
          late: null,
        }
        const document = new Document().add(Field.keyword('id', id)).add(Field.keyword('group', row.group))
        if (row.rank !== null) document.add(Field.number('rank', row.rank, { stored: false }))
        model.delete(id)
        model.set(id, row)
        await writer.updateDocument({ field: 'id', text: id }, document)
      } else if (choice < 0.75) {
        const field = step > 50 && random.next() < 0.5 ? 'late' : 'rank'
        const value = random.next() < 0.15 ? null : random.next() < 0.5 ? random.below(1000) : random.next()
        const group = `g${random.below(5)}`
        const byGroup = random.next() < 0.3
        for (const [key, row] of model) if (byGroup ? row.group === group : key === id) row[field] = value
        await writer.updateDocValues(
          byGroup ? { field: 'group', text: group } : { field: 'id', text: id },
          field,
          value,
        )
      } else if (choice < 0.8) {
        model.delete(id)
        await writer.deleteDocuments({ field: 'id', text: id })
      } else if (choice < 0.82) {
        const limit = random.below(1000)
        for (const [key, row] of model) if (row.rank !== null && row.rank >= limit) model.delete(key)
        await writer.deleteDocuments(new NumberRangeQuery('rank', { gte: limit }))
      } else if (choice < 0.84) {
        if (random.next() < 0.5) await writer.forceMerge(1 + random.below(2))
        else {
          await writer.rollback()
          model = cloned(committed)
          writer = await IndexWriter.open(directory, options)
        }
      } else if (choice < 0.9) {
        const now = await writer.openReader()
        t.same(await contents(now), expected(model), `reader of the writer, step ${step}`)
        // A merge in the worker may end at any moment.
        if (directory instanceof MemoryDirectory) t.ok(await now.isCurrent())
        await now.close()
      } else {
        await writer.commit()
        const before = committed
        committed = cloned(model)
        const previous: IndexReader | null = reader
        reader = previous === null ? await IndexReader.open(directory) : await previous.refresh()
        t.same(await contents(reader), expected(model), `commit, step ${step}`)
        if (previous !== null && previous !== reader) {
          t.same(await contents(previous), expected(before), 'an older reader sees what it saw')
          await previous.close()
        }
      }
    }
    await t.rejects(writer.updateDocValues({ field: 'id', text: '1' }, 'group', 1), { code: 'DOCUMENT_INVALID' })
    await t.rejects(writer.updateDocValues({ field: 'id', text: '1' }, 'rank', Number.NaN), {
      code: 'DOCUMENT_INVALID',
    })
    await writer.close({ waitForMerges: true })
    await reader?.close()
    const searcher = await IndexSearcher.open(directory)
    t.same(await contents(searcher.reader), expected(model))
    await searcher.reader.verifyChecksums()
    const report = await checkIndex(directory)
    t.ok(report.clean, 'check-index finds nothing')
    const sorted = await searcher.search(new MatchAllQuery(), { sort: [{ field: 'rank', order: 'desc' }] })
    const ranks = Array.from({ length: sorted.loaded }, (_, i) => sorted.sortValues(i)[0])
    t.same(
      ranks,
      [...model.values()].map((row) => row.rank).sort((a, b) => (b ?? -1) - (a ?? -1)),
    )
    const named = new Set(
      searcher.reader.segments.flatMap(({ name, commit }) =>
        [...(commit.valueGenerations ?? [])].map(([field, generation]) => `${name}_${field}_${generation}.values`),
      ),
    )
    const left = (await directory.list()).filter((name) => /_\d+_\d+_\d+\.values$/.test(name))
    t.same(new Set(left), named, 'no generation is left over')
    await searcher.close()
  })
}
