/** Spindle as a peer of the referee. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  BooleanQuery,
  Document,
  Field,
  IndexSearcher,
  IndexWriter,
  PhraseQuery,
  Term,
  TermQuery,
} from '../../dist/index.js'
import { SpaceAnalyzer } from '../space-analyzer.mjs'
import { readQuery } from './query-text.mjs'

function toQuery(text) {
  const { kind, words } = readQuery(text)
  if (kind === 'phrase') return new PhraseQuery('body', words)
  const terms = words.map((word) => new TermQuery(new Term('body', word)))
  if (kind === 'any' && terms.length === 1) return terms[0]
  const occur = kind === 'all' ? 'must' : 'should'
  return new BooleanQuery(terms.map((query) => ({ query, occur })))
}

export function makePeer() {
  let searcher
  return {
    async index(lines, folder, segments) {
      const several = segments > 1
      const writer = await IndexWriter.open(folder, {
        analyzer: new SpaceAnalyzer(),
        create: true,
        mergeFactor: 1000,
        // One segment: 64 MiB, then one merge. Several: a flush at each cut and nowhere else.
        ...(several ? { memoryBudget: 2 ** 30 } : {}),
      })
      const cut = Math.ceil(lines.length / segments)
      for (let i = 0; i < lines.length; i++) {
        await writer.addDocument(new Document().add(Field.unStored('body', lines[i])))
        if (several && (i + 1) % cut === 0) await writer.commit()
      }
      if (!several) await writer.optimize()
      await writer.commit()
      await writer.close()
      let bytes = 0
      for (const name of readdirSync(folder)) bytes += statSync(join(folder, name)).size
      return bytes
    },
    async open(folder) {
      searcher = await IndexSearcher.open(folder)
      const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
      return `${version}\t${searcher.reader.segments.length}`
    },
    ask(command, text) {
      if (command === 'COUNT') return searcher.count(toQuery(text))
      return searcher.search(toQuery(text), command === 'TOP_10' ? { limit: 10, totalHits: 10 } : { limit: 10 })
    },
    async results(text) {
      const query = toQuery(text)
      const found = await searcher.search(query, { limit: 10, totalHits: 10 })
      const counted = await searcher.search(query, { limit: 10 })
      const count = await searcher.count(query)
      if (counted.length !== count)
        throw new Error(`${text}: ${counted.length} matches with the best ten, ${count} without`)
      const hits = []
      for (let i = 0; i < found.loaded; i++) {
        if (found.docId(i) !== counted.docId(i) || found.score(i) !== counted.score(i)) {
          throw new Error(`${text}: the best ten depend on what is counted`)
        }
        hits.push({ doc: found.docId(i), score: found.score(i) })
      }
      return { count, hits }
    },
  }
}
