/** Lucene as one of the two engines. */
import type { Change, Engine, Found, IndexStats, SearchTask, TestDocument } from './engine.js'
import { BEST } from './engine.js'
import { LuceneProcess, unescapePart } from './lucene-process.js'
import { toWire } from './query-node.js'

/** Commands that wait for their answers at a time. */
const BATCH = 500

/** An index of Lucene's, in memory. */
export class LuceneEngine implements Engine {
  readonly #process: LuceneProcess

  private constructor(process: LuceneProcess) {
    this.#process = process
  }

  static async start(): Promise<LuceneEngine> {
    return new LuceneEngine(await LuceneProcess.start())
  }

  async open(): Promise<void> {
    await this.#send([['open']])
  }

  async apply(changes: readonly Change[]): Promise<void> {
    await this.#send(changes.map(changeParts))
  }

  async stats(): Promise<IndexStats> {
    const [answer] = await this.#send([['stats']])
    const [segments, maxDoc, numDocs] = answer!.split('\t').map(Number)
    return { segments: segments!, maxDoc: maxDoc!, numDocs: numDocs! }
  }

  async search(tasks: readonly SearchTask[]): Promise<Found[]> {
    const answers = await this.#answers(
      tasks.map(({ query, similarity }) => ['search', similarity, `${BEST}`, ...toWire(query)]),
    )
    return answers.map(readFound)
  }

  async explain({ query, similarity }: SearchTask, id: string): Promise<string> {
    const [answer] = await this.#answers([['explain', similarity, id, ...toWire(query)]])
    return unescapePart(answer!)
  }

  close(): Promise<void> {
    return this.#process.stop()
  }

  /** @throws where one of the answers tells of an error */
  async #send(commands: readonly (readonly string[])[]): Promise<string[]> {
    const answers = await this.#answers(commands)
    const failed = answers.findIndex((answer) => answer.startsWith('error\t'))
    if (failed >= 0) throw new Error(`Lucene: ${commands[failed]!.join(' ').slice(0, 500)}: ${answers[failed]}`)
    return answers
  }

  async #answers(commands: readonly (readonly string[])[]): Promise<string[]> {
    const answers: string[] = []
    for (let from = 0; from < commands.length; from += BATCH) {
      const batch = commands.slice(from, from + BATCH)
      answers.push(...(await Promise.all(batch.map((parts) => this.#process.send(parts)))))
    }
    return answers
  }
}

function changeParts(change: Change): string[] {
  if (change.do === 'add' || change.do === 'update') return [change.do, ...documentParts(change.document)]
  if (change.do === 'delete') return ['delete', ...toWire(change.query)]
  return change.do === 'forceMerge' ? [change.do, `${change.segments}`] : [change.do]
}

function documentParts({ id, title, body, tags, sizes, rank }: TestDocument): string[] {
  const fields: string[][] = []
  if (title !== '') fields.push(['text', 'title', title])
  if (body !== '') fields.push(['text', 'body', body])
  for (const tag of tags) fields.push(['keyword', 'tag', tag])
  for (const size of sizes) fields.push(['number', 'size', `${size}`])
  if (rank !== null) fields.push(['number', 'rank', `${rank}`])
  return [id, `${fields.length}`, ...fields.flat()]
}

function readFound(answer: string): Found {
  const parts = answer.split('\t')
  if (parts[0] === 'error') return { error: unescapePart(parts[1]!) }
  const ids: string[] = []
  const scores: number[] = []
  for (let i = 1; i + 1 < parts.length; i += 2) {
    ids.push(parts[i]!)
    scores.push(Number(parts[i + 1]))
  }
  return { count: Number(parts[0]), ids, scores }
}
