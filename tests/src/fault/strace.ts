/**
 * Runs a program and stops it, or lets it fail, at exactly the k-th call of one kind that touches one folder: strace
 * counts the calls and injects the signal or the error. One worker thread for files (UV_THREADPOOL_SIZE=1), because
 * strace counts the calls of each thread by itself.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** System calls at which a writer can be stopped. */
export const CALLS = ['openat', 'write', 'fsync', 'rename', 'unlink'] as const
/** One of them. */
export type Call = (typeof CALLS)[number]

/** Calls of a run without faults, and the files they were for. */
export interface Baseline {
  readonly counts: ReadonlyMap<Call, number>
  readonly files: ReadonlySet<string>
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

/** Traces a run and counts its calls for files of a folder, thread by thread: the highest count of a thread is the last point. */
export async function traceBaseline(dir: string, log: string, args: readonly string[]): Promise<Baseline> {
  const run = await traced(log, ['-y', '-s', '256', '-e', `trace=${CALLS.join(',')}`], args)
  if (run.code !== 0) throw new Error(`the workload fails by itself: ${run.stderr}`)
  const perThread = new Map<string, number>()
  const files = new Set<string>()
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const match = /^(\d+) +(\w+)\(/.exec(line)
    const at = line.indexOf(`${dir}/`)
    if (match === null || at < 0 || !CALLS.includes(match[2] as Call)) continue
    const name = basename(/^[^">, ]*/.exec(line.slice(at))![0])
    // Has the number of the process in it: another name with every run.
    if (/^write\.lock\.[0-9]/.test(name)) continue
    files.add(name)
    perThread.set(`${match[2]} ${match[1]}`, (perThread.get(`${match[2]} ${match[1]}`) ?? 0) + 1)
  }
  const counts = new Map<Call, number>()
  for (const [key, count] of perThread) {
    const call = key.split(' ')[0] as Call
    counts.set(call, Math.max(counts.get(call) ?? 0, count))
  }
  return { counts, files }
}

/** Paths of all files and folders that a run syncs. */
export async function syncedFolders(log: string, args: readonly string[]): Promise<Set<string>> {
  const run = await traced(log, ['-y', '-e', 'trace=fsync'], args)
  if (run.code !== 0) throw new Error(`the workload fails by itself: ${run.stderr}`)
  return new Set([...readFileSync(log, 'latin1').matchAll(/fsync\(\d+<([^>]*)>/g)].map((match) => match[1]!))
}

/**
 * Runs the program with one fault.
 * @param files names in the folder whose calls count
 * @param fault what to inject, such as `signal=SIGKILL` or `error=ENOSPC`
 */
export function runWithFault(
  dir: string,
  log: string,
  files: Iterable<string>,
  call: Call,
  k: number,
  fault: string,
  args: readonly string[],
): Promise<TracedRun> {
  const paths = [...files].flatMap((name) => ['-P', join(dir, name)])
  return traced(log, ['-e', `trace=${call}`, '-e', `inject=${call}:${fault}:when=${k}`, ...paths], args)
}

function traced(log: string, options: readonly string[], args: readonly string[]): Promise<TracedRun> {
  return new Promise((resolve, reject) => {
    const child = spawn('strace', ['-f', '-qq', '-o', log, ...options, process.execPath, '--v8-pool-size=0', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, UV_THREADPOOL_SIZE: '1', NODE_OPTIONS: '' },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      const trace = readFileSync(log, 'latin1')
      const killed = trace.includes('+++ killed by SIGKILL +++')
      resolve({ stdout, stderr, code, killed, injected: trace.split('(INJECTED)').length - 1 })
    })
  })
}
