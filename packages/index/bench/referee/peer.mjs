/** A search engine in a process of its own, pinned to one core, that answers one request at a time. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export class Peer {
  name
  #child
  #lines
  #failed

  /** @param core null: not pinned */
  constructor(name, command, core) {
    this.name = name
    const [file, ...args] = core === null ? command : ['taskset', '-c', String(core), ...command]
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#failed = new Promise((_, reject) => {
      this.#child.on('error', reject)
      this.#child.on('exit', (code, signal) => reject(new Error(`${name} has ended: ${code ?? signal}`)))
    })
    this.#failed.catch(() => {})
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** Sends a request. @returns the lines of the answer */
  async ask(...fields) {
    this.#child.stdin.write(`${fields.join('\t')}\n`)
    const lines = []
    for (;;) {
      const { value, done } = await Promise.race([this.#lines.next(), this.#failed])
      if (done) await this.#failed
      if (value === '.') return lines
      lines.push(value)
    }
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin.end()
    if (this.#child.exitCode === null && this.#child.signalCode === null) await ended
  }
}
