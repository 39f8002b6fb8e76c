/** Sizes of the queues and of their reasons, kept with every change and never recounted: `complete`, `complete/fetched`, … */
import type { SqlValue } from './sqlite.js'
import type { Tally } from './workload.js'

/** See the head of this file. */
export class SqliteCounters {
  readonly #values = new Map<string, number>()
  readonly #changed = new Set<string>()

  /** Takes the rows of the table; what was not written is given up. */
  load(rows: readonly SqlValue[][]): void {
    this.#values.clear()
    this.#changed.clear()
    for (const [name, value] of rows) this.#values.set(String(name), Number(value))
  }

  get(name: string): number {
    return this.#values.get(name) ?? 0
  }

  add(name: string, by: number): void {
    if (by === 0) return
    this.#values.set(name, this.get(name) + by)
    this.#changed.add(name)
  }

  /** Hands over what has changed. */
  write(set: (name: string, value: number) => void): void {
    for (const name of this.#changed) set(name, this.get(name))
    this.#changed.clear()
  }

  tally(): Tally {
    const tally = {
      complete: new Map<string, number>(),
      error: new Map<string, number>(),
      skipped: new Map<string, number>(),
    }
    for (const [name, value] of this.#values) {
      const slash = name.indexOf('/')
      const kind = name.slice(0, slash)
      if (value > 0 && (kind === 'complete' || kind === 'error' || kind === 'skipped')) {
        tally[kind].set(name.slice(slash + 1), value)
      }
    }
    return tally
  }
}
