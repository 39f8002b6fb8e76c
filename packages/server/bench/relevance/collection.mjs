/** A judged collection as an index in a folder of its own, made as the product makes it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { nullLogger, PageField } from '@spindle/core'
import { LocalIndexSink } from '@spindle/crawler'
import { parseJudgements, parseTopics } from '@spindle/index'
import { DEFAULT_MAPPING, toDocument } from '../../../crawler/dist/import/record-mapping.js'
import { LocalIndexBackend } from '../../dist/search/local-index-backend.js'

/** The records of a set: title and text, which is what the figures that we compare with are about. */
export async function readRecords(folder) {
  const lines = (await readFile(join(folder, 'docs.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const { id, title, text } = JSON.parse(line)
    return { id, title, text }
  })
}

/** Queries and judgements of a set. */
export async function readQueries(folder) {
  const [queries, qrels] = ['queries.tsv', 'qrels.trec'].map((name) => join(folder, name))
  return {
    topics: parseTopics({ text: await readFile(queries, 'utf8'), file: queries }),
    judgements: parseJudgements({ text: await readFile(qrels, 'utf8'), file: qrels }),
  }
}

/**
 * Puts records into an index as `spindle index` does.
 * @param ranks PageRank by id, as the end of a crawl gives it to pages; none where null
 * @param options of the sink
 */
export async function indexRecords(path, records, { ranks = null, ...options } = {}) {
  const sink = await LocalIndexSink.open(path, { crawlId: 'relevance', ...options })
  let number = 0
  for (const record of records) {
    number++
    const { url, parsed } = toDocument(record, DEFAULT_MAPPING, { source: 'file:///docs.jsonl', number })
    await sink.put({ url, parsed })
    if (ranks !== null) await sink.setNumber(url, PageField.pageRank, ranks.get(record.id))
  }
  await sink.commit({ sequence: records.length, offset: 0 })
  await sink.close()
}

/** The name of the record that an address stands for. */
export function recordId(address) {
  return decodeURIComponent(address.slice(address.indexOf('#') + 1))
}

/** @param options as those of {@link indexRecords} */
export async function openCollection(folder, options = {}) {
  const path = await mkdtemp(join(tmpdir(), 'spindle-relevance-'))
  await indexRecords(path, await readRecords(folder), options)
  const backend = await LocalIndexBackend.open(path, { logger: nullLogger, searchTimeout: 60_000 })
  return {
    name: basename(folder),
    path,
    backend,
    ...(await readQueries(folder)),
    async close() {
      await backend.close()
      await rm(path, { recursive: true })
    },
  }
}
