/**
 * Runs a program and stops it, or lets it fail, at exactly one of its system calls: strace counts the calls and injects
 * the signal or the error. A run without faults shows all calls first; each that touches the folder becomes a point,
 * named by its file and its number among the calls for that file, so that it is met whatever else the process does. One
 * worker thread for files (UV_THREADPOOL_SIZE=1), because strace counts the calls of each thread by itself.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** System calls that change a folder, or make a change of it durable. */
export const CALLS = ['bind', 'mkdir', 'link', 'openat', 'write', 'fsync', 'rename', 'unlink'] as const
/** One of them. */
export type Call = (typeof CALLS)[number]

/** Where a run is stopped. */
export interface FaultPoint {
  readonly call: Call
  /** Files whose calls count; all calls of the process where there is none. */
  readonly paths: readonly string[]
  /** Number of the call among those that count, from 1 on; with a plus, it and all after it. */
  readonly when: number | `${number}+`
}

/** A point of a run without faults. */
export interface TracedPoint extends FaultPoint {
  /** Whether the folder, or what is durable of it, is another one after the call: reading is not. */
  readonly changes: boolean
}

/** Calls of a run without faults. */
export interface Baseline {
  readonly points: readonly TracedPoint[]
  /** Calls that no point meets. */
  readonly unreachable: readonly string[]
}

/** How a run ended. */
export interface TracedRun {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  /** Whether strace took down that it killed the program. */
  readonly killed: boolean
  /** Number of calls that were made to fail. */
  readonly injected: number
}

/** True where strace is installed and may trace. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', process.execPath, '--version']).status === 0
}

/** Traces a run of a program of `whenTraced` (workload.ts) and makes a point of each call that touches a folder. */
export async function traceBaseline(dir: string, log: string, args: readonly string[]): Promise<Baseline> {
  const run = await tracedFromReady(log, ['-y', '-s', '256', '-e', `trace=${CALLS.join(',')}`], args)
  if (run.code !== 0) throw new Error(`the workload fails by itself: ${run.stderr}`)
  const points: TracedPoint[] = []
  const unreachable: string[] = []
  /** Of each thread, and the most of any thread, by what is counted. */
  const counts = new Map<string, number>()
  const count = (key: string, thread: string): { when: number; isFirst: boolean } => {
    const when = (counts.get(`${key} ${thread}`) ?? 0) + 1
    const most = counts.get(key) ?? 0
    counts.set(`${key} ${thread}`, when)
    counts.set(key, Math.max(most, when))
    return { when, isFirst: when > most }
  }
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const match = /^(\d+) +(\w+)\(/.exec(line)
    if (match === null) continue
    const thread = match[1]!
    const call = match[2] as Call
    const ofProcess = count(call, thread)
    const path = pathOf(line, call)
    // The lock is bound under a relative name.
    if (path === undefined || !(path === dir || path.startsWith(`${dir}/`) || call === 'bind')) continue
    // These names have the number of the process in them: another one with every run.
    const hasOwnName = /write\.lock\.[0-9]/.test(line)
    const { when, isFirst } = hasOwnName ? ofProcess : count(`${call} ${path}`, thread)
    const changes = call !== 'openat' || line.includes('O_CREAT')
    if (isFirst) points.push({ call, paths: hasOwnName ? [] : [path], when, changes })
    else if (changes) unreachable.push(line)
  }
  return { points, unreachable }
}

/** The file that a call is for. */
function pathOf(line: string, call: Call): string | undefined {
  const pattern = call === 'write' || call === 'fsync' ? /^\d+ +\w+\(\d+<([^>]*)>/ : /"([^"]*)"/
  return pattern.exec(line)?.[1]
}

/** Paths of all files and folders that a run syncs. */
export async function syncedFolders(log: string, args: readonly string[]): Promise<Set<string>> {
  const run = await traced(log, ['-y', '-e', 'trace=fsync'], args)
  if (run.code !== 0) throw new Error(`the workload fails by itself: ${run.stderr}`)
  return new Set([...readFileSync(log, 'latin1').matchAll(/fsync\(\d+<([^>]*)>/g)].map((match) => match[1]!))
}

/**
 * Runs a program of `whenTraced` (workload.ts) with one fault.
 * @param fault what to inject, such as `signal=SIGKILL` or `error=ENOSPC`
 */
export function runWithFault(
  log: string,
  { call, paths, when }: FaultPoint,
  fault: string,
  args: readonly string[],
): Promise<TracedRun> {
  const filter = paths.flatMap((path) => ['-P', path])
  const inject = `inject=${call}:${fault}:when=${when}`
  return tracedFromReady(log, ['-e', `trace=${call}`, '-e', inject, ...filter], args)
}

/** Runs that go side by side: one for each processor. */
export const RUNS_AT_ONCE = Math.min(4, availableParallelism())

/** A run whose output is gathered. */
class Run {
  stdout = ''
  stderr = ''
  readonly #log: string

  constructor(child: ChildProcess, log: string) {
    this.#log = log
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
  }

  result(code: number | null): TracedRun {
    const trace = readFileSync(this.#log, 'latin1')
    const killed = trace.includes('+++ killed by SIGKILL +++')
    return { stdout: this.stdout, stderr: this.stderr, code, killed, injected: trace.split('(INJECTED)').length - 1 }
  }
}

const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }

/** Runs the program under strace. @param options which calls to trace, and what to inject */
export function traced(log: string, options: readonly string[], args: readonly string[]): Promise<TracedRun> {
  return new Promise((resolve, reject) => {
    // The test runner's hooks, which come in by the environment of every process, stay out.
    const strace = ['-f', '-E', 'NODE_OPTIONS=', '-qq', '-o', log, ...options]
    const child = spawn('strace', [...strace, process.execPath, '--v8-pool-size=0', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    })
    const run = new Run(child, log)
    child.once('error', reject)
    child.once('close', (code) => resolve(run.result(code)))
  })
}

/** Runs the program, and traces it from where it is ready: not its start, which is most of its system calls and of its time. */
async function tracedFromReady(log: string, options: readonly string[], args: readonly string[]): Promise<TracedRun> {
  const child = spawn('env', ['NODE_OPTIONS=', process.execPath, '--v8-pool-size=0', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env, SPINDLE_TRACED: '1' },
  })
  const run = new Run(child, log)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await until(child, () => run.stdout.startsWith('ready\n'))
  const strace = spawn('strace', ['-f', '-o', log, ...options, '-p', String(child.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const tracer = new Run(strace, log)
  const tracerEnded = new Promise((resolve) => strace.once('close', resolve))
  await until(strace, () => tracer.stderr.includes(' attached'))
  child.stdin.end('\n')
  const code = await ended
  await tracerEnded
  return run.result(code)
}

/** Waits until the output of a process is as expected, or it has ended. */
async function until(child: ChildProcess, isThere: () => boolean): Promise<void> {
  while (!isThere()) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${child.spawnfile} ended too early`)
    await setTimeout(2)
  }
}
