/** What several steps share: the peak of memory, the documents, questions and their answers. */
import { readFileSync } from 'node:fs'
import { Document, Field, QueryParser, Term, TermQuery } from '../../dist/index.js'

const MiB = 2 ** 20

/** MiB of memory that the process had at most, all its threads included. */
export function peakMemory() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  } catch {
    // Not Linux.
    return process.resourceUsage().maxRSS / 1024
  }
}

/** Seconds of processor time of the process, all its threads included. */
export function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

export const rss = () => process.memoryUsage().rss / MiB

/** A document as a program would add it. */
export function toDocument({ id, kind, title, author, text }, number) {
  return new Document()
    .add(Field.keyword('id', id))
    .add(Field.text('title', title))
    .add(Field.keyword('author', author))
    .add(Field.facet('kind', kind))
    .add(Field.text('text', text))
    .add(Field.integer('length', text.length))
    .add(Field.date('added', Date.UTC(2020, 0, 1) + number * 60_000))
}

/** A document that nothing else is like. */
export function plantedDocument(number) {
  return new Document()
    .add(Field.keyword('id', `planted${number}`))
    .add(Field.text('text', `${plantedWord(number)} 種下的文字`))
}

/** The one document that tells how many there are, itself included. */
export function statusDocument(count) {
  return new Document().add(Field.keyword('id', 'status')).add(Field.integer('length', count))
}

export const plantedWord = (number) => `planted${number}x`
export const byId = (id) => new TermQuery(new Term('id', id))

/** Parses questions for title and text. */
export function parserFor(analyzer) {
  return new QueryParser({ field: { fields: { title: 2, text: 1 } }, analyzer, lenient: true })
}

/** Sorted milliseconds as a row of a table. */
export function latencyRow(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2))
  return { searches: sorted.length, '50 % ms': at(0.5), '90 % ms': at(0.9), '99 % ms': at(0.99), 'most ms': at(1) }
}

export function percentile(times, share) {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Milliseconds in classes that differ by 5 %, from 1 µs on. */
export class LogHistogram {
  #counts = new Uint32Array(512)
  #count = 0
  most = 0

  add(ms) {
    const place = Math.log(Math.max(1, ms * 1000)) / Math.log(1.05)
    this.#counts[Math.min(this.#counts.length - 1, Math.floor(place))]++
    this.#count++
    this.most = Math.max(this.most, ms)
  }

  /** Upper end of the class that the share of all reaches. */
  percentile(share) {
    let left = this.#count * share
    const place = this.#counts.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return 1.05 ** (place + 1) / 1000
  }
}

/** Ends the run with what was wrong. */
export function ensure(condition, message) {
  if (!condition) throw new Error(message)
}
