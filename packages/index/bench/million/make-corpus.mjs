/** Makes one file of so many different documents, a JSON object a line, and queries that find something in them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'

const { files, docs: wanted, corpus, queries } = JSON.parse(process.argv[2])
const QUERIES = 240
/** Shorter pieces of a document are no documents. */
const SHORTEST_PART = 8

const seen = new Set()
const kinds = {}
const picked = []
let docs = 0
let bytes = 0
const output = createWriteStream(corpus)

/** @returns whether there was room */
async function add(kind, title, author, text) {
  if (docs === wanted) return false
  const key = createHash('md5').update(text).digest('latin1').slice(0, 9)
  if (seen.has(key)) return true
  seen.add(key)
  if (docs % Math.ceil(wanted / QUERIES) === 0) picked.push({ kind, title, text })
  const line = `${JSON.stringify({ id: `d${docs}`, kind, title, author, text })}\n`
  if (!output.write(line)) await once(output, 'drain')
  docs++
  bytes += Buffer.byteLength(text) + Buffer.byteLength(title)
  kinds[kind] = (kinds[kind] ?? 0) + 1
  return true
}

for await (const { kind, title, author, parts } of allDocuments()) {
  const text = parts.join('\n')
  if (text.trim() !== '' && !(await add(kind, title, author, text))) break
}
// Too few: their parts are documents of their own.
let round = 0
while (docs < wanted && round < 2) {
  for await (const { kind, title, author, parts } of allDocuments()) {
    const pieces = round === 0 ? parts : parts.flatMap((part) => part.match(/[^。！？；.!?;]+[。！？；.!?;]+/g) ?? [])
    if (pieces.length < 2) continue
    let isFull = false
    for (const piece of pieces) {
      const text = piece.trim()
      if (text.length >= SHORTEST_PART && !(await add(`${kind}: part`, title, author, text))) isFull = true
    }
    if (isFull) break
  }
  round++
}
output.end()
await once(output, 'close')
writeFileSync(queries, JSON.stringify(picked.flatMap(makeQuery)))
process.send({ docs, bytes, kinds })
process.disconnect()

async function* allDocuments() {
  for (const file of files) yield* documentsOf(file)
}

async function* documentsOf(path) {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) {
      const inside = join(path, name)
      if (extname(name) === '.json' || statSync(inside).isDirectory()) yield* documentsOf(inside)
    }
    return
  }
  if (extname(path) === '.json') {
    const objects = JSON.parse(readFileSync(path, 'utf8'))
    if (Array.isArray(objects)) for (const one of objects) yield* documentOf(one, 'poem')
    return
  }
  const isJson = /\.(nd)?jsonl?$/.test(path)
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (isJson) yield* documentOf(JSON.parse(line), 'page')
    else yield { kind: 'line', title: line.slice(0, 60), author: 'unknown', parts: [line] }
  }
}

/** One document, or none where the object is nothing of the kind. */
function* documentOf(object, kind) {
  const { title, rhythmic, author, paragraphs, body, text } = object ?? {}
  const parts = Array.isArray(paragraphs) ? paragraphs : (body ?? text)?.split('\n')
  if (!Array.isArray(parts) || parts.length === 0 || parts.some((part) => typeof part !== 'string')) return
  yield { kind, title: String(title ?? rhythmic ?? ''), author: String(author || 'unknown').slice(0, 200), parts }
}

/** What somebody who looks for the document might type: two words, or a few characters that stand together. */
function makeQuery({ title, text }, i) {
  const han = /\p{Script=Han}{2,}/gu
  const source = i % 3 === 0 && title !== '' ? title : text
  const runs = source.match(han) ?? text.match(han)
  if (runs !== null) {
    // By characters: half of a surrogate pair is none.
    const run = [...runs[i % runs.length]]
    return i % 2 === 0 ? [run.slice(0, 2).join('')] : [`"${run.slice(0, 4).join('')}"`]
  }
  const words = text.match(/[A-Za-z]{3,}/g) ?? []
  if (words.length < 2) return []
  const at = (i * 31) % (words.length - 1)
  return i % 2 === 0 ? [`${words[at]} ${words[at + 1]}`] : [`+${words[at]} +${words[at + 1]}`]
}
