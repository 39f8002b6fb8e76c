/**
 * A search engine of Node.js as a process that the referee drives: `node serve-peer.mjs spindle|sqlite|minisearch`.
 * It reads a request a line and answers with lines, of which the last is a single dot (LucenePeer.java does the same):
 *
 *   index CORPUS FOLDER SEGMENTS   → CPU seconds TAB bytes on disk
 *   open FOLDER QUERIES            → version
 *   run COMMAND CLASS PASSES       → best microseconds of each query of the class, separated by spaces
 *   results CLASS                  → a line a query: number of matches, then `document:score` of the best ten
 *
 * Fields of requests and answers are separated by tabs. COMMAND is TOP_10 (counting only as far as the ten need),
 * TOP_10_COUNT or COUNT; a query that the engine cannot answer has NaN microseconds and the result `-`.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const ENGINES = ['spindle', 'sqlite', 'minisearch']
const [name] = process.argv.slice(2)
if (!ENGINES.includes(name)) throw new Error(`an engine of ${ENGINES.join(', ')} is needed, not ${name}`)
const { makePeer } = await import(`./${name}-peer.mjs`)
const peer = await makePeer()

/** Texts of the queries of each class. */
let classes = new Map()

function readQueries(file) {
  classes = new Map()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [group, text] = line.split('\t')
    if (text === undefined) continue
    if (!classes.has(group)) classes.set(group, [])
    classes.get(group).push(text)
  }
}

const COMMANDS = {
  async index([corpus, folder, segments]) {
    const start = process.cpuUsage()
    const lines = readFileSync(corpus, 'latin1').trimEnd().split('\n')
    const bytes = await peer.index(lines, folder, Number(segments))
    const { user, system } = process.cpuUsage(start)
    return [`${(user + system) / 1e6}\t${bytes}`]
  },
  async open([folder, queries]) {
    readQueries(queries)
    return [await peer.open(folder)]
  },
  async run([command, group, passes]) {
    const texts = classes.get(group)
    const best = new Float64Array(texts.length).fill(Number.POSITIVE_INFINITY)
    for (let pass = 0; pass < Number(passes); pass++) {
      for (let i = 0; i < texts.length; i++) {
        const start = process.hrtime.bigint()
        // Only what waits is awaited: a turn of the queue would count for an engine that answers at once.
        const answer = peer.ask(command, texts[i])
        const can = answer instanceof Promise ? await answer : answer
        const micros = Number(process.hrtime.bigint() - start) / 1000
        best[i] = can === null ? Number.NaN : Math.min(best[i], micros)
      }
    }
    return [Array.from(best, (micros) => micros.toFixed(1)).join(' ')]
  },
  async results([group]) {
    const lines = []
    for (const text of classes.get(group)) {
      const found = await peer.results(text)
      lines.push(
        found === null ? '-' : [found.count, ...found.hits.map(({ doc, score }) => `${doc}:${score}`)].join(' '),
      )
    }
    return lines
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...fields] = line.split('\t')
  const answer = await COMMANDS[command](fields)
  process.stdout.write(`${answer.join('\n')}\n.\n`)
}
