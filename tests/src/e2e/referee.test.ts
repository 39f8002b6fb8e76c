/** `npm run bench` on a small made-up corpus: every engine is asked, and a different answer would be told. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'

const bench = fileURLToPath(new URL('../../../packages/index/bench', import.meta.url))

t.test('all engines find the same in a small corpus, and the page has every class', (t) => {
  const cache = t.testdir()
  const corpus = ['--small', '--documents', '2500', '--layouts', '1,3']
  const command = [join(bench, 'referee.mjs'), ...corpus, '--cache', cache]
  const run = spawnSync(process.execPath, command, { encoding: 'utf8' })
  t.equal(run.status, 0, run.stderr)
  t.match(run.stdout, 'no difference')
  const { layouts } = JSON.parse(readFileSync(join(cache, 'result.json'), 'utf8'))
  t.equal(layouts.length, 2)
  const [one] = layouts
  t.equal(Object.keys(one.comparison.matches).length, 15)
  for (const name of ['term_low', 'or2_hl', 'and2_hh', 'phrase2_hh', 'phrase3']) {
    t.ok(one.comparison.matches[name] >= 1, `${name}: ${one.comparison.matches[name]} matches`)
  }
  for (const name of ['spindle', 'sqlite', 'minisearch']) {
    t.ok(one.micros[name].COUNT.or2_hh > 0, name)
    t.ok(one.indexing[name].seconds > 0, name)
  }
  t.equal(one.micros.minisearch.TOP_10.phrase3, null, 'MiniSearch has no phrases')
  t.ok(one.micros.lucene !== undefined || run.stderr.includes('without Lucene'))
  t.equal((run.stdout.match(/^\| `/gm) ?? []).length, 45)
  t.notOk(/NaN|undefined/.test(run.stdout), run.stdout)
  t.end()
})

t.test('what differs is told', async (t) => {
  const module = pathToFileURL(join(bench, 'referee/compare.mjs')).href
  const { compareHits, readResult } = await import(module)
  const hits = (line: string) => readResult(line).hits
  t.equal(readResult('-'), null)
  t.equal(readResult('7 1:2.5 3:0.5').count, 7)
  t.equal(compareHits(hits('3 1:3 2:2 3:1'), hits('3 1:3 2:2.000001 3:1')), null)
  t.equal(compareHits(hits('4 1:3 2:2 3:1'), hits('4 1:3 2:2 4:1')), null, 'others with the last score')
  t.equal(compareHits(hits('3 2:2 1:2 3:1'), hits('3 1:2 2:2 3:1')), null, 'equal scores in another order')
  t.match(compareHits(hits('3 1:3 2:2 3:1'), hits('3 1:3 4:2 3:1')), 'document 2')
  t.match(compareHits(hits('3 1:3 2:2 3:1'), hits('3 1:3 2:2.1 3:1')), 'score 2')
  t.match(compareHits(hits('3 1:3'), hits('3 1:3 2:2')), '1 hits')
})

t.test('the corpus keeps what readers see', async (t) => {
  const module = pathToFileURL(join(bench, 'referee/read-sections.mjs')).href
  const { readHtml, readPod } = await import(module)
  const read = (reader: (text: string, emit: (text: string) => void) => void, text: string) => {
    const sections: string[] = []
    reader(text, (section) => sections.push(section))
    return sections
  }
  const long = 'word '.repeat(30).trim()
  const page = `<title>no</title><body><script>no</script><h1>One</h1><p>${long} &lt;&#65;&gt;</p><h2>Two</h2>${long}`
  t.strictSame(read(readHtml, page), [`One\n${long} <A>`, `Two\n${long}`])
  t.strictSame(read(readPod, `=head1 NAME\n\nB<bold> ${long}\n\n=head2 X\n\nshort`), [`=head1 NAME\nbold ${long}`])
  const sizes = read(readHtml, `<p>${'word '.repeat(1500)}</p>`).map((section) => section.length)
  t.ok(sizes.length > 2 && sizes.every((size) => size <= 2400), String(sizes))
})

t.test('the bench is what the command runs', (t) => {
  const { scripts } = JSON.parse(readFileSync(join(bench, '../../../package.json'), 'utf8'))
  t.match(scripts.bench, 'packages/index/bench/referee.mjs')
  t.ok(existsSync(join(bench, 'referee.mjs')))
  t.end()
})
