import { join } from 'node:path'
import t from 'tap'
import { Crawl } from '../crawl.js'
import { runCommand } from '../test-support/run-command.js'
import { page, serveSite } from '../test-support/test-site.js'

t.test('what pages are about', async (t) => {
  const site = await serveSite(t, {
    '/': page('Silk moths', ['/paper']),
    '/paper': page('宣纸与造纸', ['/']),
  })
  const data = join(t.testdir(), 'data')
  t.equal((await runCommand('keywords', '--data', data)).code, 1, 'there is no index')
  const crawl = await Crawl.open({ data })
  await crawl.run({ seeds: [site.at('/')], delay: 0 })
  await crawl.close()
  const all = await runCommand('keywords', '--data', data)
  t.equal(all.code, 0, all.err)
  t.match(all.lines.toSorted()[0], new RegExp(`^${site.at('/')}\t.*\\bmoths\\b`))
  const one = await runCommand('keywords', site.at('/paper'), '--data', data, '--json', '--limit', '2')
  t.equal(one.lines.length, 1)
  const { url, keywords } = JSON.parse(one.lines[0]!)
  t.equal(url, site.at('/paper'))
  t.equal(keywords.length, 2)
  t.match(keywords[0].word, /宣纸|造纸/)
  t.match(await runCommand('keywords', site.at('/none'), '--data', data), {
    code: 1,
    err: /^spindle keywords: There is no page .*\/none in the index/,
  })
  t.equal((await runCommand('keywords', '--limit', '0', '--data', data)).code, 2)
})
