/** Documents from a crawl to a hit: the address of a result leads to the page of a PDF that its snippet is from. */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { serveSite } from '../support/site-server.js'
import { projectRoot, spindle } from '../support/spindle-process.js'

interface Hit {
  readonly id: string
  readonly url: string
  readonly type: string
  readonly snippetHtml: string
}

t.test('a PDF is found in Chinese and English, and opens where the words are', async (t) => {
  const dir = t.testdir()
  const folder = join(dir, 'site')
  await mkdir(folder)
  await cp(join(projectRoot, 'packages/crawler/test-data/documents/guide.pdf'), join(folder, 'guide.pdf'))
  await writeFile(join(folder, 'index.html'), '<title>Start</title><a href="guide.pdf">guide</a>')
  const site = await serveSite(folder)
  t.teardown(() => site.close())
  const data = join(dir, 'data')
  const run = await spindle('crawl', site.url, '--delay', '0', '--data', data)
  t.equal(run.code, 0, run.stderr)
  const pdf = `${site.url}guide.pdf`
  for (const [query, url] of [
    ['校园卡', pdf],
    ['interlibrary', `${pdf}#page=2`],
    ['善本古籍', `${pdf}#page=3`],
    ['temperature', `${pdf}#page=3`],
  ] as const) {
    const { stdout } = await spindle('search', query, '--json', '--data', data)
    const hit = (JSON.parse(stdout) as { hits: Hit[] }).hits.find(({ type }) => type === 'pdf')
    t.match(hit, { id: pdf, url, snippetHtml: '<em>' }, query)
  }
})
