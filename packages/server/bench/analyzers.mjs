/**
 * What each way of cutting text costs and gives: `node packages/server/bench/analyzers.mjs --sites DIR --data DIR [--write]`
 * (build first). --sites has packages of Debian unpacked in folders of their names (`dpkg-deb -x`), --data judged
 * collections as relevance.mjs takes them. Prints the tables; --write puts them into docs/analysis.md.
 *
 * Index ÷ text: bytes of the lists, positions, terms and norms of a merged index, without stored text, over the bytes of the text in
 * UTF-8. Speeds are of CPU time on one core: the best of three rounds. Parts found: random parts of one to six Han characters of the
 * pages, in quotation marks, that find the page they were cut from.
 */
import { parseArgs } from 'node:util'
import { environment, markdownTable, writeSection } from './analysis-page.mjs'
import { CHINESE_PACKAGES, ENGLISH_PACKAGES, judgedSets, sitePages } from './analyzers/corpora.mjs'
import { measureRelevance, measureSites } from './analyzers/measure-analyzer.mjs'
import { CHINESE_WAYS, ENGLISH_WAYS } from './analyzers/ways.mjs'

const { values } = parseArgs({
  options: {
    sites: { type: 'string' },
    data: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
if (values.sites === undefined || values.data === undefined) {
  console.error('Name the folders of sites and of judged collections: --sites DIR --data DIR.')
  process.exit(2)
}

const CHINESE_SETS = ['cmrc2018-trial', 'cmrc2018-dev', 'drcd-dev']
const ENGLISH_SETS = ['adi', 'cacm', 'cisi', 'cranfield', 'med', 'npl']

async function table(ways, packages, sets, language) {
  const pages = packages.flatMap((name) => sitePages(values.sites, name))
  const bytes = pages.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const judged = await judgedSets(values.data, sets)
  const rows = []
  for (const way of ways) {
    const { ratio, indexing, query, found } = await measureSites(way, pages, language)
    const relevance = await measureRelevance(way, judged, language)
    rows.push([
      way.label,
      ratio.toFixed(2),
      (indexing / 1e6).toFixed(1),
      query.toFixed(0),
      ...(language === 'zh' ? [`${(100 * found).toFixed(1)} %`] : []),
      relevance.toFixed(4),
      way.upkeep,
    ])
    console.error(rows.at(-1).join(' | '))
  }
  const head = [
    'way',
    'index ÷ text',
    'indexing, MB/s',
    'query, µs',
    ...(language === 'zh' ? ['parts found'] : []),
    language === 'zh' ? 'MRR' : 'MAP',
    'upkeep',
  ]
  const text = `${packages.join(', ')}: ${pages.length} pages, ${(bytes / 1e6).toFixed(1)} MB of text; relevance on ${sets.join(', ')}.`
  return [text, '', ...markdownTable(head, rows)]
}

const lines = [
  ...environment('node packages/server/bench/analyzers.mjs'),
  '',
  '### Chinese',
  '',
  ...(await table(CHINESE_WAYS, CHINESE_PACKAGES, CHINESE_SETS, 'zh')),
  '',
  '### English',
  '',
  ...(await table(ENGLISH_WAYS, ENGLISH_PACKAGES, ENGLISH_SETS, 'en')),
]
console.log(lines.join('\n'))
if (values.write) writeSection('analyzers', lines)
