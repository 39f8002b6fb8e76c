/** `spindle eval`: how good the results of judged queries are, and whether they are better than those of another configuration. */
import { readFile, writeFile } from 'node:fs/promises'
import { EOL } from 'node:os'
import { SpindleError } from '@spindle/core'
import {
  compareEvaluations,
  type Evaluation,
  evaluateRun,
  failedGates,
  formatRun,
  type Judgements,
  type Measure,
  type MeasureComparison,
  parseGate,
  parseJudgements,
  parseMeasure,
  parseRun,
  parseTopics,
  percentile,
  type Run,
  type Topics,
  type TrecSource,
} from '@spindle/index'
import { type Answers, askTopics } from '../search/ask-topics.js'
import { PageNames } from '../search/page-names.js'
import { type EvaluationReport, evaluationTable } from './eval-table.js'
import { openBackend } from './open-backend.js'
import { serverConfig } from './server-flags.js'

/** Flags of `spindle eval`. */
export interface EvalFlags {
  readonly data?: string
  readonly config?: string
  /** A file of queries. */
  readonly queries: string
  /** A file of judgements. */
  readonly qrels: string
  /** Where a run is written. */
  readonly run?: string
  /** A run or a configuration file to compare with. */
  readonly baseline?: string
  /** Names, separated by commas. */
  readonly measures?: string
  readonly depth?: string
  readonly gate?: readonly string[]
  readonly each?: boolean
  readonly json?: boolean
}

const DEFAULT_MEASURES = 'p@10,map,mrr,ndcg@10,recall@100,success@1'
const DEFAULT_DEPTH = 1000
const MAX_DEPTH = 10_000
/** Name of our runs in run files. */
const TAG = 'spindle'
const CONFIG_FILE = /\.(?:json|mjs|ts)$/i

interface Task {
  readonly topics: Topics
  readonly judgements: Judgements
  readonly depth: number
}

/**
 * @returns 0, or 1 where a gate is not passed
 * @throws SpindleError for files that cannot be read, wrong flags, and where there is no index
 */
export async function evalCommand(flags: EvalFlags): Promise<number> {
  const gates = (flags.gate ?? []).map(parseGate)
  const measures = measuresOf(flags.measures ?? DEFAULT_MEASURES, [...gates.map(({ measure }) => measure)])
  const depth = depthOf(flags.depth)
  const topics = parseTopics(await source(flags.queries))
  const judgements = parseJudgements(await source(flags.qrels))
  const task = { topics, judgements, depth }
  const { run, times } = await answers(task, flags.data, flags.config)
  if (flags.run !== undefined) await writeRun(flags.run, run)
  const asked = new Set(topics.keys())
  const evaluation = evaluateRun(run, judgements, measures, asked)
  let comparisons: readonly MeasureComparison[] = []
  if (flags.baseline !== undefined) {
    const other = await baselineRun(flags.baseline, task, flags.data)
    comparisons = compareEvaluations(evaluateRun(other, judgements, measures, asked), evaluation)
  }
  const report = { queries: topics.size, evaluation, ...unseenIn(run, judgements, evaluation), times, comparisons }
  const failed = failedGates(gates, evaluation)
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(jsonReport(report, failed.length === 0))}${EOL}`)
  } else process.stdout.write(evaluationTable(report, flags.each === true))
  for (const { gate, mean } of failed) {
    process.stderr.write(
      `spindle eval: ${gate.measure.name} is ${mean.toFixed(4)}, which is below the gate of ${gate.least}.${EOL}`,
    )
  }
  return failed.length === 0 ? 0 : 1
}

async function answers(
  { topics, judgements, depth }: Task,
  data: string | undefined,
  file: string | undefined,
): Promise<Answers> {
  const config = await serverConfig({
    ...(data === undefined ? {} : { data }),
    ...(file === undefined ? {} : { config: file }),
  })
  // An answer that was kept would tell nothing of how long it takes.
  const backend = await openBackend({ ...config, cache: false })
  try {
    return await askTopics(backend, topics, new PageNames(judgements), depth)
  } finally {
    await backend.close()
  }
}

/** A run file as it is, or what another configuration finds, in the data folder that it names where none is given. */
async function baselineRun(path: string, task: Task, data: string | undefined): Promise<Run> {
  if (!CONFIG_FILE.test(path)) return parseRun(await source(path))
  return (await answers(task, data, path)).run
}

function measuresOf(names: string, others: readonly Measure[]): Measure[] {
  const measures = new Map<string, Measure>()
  for (const measure of [...names.split(',').map(parseMeasure), ...others]) measures.set(measure.name, measure)
  return [...measures.values()]
}

function depthOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DEPTH
  const depth = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (depth >= 1 && depth <= MAX_DEPTH) return depth
  throw new SpindleError('BAD_PARAMETER', `--depth is "${text}": give a whole number from 1 to ${MAX_DEPTH}.`)
}

async function source(file: string): Promise<TrecSource> {
  try {
    return { file, text: await readFile(file, 'utf8') }
  } catch (cause) {
    throw new SpindleError(
      'EVALUATION_FILE_INVALID',
      `${file} cannot be read (${(cause as Error).message}): name a file of queries, judgements or a run.`,
      { cause },
    )
  }
}

async function writeRun(file: string, run: Run): Promise<void> {
  try {
    await writeFile(file, formatRun(run, TAG))
  } catch (cause) {
    throw new SpindleError(
      'EVALUATION_FILE_INVALID',
      `The run cannot be written to ${file} (${(cause as Error).message}): choose another file.`,
      { cause },
    )
  }
}

function unseenIn(run: Run, judgements: Judgements, { queries }: Evaluation): { unseen: number; relevant: number } {
  let unseen = 0
  let relevant = 0
  for (const query of queries) {
    const found = new Set(run.get(query)?.map(({ id }) => id))
    for (const [name, grade] of judgements.get(query) ?? []) {
      if (grade <= 0) continue
      relevant++
      if (!found.has(name)) unseen++
    }
  }
  return { unseen, relevant }
}

function jsonReport({ evaluation, times, comparisons, ...rest }: EvaluationReport, passed: boolean): unknown {
  return {
    ...rest,
    passed,
    means: Object.fromEntries(evaluation.means),
    times: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) },
    byQuery: evaluation.queries.map((query, i) => ({
      query,
      ...Object.fromEntries([...evaluation.values].map(([name, column]) => [name, column[i]])),
    })),
    ...(comparisons.length === 0 ? {} : { comparisons }),
  }
}
