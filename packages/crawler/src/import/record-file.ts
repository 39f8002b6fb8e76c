/** Reads files of records as a stream: one JSON object a line, or a table with a head (CSV, TSV); in any charset. */

import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from '@exodus/bytes/encoding.js'
import { type CsvError, parse } from 'csv-parse'
import { detectCharset } from '../parse/decode-text.js'
import type { DataRecord } from './record-mapping.js'

/** A record, or why there is none. */
export type ReadRecord =
  | { readonly number: number; readonly record: DataRecord }
  | { readonly number: number; readonly fault: string }

/** UTF-16 units of one record. */
export const MAX_RECORD = 8 * 1024 * 1024
const SAMPLE = 64 * 1024

/** The records of a file with their numbers, from 1: lines of JSON, rows of a table. @throws errors of the disk */
export async function* readRecords(path: string): AsyncGenerator<ReadRecord, void, void> {
  yield* /\.(?:csv|tsv)$/i.test(path) ? readTable(path) : readLines(path)
}

async function* readLines(path: string): AsyncGenerator<ReadRecord, void, void> {
  let number = 0
  for await (const line of linesOf(path)) {
    number++
    if (line === undefined) {
      yield { number, fault: `is longer than ${MAX_RECORD} characters` }
      continue
    }
    if (line.trim() === '') continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (error) {
      yield { number, fault: `is no JSON (${(error as Error).message})` }
      continue
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      yield { number, record: value as DataRecord }
    } else yield { number, fault: 'is no JSON object' }
  }
}

/** Lines without their ends; undefined for one that is too long. */
async function* linesOf(path: string): AsyncGenerator<string | undefined, void, void> {
  let rest = ''
  let tooLong = false
  for await (const text of textOf(path)) {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end)
      yield tooLong || line.length > MAX_RECORD ? undefined : line
      rest = ''
      tooLong = false
      start = end + 1
    }
    rest += text.slice(start)
    if (rest.length <= MAX_RECORD) continue
    rest = ''
    tooLong = true
  }
  if (tooLong) yield undefined
  else if (rest !== '') yield rest
}

async function* readTable(path: string): AsyncGenerator<ReadRecord, void, void> {
  const skipped: ReadRecord[] = []
  let number = 0
  const parser = parse({
    bom: true,
    columns: (head: string[]) => head.map((name, i) => name.trim() || `column ${i + 1}`),
    delimiter: await delimiterOf(path),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_RECORD,
    on_skip: (error?: CsvError) => {
      number++
      skipped.push({ number, fault: `cannot be read (${error?.message ?? 'no reason given'})` })
      return undefined
    },
  })
  // An error of the file ends the parser, and so reaches the loop below.
  pipeline(Readable.from(textOf(path)), parser, () => {})
  for await (const record of parser) {
    yield* skipped.splice(0)
    number++
    yield { number, record: record as DataRecord }
  }
  yield* skipped
}

/** Comma, semicolon or tab: whichever the first line has most of. */
async function delimiterOf(path: string): Promise<string> {
  const { text } = await sampleOf(path)
  const line = text.slice(0, Math.max(0, text.search(/[\r\n]|$/)))
  const counts = [',', ';', '\t'].map((mark) => line.split(mark).length)
  return [',', ';', '\t'][counts.indexOf(Math.max(...counts))]!
}

async function sampleOf(path: string): Promise<{ readonly text: string; readonly charset: string }> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE), 0, SAMPLE, 0)
    const bytes = buffer.subarray(0, bytesRead)
    const { charset } = detectCharset(bytes, undefined, false)
    return { text: new TextDecoder(charset).decode(bytes), charset }
  } finally {
    await file.close()
  }
}

/** The text of a file, piece by piece. */
async function* textOf(path: string): AsyncGenerator<string, void, void> {
  const { charset } = await sampleOf(path)
  const decoder = new TextDecoder(charset)
  for await (const bytes of createReadStream(path)) yield decoder.decode(bytes as Buffer, { stream: true })
  yield decoder.decode()
}
