/** A program of the tests in a process of its own, without the test runner's hooks, which double the time of its start. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A running program. */
export class SpawnedWriter {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  /** How it ended: the signal, or the exit code. */
  readonly ended: Promise<string>
  hasEnded = false
  output = ''

  /** @param program name of the file in this folder, without its ending. @param options of Node.js */
  constructor(program: string, args: readonly string[], options: readonly string[] = []) {
    const file = fileURLToPath(new URL(`${program}.js`, import.meta.url))
    const all = [...options, file, ...args]
    const [command, prefix] =
      process.platform === 'win32' ? [process.execPath, []] : ['env', ['NODE_OPTIONS=', process.execPath]]
    this.child = spawn(command, [...prefix, ...all], { stdio: ['pipe', 'pipe', 'inherit'] })
    // It may be dead when a line comes.
    this.child.stdin.on('error', () => {})
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
    })
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.hasEnded = true
        resolve(signal ?? String(code))
      })
    })
  }

  /** Commits that it has said to be done. */
  get commits(): number {
    return this.output.split('commit').length - 1
  }

  /** Number of the last one, 0 where there is none. */
  get acknowledged(): number {
    return Number([...this.output.matchAll(/^commit (\d+)\n/gm)].at(-1)?.[1] ?? 0)
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}
