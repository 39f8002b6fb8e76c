#!/usr/bin/env node
/**
 * How often the encoding of a text is found: `node packages/crawler/bench/charsets.mjs [SAMPLES.jsonl] [FOLDER…]`.
 *
 * SAMPLES (`../shared/data/conformance/text-encoding/reencoded.jsonl` where not given) has a sample a line: `encoding`, `chars`,
 * `text`, `data_base64`. Prints how many are named and read as written, by encoding and length, and every failure with its
 * reason. Of each FOLDER the HTML files that declare an encoding in their head are read as if they did not; those that the bytes
 * alone tell otherwise are printed, and how many bear a mark of doubt when they are read as they are.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeText, detectCharset } from '../dist/parse/decode-text.js'

const DEFAULT = fileURLToPath(
  new URL('../../../../shared/data/conformance/text-encoding/reencoded.jsonl', import.meta.url),
)
/** Samples from this length on have to be right. */
const LONG = 120

const args = process.argv.slice(2)
const folders = args.filter((path) => statSync(path).isDirectory())
const [samples = DEFAULT] = args.filter((path) => !folders.includes(path))
measureSamples(samples)
for (const folder of folders) measureFolder(folder)

function measureSamples(path) {
  const rows = new Map()
  const failures = []
  const cpu = process.cpuUsage()
  let bytes = 0
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const { encoding, chars, lang, text, data_base64 } = JSON.parse(line)
    const body = Buffer.from(data_base64, 'base64')
    bytes += body.length
    const decoded = decodeText(body, undefined, false)
    const isNamed = decoded.charset === (encoding === 'gbk' ? 'gb18030' : encoding)
    const key = `${encoding} ${chars < LONG ? `< ${LONG}` : `≥ ${LONG}`}`
    const row = rows.get(key) ?? { samples: 0, named: 0, 'read as written': 0, doubt: 0 }
    rows.set(key, row)
    row.samples++
    if (isNamed) row.named++
    if (decoded.text === text) row['read as written']++
    if (decoded.doubt !== undefined) row.doubt++
    if (!isNamed || decoded.text !== text) {
      failures.push(`${encoding} (${lang}, ${chars} characters): ${reasonOf(body, decoded, text, isNamed)}`)
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  console.table(Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1))))
  for (const length of ['<', '≥']) {
    const total = { samples: 0, named: 0, read: 0 }
    for (const [key, row] of rows) {
      if (!key.includes(length)) continue
      total.samples += row.samples
      total.named += row.named
      total.read += row['read as written']
    }
    const share = (n) => `${((n / total.samples) * 100).toFixed(1)} %`
    console.log(
      `${length} ${LONG} characters: ${total.samples} samples, named ${total.named} (${share(total.named)}), read as written ${total.read} (${share(total.read)})`,
    )
  }
  console.log(`${((user + system) / 1000 / (bytes / 1e6)).toFixed(0)} ms of CPU a megabyte\n`)
  for (const failure of failures) console.log(failure)
}

function reasonOf(body, { charset, source, text: read }, text, isNamed) {
  let beyond = 0
  for (const byte of body) if (byte >= 0x80) beyond++
  if (isNamed) {
    const pairs = new Set()
    for (const [i, char] of [...text].entries()) {
      const other = [...read][i]
      if (char !== other) pairs.add(`“${char}” U+${hex(char)} is “${other}” U+${hex(other)}`)
    }
    return `named; the Encoding Standard has another character for the same bytes: ${[...pairs].join(', ')}`
  }
  const same = read === text ? ', which reads the same' : ''
  return `taken for ${charset} by ${source}${same}; ${beyond} of ${body.length} bytes are beyond ASCII`
}

function hex(char) {
  return char?.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') ?? '–'
}

function measureFolder(folder) {
  const rows = new Map()
  const failures = []
  let files = 0
  let doubts = 0
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.x?html?(?:\.|$)/.test(name)) continue
    const path = join(folder, name)
    if (!statSync(path).isFile()) continue
    const body = readFileSync(path)
    files++
    const { charset: declared, source, doubt } = decodeText(body, undefined, true)
    if (doubt !== undefined) {
      doubts++
      failures.push(`${name}: ${declared} (${source}) in doubt: ${doubt.reason} ${doubt.bytesLike ?? ''}`)
    }
    if (source !== 'meta' && source !== 'xml') continue
    if (body.every((byte) => byte < 0x80)) continue
    const alone = detectCharset(body, undefined, false)
    const row = rows.get(declared) ?? { files: 0, named: 0, 'read the same': 0 }
    rows.set(declared, row)
    row.files++
    if (alone.charset === declared) row.named++
    const isSame = alone.charset === declared || readAs(body, alone.charset) === readAs(body, declared)
    if (isSame) row['read the same']++
    else failures.push(`${name}: declares ${declared}, looks like ${alone.charset} (${alone.source})`)
  }
  console.log(`\n${folder}: ${files} files, ${doubts} in doubt; those that declare an encoding and are not all ASCII:`)
  console.table(Object.fromEntries(rows))
  for (const failure of failures) console.log(failure)
}

function readAs(body, charset) {
  return decodeText(body, charset, false).text
}
