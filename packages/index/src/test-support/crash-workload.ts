/**
 * A writer that can be killed at any moment: run as a program, it goes on from the last commit, to the one given or for
 * ever, and prints the number of each commit that returned; `paced`, it waits for a line before each. What commit `k`
 * must hold is a function of `k`.
 */
import { argv, stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import type { IndexReader } from '../reading/index-reader.js'
import { WhitespaceAnalyzer } from './whitespace-analyzer.js'

export const crashAnalyzer = new WhitespaceAnalyzer()

const KEYS = 40
/** Every document is written anew within so many commits, so that those before do not count. */
const MEMORY = 120
/** From the document that a commit deletes to the one that it gives a rank. */
const RANKED = 5

/** Changes of commit `k`: rewritten documents, by their version. */
function changed(k: number): number[] {
  return Array.from({ length: 8 }, (_, i) => (k * 7 + i * 11) % KEYS)
}

function version(key: number, k: number): Document {
  return new Document()
    .add(Field.keyword('id', String(key)))
    .add(
      Field.text(
        'body',
        `version ${k} of ${key} constructor __proto__ toString hasOwnProperty valueOf ${'word '.repeat(k % 17)}`,
      ),
    )
}

/** Documents after commit `k`. */
export function contentsAfter(k: number): Document[] {
  const versions = new Map<number, number>()
  for (let j = Math.max(1, k - MEMORY); j <= k; j++) {
    for (const key of changed(j)) versions.set(key, j)
    versions.delete(j % KEYS)
  }
  return [...versions].map(([key, j]) => version(key, j))
}

/** Ranks of documents after commit `k`, by id: a document keeps its rank until it is written anew. */
export function ranksAfter(k: number): Map<string, number> {
  const ranks = new Map<string, number>()
  const existing = new Set<number>()
  for (let j = Math.max(1, k - MEMORY); j <= k; j++) {
    for (const key of changed(j)) {
      existing.add(key)
      ranks.delete(String(key))
    }
    existing.delete(j % KEYS)
    ranks.delete(String(j % KEYS))
    const ranked = (j + RANKED) % KEYS
    if (existing.has(ranked)) ranks.set(String(ranked), j)
  }
  return ranks
}

/** Ranks of the live documents of an index, by id. */
export async function readRanks(reader: IndexReader): Promise<Map<string, number>> {
  const ranks = new Map<string, number>()
  for (const segment of reader.segments) {
    const column = await segment.docValues('rank')
    for (let doc = 0; column !== null && doc < segment.maxDoc; doc++) {
      if (segment.liveDocs?.get(doc) === false || !column.has(doc)) continue
      ranks.set((await segment.document(doc)).get('id')!, column.numbers(doc)[0])
    }
  }
  return ranks
}

/** How the workload opens its writer: flushes within a commit, merges often. */
export const crashOptions = { analyzer: crashAnalyzer, memoryBudget: 3000, mergeFactor: 3 } as const

/** Writes commit `k` upon commit `k − 1`. @param mergeEvery commits between two merges into one segment */
export async function writeCommit(writer: IndexWriter, k: number, mergeEvery = 10): Promise<void> {
  for (const key of changed(k)) await writer.updateDocument({ field: 'id', text: String(key) }, version(key, k))
  await writer.deleteDocuments({ field: 'id', text: String(k % KEYS) })
  await writer.updateDocValues({ field: 'id', text: String((k + RANKED) % KEYS) }, 'rank', k)
  if (k % mergeEvery === 0) await writer.forceMerge(1)
  await writer.commit({ userData: { k: String(k) } })
}

async function run(dir: string, until: number, isPaced: boolean): Promise<void> {
  const writer = await IndexWriter.open(dir, crashOptions)
  let k = Number(writer.userData.k ?? 0)
  const next = async () => {
    await writeCommit(writer, ++k)
    stdout.write(`commit ${k}\n`)
  }
  stdout.write(`open ${k}\n`)
  if (isPaced) for await (const _line of createInterface({ input: stdin })) await next()
  else while (k < until) await next()
  await writer.close()
}

if (argv[1]?.endsWith('crash-workload.js')) await run(argv[2], Number(argv[3] ?? Infinity), argv[4] === 'paced')
