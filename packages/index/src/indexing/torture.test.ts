/**
 * Random operations, random faults and random power cuts against a plain model, in memory: many states a second. The
 * same with real processes is tests/src/fault/soak.test.ts.
 */
import { isSpindleError, SpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { BYTES_FATES, CrashDirectory, NAMES_FATES } from '../test-support/crash-directory.js'
import { readRanks } from '../test-support/crash-workload.js'
import { FaultDirectory } from '../test-support/fault-directory.js'
import { expectedContents, firstDifference, ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const ROUNDS = byEffort(8, 150, 100_000_000)
const seed = testSeed()
const analyzer = new WhitespaceAnalyzer()
const KEYS = 30

t.comment(replay(seed))

/** What an index holds. */
interface Model {
  readonly documents: Map<string, Document>
  readonly ranks: Map<string, number>
}

function copy({ documents, ranks }: Model): Model {
  return { documents: new Map(documents), ranks: new Map(ranks) }
}

async function difference(reader: IndexReader, { documents, ranks }: Model): Promise<string | undefined> {
  const text = (map: Map<string, number>) => [...map].sort().join(' ')
  const found = text(await readRanks(reader))
  if (found !== text(ranks)) return `ranks ${found}, expected ${text(ranks)}`
  return firstDifference(await indexContents(reader), expectedContents(documents.values(), analyzer))
}

/** A folder, and everything that was ever tried to be committed to it. */
class Torture {
  readonly #random: Random
  readonly counts: Record<'operations' | 'faults' | 'cuts' | 'commits', number>
  /** By the number of the attempt; 0 is the empty index. */
  readonly #attempts: Model[] = [{ documents: new Map(), ranks: new Map() }]
  #directory = new CrashDirectory()
  /** Last attempt that returned. */
  #acknowledged = 0
  #model: Model = copy(this.#attempts[0]!)

  constructor(random: Random, counts: Torture['counts']) {
    this.#random = random
    this.counts = counts
  }

  /** One writer, from its opening to its end. @returns what is wrong, or undefined */
  async run(): Promise<string | undefined> {
    const random = this.#random
    const faulty = new FaultDirectory(this.#directory, {})
    const fate = random.next()
    if (fate < 0.5) faulty.failOnce(1 + random.below(200))
    else if (fate < 0.6) faulty.failFromNowOn(1 + random.below(200), random.pick(['EIO', 'ENOSPC', 'EROFS']))
    let writer: IndexWriter | null = null
    try {
      writer = await IndexWriter.open(faulty, {
        analyzer,
        memoryBudget: random.pick([1, 3000, 1_000_000]),
        mergeFactor: random.pick([2, 3, 10]),
        keepCommits: 1 + random.below(3),
        onMergeError: () => {},
      })
      for (let step = 20 + random.below(40); step > 0; step--) {
        await this.#step(writer)
        this.counts.operations++
      }
      if (random.next() < 0.3) {
        await this.#commit(writer, (userData) => writer!.commit({ userData }))
        await writer.close()
      }
    } catch (error) {
      if (faulty.failures === 0) return `failed without a fault: ${error instanceof Error ? error.stack : error}`
      const isSystems = typeof (error as NodeJS.ErrnoException).code === 'string'
      if (!(error instanceof SpindleError) && !isSystems)
        return `failed with ${error instanceof Error ? error.stack : error}`
    }
    this.counts.faults += faulty.failures
    faulty.heal()
    const at = this.#directory.operations.length
    const isCut = random.next() < 0.5
    // Where the power is cut, the writer does nothing any more.
    if (!isCut) await writer?.rollback()
    const names = isCut ? random.pick(NAMES_FATES) : 'all'
    const bytes = isCut ? random.pick(BYTES_FATES) : 'intact'
    if (isCut) this.counts.cuts++
    const length = isCut ? at : this.#directory.operations.length
    const after = await this.#directory.after(length, names, bytes, random)
    if (isCut) await writer?.rollback()
    this.#directory = new CrashDirectory()
    await this.#directory.fill(after)
    return this.#compare()
  }

  async #step(writer: IndexWriter): Promise<void> {
    const random = this.#random
    const { documents, ranks } = this.#model
    const id = String(random.below(KEYS))
    const choice = random.next()
    if (choice < 0.5) {
      const words = Array.from({ length: random.below(12) }, () => `w${random.below(20)}`).join(' ')
      const document = new Document().add(Field.keyword(ID, id)).add(Field.text('body', words))
      // Done or not: with a fault this model is given up.
      documents.delete(id)
      documents.set(id, document)
      ranks.delete(id)
      await writer.updateDocument({ field: ID, text: id }, document)
    } else if (choice < 0.65) {
      documents.delete(id)
      ranks.delete(id)
      const gone = new Term(ID, id)
      await writer.deleteDocuments(random.next() < 0.5 ? gone : new TermQuery(gone))
    } else if (choice < 0.75) {
      if (documents.has(id)) ranks.set(id, this.counts.operations)
      await writer.updateDocValues({ field: ID, text: id }, 'rank', this.counts.operations)
    } else if (choice < 0.78) await writer.forceMerge(1 + random.below(3))
    else if (choice < 0.82) {
      const reader = await IndexReader.open(writer)
      const wrong = await difference(reader, this.#model)
      await reader.close()
      if (wrong !== undefined) throw new Error(`uncommitted: ${wrong}`)
    } else if (choice < 0.86)
      await this.#commit(writer, (userData) => writer.prepareCommit({ userData }).then(() => writer.commit()))
    else if (choice < 0.95) await this.#commit(writer, (userData) => writer.commit({ userData }))
  }

  async #commit(writer: IndexWriter, commit: (userData: Record<string, string>) => Promise<unknown>): Promise<void> {
    const attempt = this.#attempts.push(copy(this.#model)) - 1
    const userData = { attempt: String(attempt) }
    const before = writer.generation
    await commit(userData)
    this.counts.commits++
    // Without a change there is no new commit.
    if (writer.generation > before) this.#acknowledged = attempt
  }

  /** The index is that of the last attempt acknowledged, or of one after it. */
  async #compare(): Promise<string | undefined> {
    let reader: IndexReader
    try {
      reader = await IndexReader.open(this.#directory)
    } catch (error) {
      if (!isSpindleError(error, 'INDEX_NOT_FOUND') || this.#acknowledged > 0) return `does not open: ${error}`
      this.#model = copy(this.#attempts[0]!)
      return undefined
    }
    try {
      const attempt = Number(reader.userData.attempt ?? 0)
      if (attempt < this.#acknowledged) return `attempt ${attempt} is there, ${this.#acknowledged} was acknowledged`
      const wrong = await difference(reader, this.#attempts[attempt]!)
      if (wrong !== undefined) return `attempt ${attempt}: ${wrong}`
      this.#acknowledged = attempt
      this.#model = copy(this.#attempts[attempt]!)
    } finally {
      await reader.close()
    }
    const report = await checkIndex(this.#directory, { idField: ID })
    return report.clean ? undefined : JSON.stringify(report)
  }
}

t.test('random operations, faults and power cuts', { timeout: 100_000_000 }, async (t) => {
  const counts = { operations: 0, faults: 0, cuts: 0, commits: 0 }
  let problem: string | undefined
  let rounds = 0
  for (; rounds < ROUNDS && problem === undefined && (hasTime() || rounds < 8); rounds++) {
    // Each folder by a number of its own; SEED with that number does it again as the first.
    const random = new Random(seed + rounds)
    const torture = new Torture(random, counts)
    for (let writers = 0; writers < 6 && problem === undefined; writers++) problem = await torture.run()
    if (problem !== undefined) problem = `SEED=${seed + rounds}: ${problem}`
  }
  t.equal(problem, undefined, replay(seed))
  t.comment(`${rounds} folders, ${JSON.stringify(counts)}`)
  t.ok(counts.faults > 5 && counts.cuts > 5 && counts.commits > 20)
})
