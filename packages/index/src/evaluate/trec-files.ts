/**
 * The text files of TREC, which evaluation programs exchange: queries (`qid TAB text`), judgements (`qid 0 document grade`)
 * and runs (`qid Q0 document rank score tag`). Names hold no white space. Empty lines are passed over; any other line that
 * is none of the kind is an error with file and line, because a judgement that is silently lost changes every figure.
 */
import { SpindleError } from '@spindle/core'

/** Grades of the judged documents of a query: 0 or less is not relevant, more is better. */
export type Grades = ReadonlyMap<string, number>

/** Grades by query. */
export type Judgements = ReadonlyMap<string, Grades>

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string
  readonly score: number
}

/** By query, what was found, the best first. */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>

/** Text by query, in the order of the file. */
export type Topics = ReadonlyMap<string, string>

/** Text of a file and how messages call it. */
export interface TrecSource {
  readonly text: string
  readonly file: string
}

/**
 * Queries, `qid TAB text` a line; a text may be empty.
 * @throws SpindleError `EVALUATION_FILE_INVALID`
 */
export function parseTopics(source: TrecSource): Topics {
  const topics = new Map<string, string>()
  for (const line of linesOf(source)) {
    const tab = line.text.indexOf('\t')
    const id = line.text.slice(0, Math.max(tab, 0)).trim()
    const text = line.text.slice(tab + 1).trim()
    if (tab < 0 || id === '' || /\s/.test(id)) {
      throw invalid(line, 'is no query', 'write its name, a tab and its text')
    }
    if (topics.has(id)) throw invalid(line, `has the query ${id} a second time`, 'give each query a name of its own')
    topics.set(id, text)
  }
  return nonEmpty(topics, source, 'no query')
}

/**
 * Judgements, `qid 0 document grade` a line.
 * @throws SpindleError `EVALUATION_FILE_INVALID`
 */
export function parseJudgements(source: TrecSource): Judgements {
  const judgements = new Map<string, Map<string, number>>()
  for (const line of linesOf(source)) {
    const [query, , document, grade, ...rest] = line.text.trim().split(/\s+/)
    if (query === undefined || document === undefined || rest.length > 0 || !/^[+-]?\d{1,9}$/.test(grade ?? '')) {
      throw invalid(line, 'is no judgement', 'write "query 0 document grade", the grade as a whole number')
    }
    const grades = judgements.get(query) ?? new Map<string, number>()
    if (grades.has(document)) {
      throw invalid(line, `judges ${document} for the query ${query} a second time`, 'judge each document once')
    }
    judgements.set(query, grades.set(document, Number(grade)))
  }
  return nonEmpty(judgements, source, 'no judgement')
}

/**
 * A run, `qid Q0 document rank score tag` a line. As trec_eval does, the ranks are not believed: documents are ordered by their
 * scores in single precision, those with equal ones by their names, the greater first.
 * @throws SpindleError `EVALUATION_FILE_INVALID`
 */
export function parseRun(source: TrecSource): Run {
  const run = new Map<string, RankedDocument[]>()
  const seen = new Set<string>()
  for (const line of linesOf(source)) {
    const [query, , document, rank, score, tag, ...rest] = line.text.trim().split(/\s+/)
    if (query === undefined || document === undefined || rank === undefined || tag === undefined || rest.length > 0) {
      throw invalid(line, 'is no line of a run', 'write "query Q0 document rank score tag"')
    }
    const number = Number(score)
    if (!Number.isFinite(number)) throw invalid(line, `has the score "${score}"`, 'write a number')
    const key = `${query} ${document}`
    if (seen.has(key)) throw invalid(line, `has ${document} for the query ${query} a second time`, 'leave one out')
    seen.add(key)
    const ranking = run.get(query)
    if (ranking === undefined) run.set(query, [{ id: document, score: number }])
    else ranking.push({ id: document, score: number })
  }
  for (const ranking of run.values()) {
    ranking.sort((a, b) => Math.fround(b.score) - Math.fround(a.score) || compareNames(b.id, a.id))
  }
  return nonEmpty(run, source, 'no line of a run')
}

/**
 * A run as a file. Scores are lowered where they have to be to differ in single precision, so that whoever orders by them
 * finds the order of the run, which is all that measures depend on.
 * @param tag name of the run, without white space
 */
export function formatRun(run: Run, tag: string): string {
  const lines: string[] = []
  for (const [query, ranking] of run) {
    let last = Number.POSITIVE_INFINITY
    ranking.forEach(({ id, score }, i) => {
      last = Math.min(Math.fround(score), floatBelow(last))
      lines.push(`${query} Q0 ${id} ${i + 1} ${last} ${tag}\n`)
    })
  }
  return lines.join('')
}

/** Queries as a file. Tabs and line ends in a text become blanks. */
export function formatTopics(topics: Topics): string {
  return [...topics].map(([id, text]) => `${id}\t${text.replace(/\s+/g, ' ')}\n`).join('')
}

/** Judgements as a file. */
export function formatJudgements(judgements: Judgements): string {
  const lines: string[] = []
  for (const [query, grades] of judgements) {
    for (const [document, grade] of grades) lines.push(`${query} 0 ${document} ${grade}\n`)
  }
  return lines.join('')
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** The greatest number of single precision below one. */
function floatBelow(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return value
  float[0] = value
  if (float[0] === 0) return -1.401298464324817e-45
  bits[0]! += float[0] > 0 ? -1 : 1
  return float[0]
}

/** The order of the bytes of UTF-8, which is that of strcmp. */
function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

interface Line {
  readonly text: string
  readonly file: string
  readonly number: number
}

function* linesOf({ text, file }: TrecSource): Generator<Line, void, void> {
  let number = 0
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    number++
    if (line.trim() !== '') yield { text: line, file, number }
  }
}

function invalid({ text, file, number }: Line, problem: string, remedy: string): SpindleError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new SpindleError('EVALUATION_FILE_INVALID', `Line ${number} of ${file} ${problem} ("${shown}"): ${remedy}.`)
}

function nonEmpty<T extends ReadonlyMap<string, unknown>>(found: T, { file }: TrecSource, what: string): T {
  if (found.size > 0) return found
  throw new SpindleError('EVALUATION_FILE_INVALID', `There is ${what} in ${file}: name a file that holds some.`)
}
