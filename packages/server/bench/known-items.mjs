/**
 * Known items: `node packages/server/bench/known-items.mjs python=DIR postgresql=DIR openjdk=DIR`, each a data folder of a crawl of
 * the site of that Debian package (python3.11-doc, postgresql-doc-15, openjdk-17-doc). For each query of known-items.json
 * there is one page, or two, that who asks it looks for. Prints the mean reciprocal rank of the first of them, queries with it in
 * first place, and with an index page there: with title and text alone, and as the product searches. --all names every query.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ENGLISH_FUNCTION_WORDS, IndexSearcher, QueryParser } from '@spindle/index'
import { parseQuery } from '../dist/search/parse-query.js'

const { values, positionals } = parseArgs({ options: { all: { type: 'boolean' } }, allowPositionals: true })
const items = JSON.parse(readFileSync(new URL('known-items.json', import.meta.url), 'utf8'))
const LOOKED_AT = 50
const INDEX_PAGE = /class-use|package-use|package-tree|genindex|index-files|allclasses|index-all|bookindex/

/** As it was before links counted. */
function withoutLinks(text, analyzers) {
  const parser = new QueryParser({
    field: { fields: { title: 2, body: 1 } },
    analyzer: analyzers.forField('body'),
    analyzers,
    scoring: { bonuses: { title: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS },
    lenient: true,
  })
  return parser.parse(text)
}

const ways = {
  'title and text': withoutLinks,
  'with links': (text, _analyzers, reader) => parseQuery(text, reader, { leniency: 'all' }).query,
}

for (const argument of positionals) {
  const [site, data] = argument.split('=')
  const searcher = await IndexSearcher.open(join(data, 'index'))
  for (const [way, parse] of Object.entries(ways)) {
    let sum = 0
    let first = 0
    let indexPages = 0
    const lines = []
    for (const [text, ...wanted] of items[site]) {
      const hits = await searcher.search(parse(text, searcher.reader.analyzers, searcher.reader), { limit: LOOKED_AT })
      let rank = 0
      let top = ''
      for (let i = 0; i < Math.min(LOOKED_AT, hits.length) && rank === 0; i++) {
        const url = (await hits.doc(i)).get('url')
        if (i === 0) top = new URL(url).pathname
        if (wanted.some((path) => url.endsWith(path))) rank = i + 1
      }
      if (rank > 0) sum += 1 / rank
      if (rank === 1) first++
      if (INDEX_PAGE.test(top)) indexPages++
      lines.push(`  ${String(rank || '-').padStart(3)}  ${text}${rank === 1 ? '' : `  (first: ${top})`}`)
    }
    const { length } = items[site]
    console.log(
      `${site}, ${way}: MRR ${(sum / length).toFixed(3)}, first ${first} of ${length}, index pages first ${indexPages}`,
    )
    if (values.all) console.log(lines.join('\n'))
  }
  await searcher.close()
}
