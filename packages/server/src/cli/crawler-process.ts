/** A command of the crawler in a process of its own, so that neither its memory nor its faults touch the search server. */
import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const ENTRY = fileURLToPath(new URL('./crawler-entry.js', import.meta.url))

/** Milliseconds between the wish to stop and the kill. */
const STOP_TIMEOUT = 6_000
const MAX_LINE = 100_000

/** What the command says while it runs. */
export interface CrawlerListener {
  /** One line of standard output that is a JSON object: an event. */
  event(event: Readonly<Record<string, unknown>>): void
  /** Any other line, of standard output or standard error. */
  line(text: string): void
}

/** The running command. */
export class CrawlerProcess {
  readonly #child: ChildProcess
  #killed = false
  /** Resolves with the exit code; 1 where a signal ended it. */
  readonly done: Promise<number>

  /**
   * @param args the command and what follows it
   * @param env variables beside those of this process
   */
  constructor(args: readonly string[], listener: CrawlerListener, env: Readonly<Record<string, string>> = {}) {
    const child = fork(ENTRY, [...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A Ctrl-C in the terminal goes to its whole process group; the crawl gets it once, from us.
      detached: process.platform !== 'win32',
      // A young generation of 12 instead of 48 MB: the same CPU, 20 to 30 MB less at the peak.
      execArgv: ['--max-semi-space-size=4'],
    })
    this.#child = child
    const lines = [child.stdout, child.stderr].map((stream) => {
      const reader = createInterface({ input: stream!, crlfDelay: Number.POSITIVE_INFINITY })
      reader.on('line', (text) => report(text, listener))
      return new Promise<void>((resolve) => reader.once('close', resolve))
    })
    const ended = new Promise<number>((resolve) => {
      child.once('error', (error) => {
        listener.line(`The process could not be started: ${error.message}`)
        resolve(1)
      })
      child.once('exit', (code, signal) => {
        if (signal !== null && !this.#killed) listener.line(endedBy(signal))
        resolve(code ?? 1)
      })
    })
    this.done = ended.then(async (code) => {
      await Promise.race([Promise.all(lines), new Promise((resolve) => setTimeout(resolve, 500).unref())])
      return code
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Ends it in good order; it can be resumed. Kills it where that takes too long. */
  async stop(): Promise<number> {
    if (this.#child.connected) this.#child.send('stop', () => {})
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT)
    try {
      return await this.done
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends it at once. */
  kill(): void {
    this.#killed = true
    this.#child.kill('SIGKILL')
  }
}

function endedBy(signal: NodeJS.Signals): string {
  const why = signal === 'SIGKILL' ? ', as the system does where memory runs out' : ''
  return `The process was ended by the signal ${signal}${why}: the same command goes on where it stopped.`
}

function report(text: string, listener: CrawlerListener): void {
  if (text.trim() === '') return
  if (text.startsWith('{') && text.length <= MAX_LINE) {
    try {
      listener.event(JSON.parse(text))
      return
    } catch {
      // a line that only begins like an event
    }
  }
  listener.line(text.slice(0, MAX_LINE))
}
