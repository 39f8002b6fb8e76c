/** Holds our index against Lucene's: the same history, random queries after each of its stages, failures made small. */
import { difference } from './compare-found.js'
import type { Change, Engine, SearchTask } from './engine.js'
import type { Stage } from './histories.js'
import type { QueryNode } from './query-node.js'
import type { RandomQueries } from './random-queries.js'
import { shrinkChanges, shrinkQuery } from './shrink.js'

/** What to do in a run. */
export interface RunOptions {
  readonly stages: readonly Stage[]
  readonly queries: RandomQueries
  /** Queries after each stage. */
  readonly queriesPerStage: number
}

/** What a run has found. */
export interface RunResult {
  /** Queries asked. */
  readonly asked: number
  /** Queries that matched something, by the kind that stands at the top. */
  readonly matched: ReadonlyMap<QueryNode['kind'], number>
  readonly failures: readonly Failure[]
}

/** Something that differs. */
export interface Failure {
  /** What, in one line. */
  readonly summary: string
  /** How to see it again, and how both come to it. */
  readonly details: readonly string[]
}

/** Queries that are asked at a time; of those that fail only one is looked into. */
const BATCH = 100
/** A run ends after so many failures. */
const MAX_FAILURES = 3
/** Histories that are replayed at most to make a failure small. */
const MAX_REPLAYS = 200
/** Changes of a history that are printed at most. */
const MAX_PRINTED = 40

/** Our engine and Lucene's, with what has been done to both. */
export class OracleRun {
  readonly #ours: Engine
  readonly #theirs: Engine
  #history: readonly Change[] = []

  constructor(ours: Engine, theirs: Engine) {
    this.#ours = ours
    this.#theirs = theirs
  }

  /** Runs the stages over an empty index, with random queries after each. */
  async run({ stages, queries, queriesPerStage }: RunOptions): Promise<RunResult> {
    const failures: Failure[] = []
    let asked = 0
    const matched = new Map<QueryNode['kind'], number>()
    await this.#replay([])
    for (const { name, changes } of stages) {
      await this.#apply(changes)
      const failure = await this.#compareStats()
      if (failure !== undefined) failures.push({ summary: `${name}: ${failure}`, details: [] })
      for (let left = queriesPerStage; left > 0; left -= BATCH) {
        const tasks = Array.from({ length: Math.min(BATCH, left) }, () => queries.next())
        asked += tasks.length
        const found = await this.#theirs.search(tasks)
        for (const [i, { query }] of tasks.entries()) {
          const one = found[i]!
          if ('count' in one && one.count > 0) matched.set(query.kind, (matched.get(query.kind) ?? 0) + 1)
        }
        const ours = await this.#ours.search(tasks)
        const bad = tasks.find((_, i) => difference(ours[i]!, found[i]!) !== undefined)
        if (bad === undefined) continue
        const { summary, details } = await this.#makeSmall(bad)
        failures.push({ summary: `${name}: ${summary}`, details })
        if (failures.length >= MAX_FAILURES) return { asked, matched, failures }
      }
    }
    return { asked, matched, failures }
  }

  async #both<T>(act: (engine: Engine) => Promise<T>): Promise<[T, T]> {
    return Promise.all([act(this.#ours), act(this.#theirs)])
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    this.#history = [...this.#history, ...changes]
    await this.#both((engine) => engine.apply(changes))
  }

  /** Another history in a new index. */
  async #replay(history: readonly Change[]): Promise<void> {
    await this.#both((engine) => engine.open())
    this.#history = []
    if (history.length > 0) await this.#apply(history)
  }

  /** How the documents are spread over segments is each engine's own affair. */
  async #compareStats(): Promise<string | undefined> {
    const [ours, theirs] = await this.#both((engine) => engine.stats())
    if (ours.maxDoc === theirs.maxDoc && ours.numDocs === theirs.numDocs) return undefined
    return `${JSON.stringify(ours)}, Lucene ${JSON.stringify(theirs)}`
  }

  async #difference(task: SearchTask): Promise<string | undefined> {
    const [[ours], [theirs]] = await this.#both((engine) => engine.search([task]))
    return difference(ours!, theirs!)
  }

  async #whoRefuses(task: SearchTask): Promise<string> {
    const [[ours], [theirs]] = await this.#both((engine) => engine.search([task]))
    return `${'error' in ours!} ${'error' in theirs!}`
  }

  /** The same failure in the smallest index and by the smallest query that are found. The index stays as it was. */
  async #makeSmall(task: SearchTask): Promise<Failure> {
    const history = this.#history
    // A smaller query that one engine refuses is another failure.
    const who = await this.#whoRefuses(task)
    const fails = async (query: SearchTask['query']): Promise<boolean> => {
      const smaller = { ...task, query }
      return (await this.#difference(smaller)) !== undefined && (await this.#whoRefuses(smaller)) === who
    }
    let query = await shrinkQuery(task.query, fails)
    const replay = (changes: readonly Change[]): Promise<void> => this.#replay([...changes, { do: 'commit' }])
    const failsAfter = async (changes: readonly Change[]): Promise<boolean> => {
      await replay(changes)
      return fails(query)
    }
    const changes = await shrinkChanges(history, failsAfter, MAX_REPLAYS)
    await replay(changes)
    query = await shrinkQuery(query, fails)
    const small = { ...task, query }
    const failure = {
      summary: `${await this.#difference(small)}: ${small.similarity} ${JSON.stringify(query)}`,
      details: [
        ...changes.slice(0, MAX_PRINTED).map((change) => JSON.stringify(change)),
        ...(changes.length > MAX_PRINTED ? [`… and ${changes.length - MAX_PRINTED} changes`] : []),
        ...(await this.#explain(small)),
        `made smaller from ${JSON.stringify(task.query)}`,
      ],
    }
    await this.#replay(history)
    return failure
  }

  /** How both come to the score of Lucene's best hit. */
  async #explain(task: SearchTask): Promise<string[]> {
    const [found] = await this.#theirs.search([task])
    if (found === undefined || 'error' in found || found.ids.length === 0) return []
    const id = found.ids[0]!
    const [ours, theirs] = await this.#both((engine) => engine.explain(task, id))
    return [`${id} here:`, ...ours.split('\n'), `${id} in Lucene:`, ...theirs.trimEnd().split('\n')]
  }
}
