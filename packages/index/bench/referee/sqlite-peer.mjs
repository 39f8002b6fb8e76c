/** SQLite's FTS5 as a peer of the referee: an index without contents, optimized, all of it in the page cache. */
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { readQuery } from './query-text.mjs'

const CACHE = 'cache_size = -524288'

function toMatch(text) {
  const { kind, words } = readQuery(text)
  if (kind === 'phrase') return text
  return words.map((word) => `"${word}"`).join(kind === 'all' ? ' AND ' : ' OR ')
}

export function makePeer() {
  let top
  let count
  const ask = (command, text) => {
    const match = toMatch(text)
    const hits = command === 'COUNT' ? [] : top.all(match)
    return { hits, count: command === 'TOP_10' ? hits.length : count.get(match).n }
  }
  return {
    async index(lines, folder) {
      mkdirSync(folder, { recursive: true })
      const file = join(folder, 'fts5.db')
      rmSync(file, { force: true })
      const db = new Database(file)
      db.pragma(CACHE)
      db.exec("create virtual table docs using fts5(body, content='', detail=full, tokenize='ascii')")
      const insert = db.prepare('insert into docs(rowid, body) values (?, ?)')
      db.exec('begin')
      for (let i = 0; i < lines.length; i++) insert.run(i + 1, lines[i])
      db.exec('commit')
      db.exec("insert into docs(docs) values ('optimize')")
      db.exec('vacuum')
      db.close()
      return statSync(file).size
    },
    async open(folder) {
      const db = new Database(join(folder, 'fts5.db'))
      db.pragma(CACHE)
      top = db.prepare('select rowid, rank from docs where docs match ? order by rank limit 10')
      count = db.prepare('select count(*) as n from docs where docs match ?')
      return `${db.prepare('select sqlite_version() as v').get().v}\t1`
    },
    ask,
    async results(text) {
      const { hits, count } = ask('TOP_10_COUNT', text)
      return { count, hits: hits.map(({ rowid, rank }) => ({ doc: rowid - 1, score: -rank })) }
    },
  }
}
