import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig, type OptionTable } from './config.js'
import { DataDir } from './data-dir.js'
import { ERROR_CODES, isSpindleError, SpindleError, systemCode } from './errors.js'
import { JsonLineLogger } from './log.js'

interface Options {
  port: number
  maxPages: number
}

const options: OptionTable<Options> = {
  port: { default: 8080, expects: 'a whole number from 0 to 65535', parse: whole },
  maxPages: { default: 10, expects: 'a whole number', parse: whole },
}

function whole(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number < 65536 ? number : undefined
}

t.test('later sources win: defaults, file, section, environment, flags', async (t) => {
  const cwd = t.testdir({ empty: {} })
  const source = { cwd, section: 'crawl' }
  t.strictSame(await loadConfig(options, source), { port: 8080, maxPages: 10 })
  await writeFile(join(cwd, 'spindle.config.json'), '{ "crawl": { "port": 1, "maxPages": 2 }, "server": { "x": 1 } }')
  t.strictSame(await loadConfig(options, source), { port: 1, maxPages: 2 })
  const env = { SPINDLE_MAX_PAGES: '3' }
  t.strictSame(await loadConfig(options, { ...source, env }), { port: 1, maxPages: 3 })
  const flags = { maxPages: '4', port: undefined, unrelated: true }
  t.strictSame(await loadConfig(options, { ...source, env, flags }), { port: 1, maxPages: 4 })
})

t.test('a module can be the configuration file', async (t) => {
  const dir = t.testdir({ 'my.mjs': 'export default { port: 40 + 2 }' })
  t.equal((await loadConfig(options, { file: join(dir, 'my.mjs') })).port, 42)
})

t.test('a wrong key or value is named with its source', async (t) => {
  const dir = t.testdir({
    'key.json': '{ "prot": 1 }',
    'proto.json': '{ "__proto__": 1 }',
    'value.json': '{ "port": "x" }',
    'broken.json': '{',
    'list.json': '[]',
    'section.json': '{ "crawl": { "maxPagse": 1 } }',
    'wrong.json': '{ "crawl": { "maxPages": -1 } }',
    'top.json': '{ "port": 1 }',
    'no-object.json': '{ "server": 3 }',
  })
  const section = (name: string) => loadConfig(options, { file: join(dir, name), section: 'crawl' })
  await t.rejects(section('section.json'), {
    code: 'CONFIG_INVALID',
    message: /"crawl\.maxPagse".*crawl\.port, crawl\.maxPages\.$/,
  })
  await t.rejects(section('wrong.json'), { message: /"crawl\.maxPages" to -1/ })
  await t.rejects(section('top.json'), {
    code: 'CONFIG_INVALID',
    message: /"port".*data, server, search, crawl, index\.$/,
  })
  await t.rejects(section('no-object.json'), { code: 'CONFIG_INVALID', message: /"server" to 3/ })
  const load = (name: string) => loadConfig(options, { file: join(dir, name) })
  await t.rejects(load('key.json'), { code: 'CONFIG_INVALID', message: /key\.json sets "prot".*port, maxPages/ })
  await t.rejects(load('proto.json'), { code: 'CONFIG_INVALID', message: /"__proto__"/ })
  await t.rejects(load('value.json'), { code: 'CONFIG_INVALID', message: /sets "port" to "x", which must be a whole/ })
  await t.rejects(load('broken.json'), { code: 'CONFIG_INVALID' })
  await t.rejects(load('list.json'), { code: 'CONFIG_INVALID' })
  await t.rejects(load('missing.json'), { code: 'CONFIG_INVALID' })
  await t.rejects(loadConfig(options, { cwd: dir, flags: { maxPages: -1 } }), { message: /--max-pages/ })
  await t.rejects(loadConfig(options, { cwd: dir, env: { SPINDLE_PORT: '70000' } }), { message: /SPINDLE_PORT/ })
})

t.test('the data folder is made readable by its owner alone, or the reason is told', async (t) => {
  const dir = t.testdir({ file: 'x' })
  const data = await new DataDir(join(dir, 'data')).create()
  t.equal(data.index, join(dir, 'data', 'index'))
  await data.create()
  for (const path of [join(dir, 'file'), join(dir, 'file', 'below'), '/proc/spindle/data']) {
    await t.rejects(new DataDir(path).create(), { code: 'DATA_DIR_UNUSABLE' }, path)
  }
  // Several at once, each of which may find what another has just made.
  for (let round = 0; round < 40; round++) {
    const path = join(dir, `round${round}`, 'a', 'b', 'c', 'd')
    await Promise.all(Array.from({ length: 8 }, () => new DataDir(path).create()))
  }
})

t.test('errors carry a stable code', (t) => {
  const error = new SpindleError('LOCK_HELD', 'text')
  t.ok(isSpindleError(error))
  t.ok(isSpindleError(error, 'LOCK_HELD'))
  t.notOk(isSpindleError(error, 'LOCK_LOST'))
  t.notOk(isSpindleError(new Error('text')))
  for (const [code, text] of Object.entries(ERROR_CODES)) t.match(`${code} ${text}`, /^[A-Z_]+ [A-Z].*\.$/)
  t.equal(systemCode(Object.assign(new Error(), { code: 'ENOSPC' })), 'ENOSPC')
  t.equal(systemCode({ code: 5 }), undefined)
  t.end()
})

t.test('a log line is one line, whatever the text', (t) => {
  const lines: string[] = []
  const logger = new JsonLineLogger((line) => lines.push(line))
  logger.log('warn', 'a\nb', { url: `x\u001b[31m${'y'.repeat(5000)}`, count: 3 })
  t.equal(lines.length, 1)
  t.ok(lines[0]!.indexOf('\n') === lines[0]!.length - 1 && lines[0]!.length < 1400, 'one line of bounded length')
  t.notOk(lines[0]!.includes('\u001b'), 'no escape sequence')
  t.match(JSON.parse(lines[0]!), { level: 'warn', message: 'a\nb', count: 3 })
  t.end()
})
