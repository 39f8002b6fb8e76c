/** What happens to an index in a test: it is built in segments, changed, and merged. */
import type { Random } from '../support/random.js'
import type { Change, TestDocument } from './engine.js'
import type { QueryNode } from './query-node.js'

/** Segments of an index before anything is merged. */
const SEGMENTS = 8
/** Shares of deleted documents, one a segment: some above the tenth at which a segment is written anew, together few. */
const DELETED_SHARES = [0, 0, 0.03, 0.05, 0.12, 0.15, 0.2, 0.3]
/** A segment with more deleted than left documents may be written anew unasked. */
const MOST_DELETED = 0.3

/** Changes with a name; each stage goes on where the last one ended, and ends with a commit. */
export interface Stage {
  readonly name: string
  readonly changes: readonly Change[]
}

const COMMIT: Change = { do: 'commit' }

/** An index in eight segments, with deletes and updates, without them, and in one segment. */
export function stagesOf(documents: readonly TestDocument[], random: Random): Stage[] {
  const parts = Array.from({ length: SEGMENTS }, (_, i) =>
    documents.slice(Math.floor((i * documents.length) / SEGMENTS), Math.floor(((i + 1) * documents.length) / SEGMENTS)),
  )
  const build = parts.flatMap((part): Change[] => [
    ...part.map((document) => ({ do: 'add' as const, document })),
    COMMIT,
  ])
  return [
    { name: 'eight segments', changes: build },
    { name: 'after deletes and updates', changes: changesOf(parts, random) },
    { name: 'after a merge of the segments with many deletes', changes: [{ do: 'forceMergeDeletes' }, COMMIT] },
    { name: 'one segment', changes: [{ do: 'forceMerge', segments: 1 }, COMMIT] },
  ]
}

/** Deletes and updates of documents that are committed, and of such as are not. */
function changesOf(parts: readonly (readonly TestDocument[])[], random: Random): Change[] {
  const changes: Change[] = []
  const documents = parts.flat()
  const shares = [...DELETED_SHARES]
  for (const part of parts) {
    const [share] = shares.splice(random.below(shares.length), 1)
    let left = Math.floor(part.length * MOST_DELETED)
    for (const { id } of part) {
      if (!random.chance(share!) || left-- <= 0) continue
      if (random.chance(0.5)) changes.push(deletion(id))
      else changes.push({ do: 'update', document: { ...random.pick(documents), id } })
    }
  }
  // Some that live only between two commits, and some that come for good.
  const fresh = Array.from({ length: Math.ceil(documents.length / 50) }, (_, i) => `fresh${i}`)
  for (const id of fresh) changes.push({ do: 'add', document: { ...random.pick(documents), id } })
  for (const id of fresh) if (random.chance(0.3)) changes.push(deletion(id))
  changes.push({ do: 'delete', query: phraseOf(random.pick(documents)) }, COMMIT)
  return changes
}

/** The first words of a document: they stand in few others. */
function phraseOf({ body }: TestDocument): QueryNode {
  const words = body.split(' ', 4).map((text, position) => ({ text, position }))
  return { kind: 'phrase', field: 'body', slop: 0, words }
}

function deletion(id: string): Change {
  return { do: 'delete', query: { kind: 'term', field: 'id', text: id } }
}
