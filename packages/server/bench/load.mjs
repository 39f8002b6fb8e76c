/**
 * Load on the search server: `node packages/server/bench/load.mjs --data DIR`. It starts `spindle serve` on that folder,
 * takes about 200 queries from the titles in its index (one to four Chinese characters, English words), and prints one
 * line a run: requests a second, half and 99 of 100 requests answered within, answers that are not 2xx, processor time of
 * the server a request (the figure that a busy machine spoils least), memory.
 * Client and server share the machine, so figures are for comparing two versions side by side, not for boasting.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { IndexReader } from '@spindle/index'
import autocannon from 'autocannon'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'data' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    /** Another checkout to run the server of. */
    root: { type: 'string', default: fileURLToPath(new URL('../../../', import.meta.url)) },
    runs: { type: 'string', default: 'html,json,html-uncached,json-hot' },
  },
})
const seconds = Number(values.seconds)
const connections = Number(values.connections)

const WANTED = 200
const MAX_TITLES = 2000
/** Queries do not change from run to run. */
const STEP = 7

/** Words of the titles: every few characters of each run of Chinese, 1–4 at a time, and English words. */
async function queriesOf(data) {
  const reader = await IndexReader.open(join(data, 'index'))
  const chinese = new Set()
  const english = new Set()
  let length = 0
  for (let id = 0; id < Math.min(reader.maxDoc, MAX_TITLES); id++) {
    const title = (await reader.document(id)).get('title') ?? ''
    for (const [run] of title.matchAll(/\p{Script=Han}+/gu)) {
      const characters = [...run]
      length = (length % 4) + 1
      if (characters.length >= length) chinese.add(characters.slice(0, length).join(''))
    }
    for (const [word] of title.matchAll(/[A-Za-z]{3,}/g)) english.add(word.toLowerCase())
  }
  await reader.close()
  const some = (set, n) => {
    const all = [...set].sort()
    return all.filter((_, i) => i % Math.max(1, Math.floor(all.length / n)) === 0).slice(0, n)
  }
  const queries = [...some(chinese, (WANTED * 3) / 4), ...some(english, WANTED / 4)]
  if (queries.length === 0) throw new Error(`the index in ${data} has no words in its titles`)
  return queries
}

async function startServer(cache) {
  const child = spawn(
    process.execPath,
    [join(values.root, 'bin/spindle.mjs'), 'serve', '--data', values.data, '--port', '0'],
    {
      env: { ...process.env, ...(cache ? {} : { SPINDLE_CACHE: 'false' }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  const port = await new Promise((resolve, reject) => {
    let out = ''
    child.stdout.on('data', (part) => {
      out += part
      const found = /serves http:\/\/localhost:(\d+)/.exec(out)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error('the server did not start')))
  })
  return { child, origin: `http://127.0.0.1:${port}` }
}

/** Megabytes of a process and milliseconds of processor time that it has used, where the system tells. */
function usageOf(pid) {
  try {
    const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { memory: Math.round(memory), cpu: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return { memory: Number.NaN, cpu: Number.NaN }
  }
}

function load(origin, paths, duration) {
  let client = 0
  return autocannon({
    url: origin,
    connections,
    duration,
    setupClient(connection) {
      // no two connections walk through the queries in step
      const from = (client++ * STEP) % paths.length
      connection.setRequests([...paths.slice(from), ...paths.slice(0, from)].map((path) => ({ path })))
    },
  })
}

const queries = await queriesOf(values.data)
const html = queries.map((query) => `/search?q=${encodeURIComponent(query)}`)
const json = queries.map((query) => `/api/v1/search?q=${encodeURIComponent(query)}`)
const RUNS = {
  html: { cache: true, paths: html },
  json: { cache: true, paths: json },
  'html-uncached': { cache: false, paths: html },
  'json-uncached': { cache: false, paths: json },
  'json-hot': { cache: true, paths: json.slice(0, 1) },
  'html-hot': { cache: true, paths: html.slice(0, 1) },
}
console.log(`${queries.length} queries, ${connections} connections, ${seconds} s a run`)
console.log('run            requests/s   p50 ms   p99 ms   max ms   non-2xx   errors   cpu ms    MB')
for (const name of values.runs.split(',')) {
  const { cache, paths } = RUNS[name]
  const { child, origin } = await startServer(cache)
  await load(origin, paths, Math.max(1, Math.ceil(seconds / 4)))
  const before = usageOf(child.pid)
  const { requests, latency, non2xx, errors } = await load(origin, paths, seconds)
  const { memory, cpu } = usageOf(child.pid)
  const perRequest = ((cpu - before.cpu) / requests.total).toFixed(2)
  const rate = requests.average.toFixed(0)
  const columns = [rate, latency.p50, latency.p99, latency.max, non2xx, errors, perRequest, memory]
  const widths = [10, 8, 8, 8, 9, 8, 8, 5]
  console.log(name.padEnd(15) + columns.map((value, i) => String(value).padStart(widths[i])).join(' '))
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}
