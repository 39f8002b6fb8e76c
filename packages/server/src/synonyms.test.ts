/** Synonyms of the search pages: asked for, shown, and read again while the server runs. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@spindle/core'
import t from 'tap'
import { serverConfig } from './cli/server-flags.js'
import { LocalIndexBackend } from './search/local-index-backend.js'
import { indexPages, openApp } from './test-support/site-fixture.js'

const PAGES = [
  { url: 'http://a.test/1', title: 'Laptops', body: 'A notebook to carry along, and its battery.' },
  { url: 'http://a.test/2', title: 'Batteries', body: 'A battery for a portable computer.' },
  { url: 'http://a.test/3', title: '電腦', body: '我的電腦壞了，怎麼辦？' },
  { url: 'http://a.test/4', title: '价格', body: '一台计算机多少钱？' },
]

t.test('a list of synonyms: asked for, shown, changed without a restart', async (t) => {
  const data = t.testdir({
    'synonyms.txt': '# machines\nlaptop, notebook, portable computer\n电脑, 计算机\n',
  })
  const list = join(data, 'synonyms.txt')
  await indexPages(data, PAGES)
  const errors: (string | undefined)[] = []
  const logger: Logger = {
    log(level, _message, fields) {
      if (level === 'error') errors.push(String(fields?.detail))
    },
  }
  const { app, backend, close } = await openApp(data, { synonyms: list, logger })
  t.teardown(close)
  const ask = async (query: string) => {
    const answer = (await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}`)).json()
    return answer.hits.map(({ url }: { url: string }) => Number(url.at(-1)))
  }
  t.same(new Set(await ask('laptop')), new Set([1, 2]))
  t.same(new Set(await ask('LAPTOP battery')), new Set([1, 2]))
  t.same(new Set(await ask('电脑')), new Set([3, 4]), 'both scripts')
  t.same(await ask('"电脑"'), [3], 'quoted: as it stands')
  t.same(await ask('laptop -notebook'), [2])
  const page = await app.inject('/search?q=laptop')
  t.match(page.body, 'for a <em>portable computer</em>.', 'marked')
  t.match(page.body, 'value="laptop"', 'the query stays as it was typed')
  const explained = await backend.search({
    ...{ query: 'laptop', page: 1, size: 10, filters: { site: [], type: [], lang: [] } },
    ...{ leniency: 'all', explain: true },
  })
  t.match(explained.hits.map(({ explanation }) => explanation).join('\n'), /portable computer/, 'explained')

  /** All at once, so that nobody sees the half of it. */
  const replace = async (content: string | Buffer): Promise<void> => {
    await writeFile(`${list}.new`, content)
    await rename(`${list}.new`, list)
    await backend.lookNow()
  }
  await replace('battery, accumulator\n')
  t.same(new Set(await ask('accumulator')), new Set([1, 2]), 'at once, whatever answers were kept')
  t.same(await ask('laptop'), [1], 'no list, no synonyms')

  await replace('laptop, notebook\n\nbattery accumulator\n')
  await backend.lookNow()
  t.same(new Set(await ask('accumulator')), new Set([1, 2]), 'a list with a mistake leaves the one before in use')
  t.match(errors.at(-1), /synonyms\.txt has a mistake in line 3: .*commas/)
  t.equal(errors.length, 1, 'told once')
  await replace(Buffer.from([0x61, 0x2c, 0xff]))
  t.match(errors.at(-1), /not UTF-8/)
  await rename(list, `${list}.gone`)
  await backend.lookNow()
  t.match(errors.at(-1), /cannot be read \(ENOENT/)
  await mkdir(list)
  await backend.lookNow()
  t.match(errors.at(-1), /it is no file/)
  t.same(new Set(await ask('accumulator')), new Set([1, 2]))
  await rm(list, { recursive: true })
  await replace('laptop, notebook\n')
  t.same(await ask('laptop'), [1], 'a list that is right again is used')
})

t.test('a list that is wrong from the start is told at the start', async (t) => {
  const data = t.testdir({ 'wrong.txt': 'a b\n' })
  await indexPages(data, PAGES)
  const open = (synonyms: string) =>
    LocalIndexBackend.open(join(data, 'index'), { logger: { log() {} }, searchTimeout: 2000, synonyms })
  await t.rejects(open(join(data, 'wrong.txt')), { code: 'SYNONYMS_INVALID', message: /in line 1/ })
  await t.rejects(open(join(data, 'none.txt')), { code: 'SYNONYMS_INVALID', message: /search\.synonyms/ })
})

t.test('the section of the configuration', async (t) => {
  const folder = t.testdir({
    'good.json': '{ "data": "d", "server": { "port": 1 }, "search": { "synonyms": "s.txt" } }',
    'none.json': '{ "data": "d" }',
    'bad.json': '{ "search": { "synonyms": 5 } }',
    'unknown.json': '{ "search": { "synonym": "x" } }',
  })
  t.match(await serverConfig({ config: join(folder, 'good.json') }), {
    data: 'd',
    port: 1,
    search: { synonyms: 's.txt' },
  })
  t.equal((await serverConfig({ config: join(folder, 'none.json') })).search.synonyms, undefined)
  await t.rejects(serverConfig({ config: join(folder, 'bad.json') }), { code: 'CONFIG_INVALID' })
  await t.rejects(serverConfig({ config: join(folder, 'unknown.json') }), {
    code: 'CONFIG_INVALID',
    message: /"search\.synonym", which is no option: choose one of search\.synonyms/,
  })
})
