/** Lucene in a process of its own: a line to it, a line back (tests/java/Oracle.java). */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { luceneClassPath } from './lucene-jars.js'

interface Waiting {
  resolve(answer: string): void
  reject(error: Error): void
}

/** A running oracle. */
export class LuceneProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting: Waiting[] = []
  #next = 0
  #stderr = ''
  #ended: Error | null = null

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    let pending: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = text.split('\n')
      for (let i = 0; i < lines.length - 1; i++) {
        this.#waiting[this.#next++]!.resolve(pending.join('') + lines[i]!)
        pending = []
      }
      pending.push(lines.at(-1)!)
      if (this.#next > 10_000) this.#next -= this.#waiting.splice(0, this.#next).length
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    child.once('close', (code) => {
      this.#ended = new Error(`Lucene has ended with status ${code}: ${this.#stderr}`)
      for (const waiting of this.#waiting.splice(this.#next)) waiting.reject(this.#ended)
    })
    // What is written to a process that has ended is told by its end.
    child.stdin.on('error', () => {})
  }

  static async start(): Promise<LuceneProcess> {
    // The quick compiler alone: a test is over before the slow one has paid.
    const options = ['-Xmx2g', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
    return new LuceneProcess(spawn('java', [...options, '-cp', await luceneClassPath(), 'Oracle']))
  }

  /** Sends the parts of a command. Answers come in the order of the commands, which need not wait for each other. */
  send(parts: readonly string[]): Promise<string> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#child.stdin.write(`${parts.join('\t')}\n`)
    })
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#ended !== null) return
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin.end()
    await closed
  }
}

/** A text as a part of a command, which holds no tab and no line break. */
export function escapePart(text: string): string {
  return text.replace(/[\\\t\r\n]/g, (found) => ESCAPES[found as keyof typeof ESCAPES])
}

const ESCAPES = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n' }

/** The reverse of {@link escapePart}. */
export function unescapePart(part: string): string {
  return part.replace(/\\(.)/g, (_, escaped) => ({ t: '\t', r: '\r', n: '\n' })[escaped as string] ?? escaped)
}
