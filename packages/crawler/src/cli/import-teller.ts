/** What `spindle index` and `spindle import` tell. */
import { counted } from '@spindle/core'
import type { ImportEvent, ImportReport } from '../import/importer.js'
import { sum } from '../report/crawl-report.js'
import type { WarcReport } from '../warc/warc-importer.js'
import { LineBuffer } from './line-buffer.js'

/** Files that could not be taken in, named one by one. */
const MAX_TOLD = 20

/** For people: failures one by one on standard error, the table on standard output. */
export class Teller {
  readonly #data: string
  #told = 0

  constructor(data: string) {
    this.#data = data
  }

  say(line: string): void {
    process.stderr.write(`${line}\n`)
  }

  tell(event: ImportEvent): void {
    if (event.type === 'empty') this.say(`${event.url} is empty: what was taken in from there stays in the index.`)
    if (event.type !== 'failed') return
    this.#told++
    if (this.#told <= MAX_TOLD) this.say(`${event.url}: ${event.reason} (${event.detail})`)
    else if (this.#told === MAX_TOLD + 1) this.say('… further ones are only counted; --json tells them all.')
  }

  done(report: ImportReport & Partial<WarcReport>, documents: number, seconds: number): void {
    const { indexed, unchanged, removed, failed, skipped = {} } = report
    const rows: [string, number, string][] = [
      ['indexed', indexed, 'new or changed'],
      ['unchanged', unchanged, 'not read again'],
      ['removed', removed, 'gone since'],
      ['failed', sum(failed), byReason(failed)],
      ['skipped', sum(skipped), byReason(skipped)],
    ]
    const lines = rows
      .filter(([, count], i) => count > 0 || i === 0)
      .map(([name, count, note]) => {
        return `${name.padEnd(9)} ${String(count).padStart(7)}  ${note}`
      })
    lines.push(`${counted(documents, 'document')} can be found in ${this.#data} (${seconds.toFixed(1)} s)`)
    process.stdout.write(`${lines.join('\n')}\n`)
  }

  end(): void {}
}

/** For programs: one event a line. */
export class JsonTeller {
  readonly #lines = new LineBuffer(process.stdout)

  say(): void {}

  tell(event: ImportEvent): void {
    this.#lines.write(JSON.stringify(event))
  }

  done(report: ImportReport, documents: number, seconds: number): void {
    this.#lines.write(
      JSON.stringify({ type: 'done', ...report, documents, seconds: Math.round(seconds * 1000) / 1000 }),
    )
    this.#lines.flush()
  }

  end(): void {
    this.#lines.flush()
  }
}

function byReason(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ')
}
