/**
 * A writer to be killed, in a process of its own: `node workload.js <index folder> [commits]`. It goes on from the last
 * commit and prints `commit k` only after commit k has returned. What commit k holds is a function of k: 20 commits
 * make 2,000 documents, with updates, deletes and three merges into one segment.
 */
import { readSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Document, Field, IndexWriter, StandardAnalyzer, Term } from '@spindle/index'

/** Commits of the whole workload. */
export const COMMITS = 20
const ADDED = 104
const UPDATED = 20
const DELETED = 4

/** Documents that commit `k` adds, rewrites and deletes, by number. */
function changes(k: number): { added: number[]; updated: number[]; deleted: number[] } {
  const first = (k - 1) * ADDED
  const some = (count: number, step: number) =>
    first === 0 ? [] : [...new Set(Array.from({ length: count }, (_, i) => (k * 31 + i * step) % first))]
  return {
    added: Array.from({ length: ADDED }, (_, i) => first + i),
    updated: some(UPDATED, 17),
    deleted: some(DELETED, 53),
  }
}

/** Version of each document after commit `k`, by id. */
export function contentsAfter(k: number): Map<string, string> {
  const documents = new Map<string, string>()
  for (let j = 1; j <= k; j++) {
    const { added, updated, deleted } = changes(j)
    for (const n of [...added, ...updated]) documents.set(`id${n}`, `v${j}`)
    for (const n of deleted) documents.delete(`id${n}`)
  }
  return documents
}

function document(n: number, k: number): Document {
  return new Document()
    .add(Field.keyword('id', `id${n}`))
    .add(Field.unIndexed('version', `v${k}`))
    .add(Field.text('body', `page ${n} of commit ${k} constructor ${'word '.repeat(n % 9)}`))
}

/** Opens the writer as the workload does. */
export function openWriter(dir: string): Promise<IndexWriter> {
  return IndexWriter.open(dir, { analyzer: new StandardAnalyzer(), mergeFactor: 8 })
}

/** Writes commit `k` upon commit `k − 1`. */
export async function writeCommit(writer: IndexWriter, k: number): Promise<void> {
  const { added, updated, deleted } = changes(k)
  const pending: Promise<unknown>[] = added.map((n) => writer.addDocument(document(n, k)))
  for (const n of updated) pending.push(writer.updateDocument(new Term('id', `id${n}`), document(n, k)))
  for (const n of deleted) pending.push(writer.deleteDocuments(new Term('id', `id${n}`)))
  await Promise.all(pending)
  if (k % 7 === 0 || k === COMMITS) await writer.forceMerge(1)
  await writer.commit({ userData: { k: String(k) } })
}

async function run(dir: string, until: number): Promise<void> {
  const writer = await openWriter(dir)
  for (let k = Number(writer.userData.k ?? 0) + 1; k <= until; k++) {
    await writeCommit(writer, k)
    writeSync(1, `commit ${k}\n`)
  }
  await writer.close()
}

/** Lets strace be attached before anything is done: says that it is ready, and waits for a line. */
function whenTraced(): void {
  if (process.env.SPINDLE_TRACED === undefined) return
  writeSync(1, 'ready\n')
  readSync(0, Buffer.alloc(1))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  whenTraced()
  await run(process.argv[2]!, Number(process.argv[3] ?? COMMITS))
}
