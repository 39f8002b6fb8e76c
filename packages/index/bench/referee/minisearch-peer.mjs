/** MiniSearch as a peer of the referee. It lives in memory, keeps no positions, and always finds and scores everything. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { readQuery } from './query-text.mjs'

const tokenize = (text) => text.split(' ')
const processTerm = (term) => term

export function makePeer() {
  let index
  const search = (text) => {
    const { kind, words } = readQuery(text)
    if (kind === 'phrase') return null
    return index.search(words.join(' '), { combineWith: kind === 'all' ? 'AND' : 'OR' })
  }
  return {
    async index(lines) {
      index = new MiniSearch({ fields: ['body'], tokenize, processTerm, searchOptions: { tokenize, processTerm } })
      for (let i = 0; i < lines.length; i++) index.add({ id: i, body: lines[i] })
      return Number.NaN
    },
    async open() {
      if (index === undefined) throw new Error('MiniSearch is opened by the process that has indexed')
      const main = createRequire(import.meta.url).resolve('minisearch')
      const { version } = JSON.parse(readFileSync(join(dirname(main), '../../package.json'), 'utf8'))
      return `${version}\t1`
    },
    ask: (_command, text) => search(text),
    async results(text) {
      const found = search(text)
      if (found === null) return null
      return { count: found.length, hits: found.slice(0, 10).map(({ id, score }) => ({ doc: id, score })) }
    },
  }
}
