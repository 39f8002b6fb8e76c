/** Runs the product's own command as a user would, in a process of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Root folder of the checkout. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

const command = fileURLToPath(new URL('../../../bin/spindle.mjs', import.meta.url))

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A running command. */
export class SpindleProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [command, ...args], {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }))
  }

  /** Resolves with the first match of a pattern in the output of both kinds; rejects when the command ends without it. */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(`${this.stdout}\n${this.stderr}`)
      if (match !== null) return match
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`the command ended without ${pattern}:\n${this.stdout}\n${this.stderr}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal)
    return await this.ended
  }
}

/** Runs a command to its end. */
export async function spindle(...args: string[]): Promise<Ended> {
  return await new SpindleProcess(args).ended
}
