/** Size, speed and relevance of an index that an analyzer makes. */
import {
  Document,
  ENGLISH_FUNCTION_WORDS,
  evaluateRun,
  Field,
  IndexSearcher,
  IndexWriter,
  MemoryDirectory,
  parseMeasure,
  QueryParser,
} from '@spindle/index'
import { Random } from '../../../index/dist/test-support/random.js'

const ROUNDS = 3
const QUERIES = 500
const SEED = 20261201

const cpuMicroseconds = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Least CPU time of some rounds, and what the last one gave. */
async function best(work) {
  let least = Number.POSITIVE_INFINITY
  let result
  for (let round = 0; round < ROUNDS; round++) {
    const start = cpuMicroseconds()
    result = await work()
    least = Math.min(least, cpuMicroseconds() - start)
  }
  return { microseconds: least, result }
}

async function indexTexts(analyzer, texts) {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const text of texts) await writer.addDocument(new Document().add(Field.unStored('text', text)))
  await writer.optimize()
  await writer.close()
  return directory
}

function parserFor(analyzer) {
  return new QueryParser({
    field: 'text',
    analyzer,
    scoring: { functionWords: ENGLISH_FUNCTION_WORDS },
    lenient: true,
  })
}

/** @returns index ÷ text, bytes of text a second, microseconds a query, share of parts that find their page */
export async function measureSites({ analyzer }, texts, language) {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const { microseconds, result: directory } = await best(() => indexTexts(analyzer, texts))
  const searcher = await IndexSearcher.open(directory)
  const size = searcher.reader
    .segmentViews()
    .reduce((sum, view) => sum + view.bytes - (view.bytesByComponent.get('storedFields') ?? 0), 0)
  const parser = parserFor(analyzer)
  const queries = drawQueries(texts, language)
  const { microseconds: asked } = await best(async () => {
    for (const text of queries) await searcher.search(parser.parse(text), { limit: 10 })
  })
  const found = language === 'zh' ? await partsFound(searcher, parser, texts) : Number.NaN
  await searcher.close()
  return { ratio: size / bytes, indexing: (bytes / microseconds) * 1e6, query: asked / queries.length, found }
}

const RUNS = { zh: /\p{Script=Han}{4,12}/gu, en: /\p{Script=Latin}+(?: \p{Script=Latin}+){2}/gu }

/** Runs of four to twelve Han characters, or three words that stand together, each of another page. */
function drawQueries(texts, language) {
  const random = new Random(SEED)
  const queries = []
  while (queries.length < QUERIES) {
    const runs = random.pick(texts).match(RUNS[language])
    if (runs !== null) queries.push(random.pick(runs))
  }
  return queries
}

async function partsFound(searcher, parser, texts) {
  const random = new Random(SEED + 1)
  let found = 0
  for (let i = 0; i < QUERIES; ) {
    const doc = random.below(texts.length)
    const run = random.pick(texts[doc].match(/\p{Script=Han}+/gu) ?? [''])
    const length = 1 + random.below(6)
    if (run.length < length) continue
    const from = random.below(run.length - length + 1)
    const hits = await searcher.search(parser.parse(`"${run.slice(from, from + length)}"`), { limit: texts.length })
    for (let hit = 0; hit < hits.loaded; hit++) {
      if (hits.docId(hit) !== doc) continue
      found++
      break
    }
    i++
  }
  return found / QUERIES
}

/** Mean over the sets: MRR of Chinese questions, MAP of English ones. */
export async function measureRelevance({ analyzer }, sets, language) {
  const measure = parseMeasure(language === 'zh' ? 'mrr' : 'map')
  let sum = 0
  for (const { ids, texts, topics, judgements } of sets) {
    const searcher = await IndexSearcher.open(await indexTexts(analyzer, texts))
    const parser = parserFor(analyzer)
    const run = new Map()
    for (const [id, text] of topics) {
      const hits = await searcher.search(parser.parse(text), { limit: 1000 })
      run.set(
        id,
        Array.from({ length: hits.loaded }, (_, i) => ({ id: ids[hits.docId(i)], score: hits.score(i) })),
      )
    }
    sum += evaluateRun(run, judgements, [measure]).means.get(measure.name)
    await searcher.close()
  }
  return sum / sets.length
}
