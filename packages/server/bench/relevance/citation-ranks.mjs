/**
 * PageRank of a collection by its citations (links.tsv: from TAB to TAB code). Of cacm, code 5 is a citation, 4 and 6 are likenesses that were
 * computed from citations; each is there in both directions, so that the older document (of the smaller number) is taken to be the
 * cited one.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LinkGraph, pageRank } from '@spindle/index'

const CITATION = '5'

/** @returns rank by id, mean 1; null where the collection has no links */
export async function citationRanks(folder, ids) {
  const text = await readFile(join(folder, 'links.tsv'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const nodes = new Map(ids.map((id, node) => [id, node]))
  const from = []
  const to = []
  for (const line of text.split('\n')) {
    const [citing, cited, code] = line.split('\t')
    if (code !== CITATION || Number(citing) <= Number(cited)) continue
    from.push(nodes.get(citing))
    to.push(nodes.get(cited))
  }
  const { ranks } = pageRank(LinkGraph.fromLinks(ids.length, Int32Array.from(from), Int32Array.from(to)))
  return new Map(ids.map((id, node) => [id, ranks[node]]))
}
