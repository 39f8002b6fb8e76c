/**
 * The dictionary of the user over real Chinese pages in both scripts: changed while the server runs, killed on the way, changed
 * while pages are taken in. What comes of it is the index that would be made anew with the same words.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DirectoryLock, type Logger } from '@spindle/core'
import { applyDictionary } from '@spindle/crawler'
import { IndexReader, recordedDictionary } from '@spindle/index'
import { startServer } from '@spindle/server'
import t, { type Test } from 'tap'
import { killAt, tracePoints } from '../fault/crawl-subject.js'
import { canTrace } from '../fault/strace.js'
import { byEffort } from '../support/effort.js'
import { differences, dumpIndex } from '../support/index-dump.js'
import { needs, siteFolder } from '../support/needs.js'
import { projectRoot, SpindleProcess, spindle } from '../support/spindle-process.js'

const PAGES = 'usr/share/doc/debian-handbook/html'
const simplified = siteFolder('debian-handbook', `${PAGES}/zh-CN`)
const traditional = siteFolder('debian-handbook', `${PAGES}/zh-TW`)
const present = needs('the handbook of Debian in Chinese', simplified !== undefined && traditional !== undefined)

/** Two words that are none of the product's and one of its own, which is no word any more. */
const WORDS = ['软件包管理 300', '作業系統的', '网络 0']
const WITH_WORDS = /软件包管理|軟件包管理|作业系统的|作業系統的|网络|網絡|網络/

const dir = t.testdir()
const pages = join(dir, 'pages')

function dictionaryOf(data: string): string {
  return join(data, 'dictionary.txt')
}

function useWords(data: string, words: readonly string[]): void {
  writeFileSync(dictionaryOf(data), `# ours\n${words.join('\n')}\n`)
}

/** Copies every fourth page of a script into a folder. */
function copyPages(from: string, to: string): void {
  const pages = readdirSync(from).filter((name) => name.endsWith('.html'))
  for (const name of pages.sort().filter((_, i) => i % 4 === 0)) cpSync(join(from, name), join(to, name))
}

/** Takes the pages into a new data folder. @param words in its dictionary from the beginning */
async function indexed(name: string, words: readonly string[] = []): Promise<string> {
  const data = join(dir, name)
  mkdirSync(data)
  if (words.length > 0) useWords(data, words)
  const run = await spindle('index', pages, '--data', data)
  if (run.code !== 0) throw new Error(run.stderr)
  return data
}

/** Live documents in whose texts something is found, and their number in all. */
async function documentsWith(data: string, pattern: RegExp): Promise<readonly [found: number, all: number]> {
  const reader = await IndexReader.open(join(data, 'index'))
  let found = 0
  for (const segment of reader.segments) {
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      if (segment.liveDocs?.get(doc) === false) continue
      const { fields } = await segment.document(doc)
      if (fields.some(({ type, value }) => type.tokenized && pattern.test(value))) found++
    }
  }
  await reader.close()
  return [found, reader.numDocs]
}

const dumps = new Map<string, ReadonlyMap<string, string>>()

/** @param other a folder that does not change */
async function sameIndex(t: Test, data: string, other: string, what: string): Promise<void> {
  const expected = dumps.get(other) ?? (await dumpIndex(join(other, 'index')))
  dumps.set(other, expected)
  t.strictSame(differences(await dumpIndex(join(data, 'index')), expected), [], what)
}

async function isSettled(data: string): Promise<boolean> {
  const reader = await IndexReader.open(join(data, 'index'))
  await reader.close()
  return recordedDictionary(reader.userData).settled
}

let plain: string
let anew: string

t.test('pages of both scripts', { ...present }, async () => {
  copyPages(simplified!, join(pages, 'zh-CN'))
  copyPages(traditional!, join(pages, 'zh-TW'))
  plain = await indexed('plain')
  anew = await indexed('anew', WORDS)
})

t.test(
  'changed while the server runs: just the documents with a changed word, and searches go on',
  present,
  async (t) => {
    const data = join(dir, 'served')
    cpSync(plain, data, { recursive: true })
    const jobs: string[] = []
    const logger: Logger = {
      log(level, message, fields) {
        if (message === 'the index was brought to the dictionary') jobs.push(String(fields?.detail))
        if (level === 'error') t.fail(`${message}: ${fields?.detail}`)
      },
    }
    const config = { data, host: '127.0.0.1', port: 0, allowedHosts: [], searchTimeout: 5000, cache: true }
    const server = await startServer({
      config: { ...config, search: { synonyms: undefined }, index: { dictionary: undefined } },
      logger,
    })
    t.teardown(() => server.close())
    let asked = 0
    const ask = async (query: string) => {
      const answer = await fetch(`${server.url}api/v1/search?q=${encodeURIComponent(query)}`)
      asked++
      if (answer.status !== 200) t.fail(`${query}: ${answer.status} ${await answer.text()}`)
      return answer
    }
    /** Waits for a process that says so. */
    const settle = async (said: string) => {
      while (!jobs.some((line) => line.startsWith(said)) || server.backend.dictionaryState?.settled !== true) {
        await ask('软件包管理')
        await setTimeout(20)
      }
    }
    const [wanted, all] = await documentsWith(plain, WITH_WORDS)
    t.ok(wanted > 10 && wanted < all, `${wanted} of ${all} documents have one of the words`)
    useWords(data, WORDS)
    await settle(`3 words; ${wanted} documents analyzed again`)
    await sameIndex(t, data, anew, 'as made anew with the words')

    // One word more: the documents of that word alone.
    useWords(data, [...WORDS, '配置文件'])
    const [more] = await documentsWith(plain, /配置文件/)
    t.ok(more > 0 && more < wanted)
    await settle(`4 words; ${more} document`)

    rmSync(dictionaryOf(data))
    await settle('0 words; ')
    t.equal(jobs.length, 3, 'a process each time')
    await sameIndex(t, data, plain, 'without the file it is as before there was one')
    t.ok(asked > 20, `${asked} searches in between`)
  },
)

t.test(
  'killed at its system calls it goes on with what is left',
  { ...present, ...needs('strace that may trace', canTrace()) },
  async (t) => {
    const data = join(dir, 'killed')
    const log = join(dir, 'trace')
    const args = [join(projectRoot, 'bin/spindle.mjs'), 'dictionary', 'apply', '--data', data]
    const begin = () => {
      rmSync(data, { recursive: true, force: true })
      cpSync(plain, data, { recursive: true })
      useWords(data, WORDS)
    }
    begin()
    const all = await tracePoints(log, data, args)
    const count = byEffort(2, 60, all.length)
    let killed = 0
    for (let i = 0; i < count; i++) {
      const point = all[Math.floor(((i + 0.5) * all.length) / count)]!
      begin()
      const run = await killAt(log, point, args)
      if (!run.killed) continue
      killed++
      const again = await spindle('dictionary', 'apply', '--data', data)
      t.equal(again.code, 0, again.stderr)
      t.ok(await isSettled(data))
      await sameIndex(t, data, anew, `killed at ${point.call} ${point.when} (${point.target.replace(dir, '')})`)
    }
    t.ok(killed >= count / 2, `${killed} of ${count} killed, ${all.length} calls`)
  },
)

t.test('a crawl takes the words up itself, and the index when it is being changed', { ...present }, async (t) => {
  const data = join(dir, 'watched')
  cpSync(plain, data, { recursive: true })
  const watching = new SpindleProcess(['index', pages, '--watch', '--data', data])
  t.teardown(() => watching.stop())
  await watching.waitFor(/Watching/)
  useWords(data, WORDS)
  t.equal((await applyDictionary({ data, dictionary: dictionaryOf(data) })).end, 'busy', 'who writes does it')
  const [wanted] = await documentsWith(plain, WITH_WORDS)
  while (!(await isRecorded(data))) await setTimeout(50)
  await watching.stop()
  t.ok(wanted > 10)
  await sameIndex(t, data, anew, 'as made anew with the words')

  useWords(data, [])
  const applying = applyDictionary({ data, dictionary: dictionaryOf(data) })
  while ((await DirectoryLock.holder(data, 'dictionary.lock')) === null) await setTimeout(1)
  const run = await spindle('index', pages, '--data', data)
  t.equal(run.code, 0, run.stderr)
  t.match((await applying).end, /done|stopped/)
  await sameIndex(t, data, plain, 'as made anew without words')
})

/** Whether all documents are made with words of a user. */
async function isRecorded(data: string): Promise<boolean> {
  const reader = await IndexReader.open(join(data, 'index'))
  await reader.close()
  const { revision, settled } = recordedDictionary(reader.userData)
  return revision !== '' && settled
}
