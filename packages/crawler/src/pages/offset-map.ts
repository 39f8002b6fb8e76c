/**
 * Where records lie in a log that was rewritten. Everybody who knows a record knows the offset that it had when it was written; a
 * rewritten log keeps a table of those offsets and of where the records lie now (16 bytes a record, also in memory). What is
 * appended afterwards goes on counting from the old end.
 *
 *   log    = head record, records that were kept, table record, records appended since
 *   head   = 3, JSON, padded to {@link HEAD_BYTES}
 *   table  = 4, then for each kept record: old offset float64, offset float64
 *
 * The head is written with zeros for what is known at the end only, and completed then; a log is put in its place when it is whole.
 */

/** First bytes of the payloads. */
export const HEAD = 3
export const TABLE = 4
/** Bytes of a head's payload. */
export const HEAD_BYTES = 512

/** What the head of a rewritten log says. */
export interface RewriteHead {
  /** Of what, and why: a rewriting that was stopped goes on only where this is the same. */
  readonly purpose: string
  /** Raised whenever the records say something else than before, so that an index of them is filled anew. */
  readonly epoch: number
  /** Number of the last record of the log that was rewritten. */
  readonly sequence: number
  /** Its end. */
  readonly end: number
  /** Where the table lies; 0 while it is not written. */
  readonly table: number
}

/** The payload of a head. */
export function encodeHead(head: RewriteHead): Buffer {
  const payload = Buffer.alloc(HEAD_BYTES, ' ')
  payload[0] = HEAD
  payload.write(JSON.stringify(head), 1)
  return payload
}

/** The head in a payload; undefined for any other record. */
export function decodeHead(payload: Buffer): RewriteHead | undefined {
  if (payload[0] !== HEAD || payload.length !== HEAD_BYTES) return undefined
  return JSON.parse(payload.toString('utf8', 1)) as RewriteHead
}

/** See the head of this file. */
export class OffsetMap {
  /** Of a log that was never rewritten. */
  static readonly identity = new OffsetMap(undefined, new Float64Array(0), 0)

  readonly head: RewriteHead | undefined
  readonly #pairs: Float64Array
  /** Where the records lie that were appended since. */
  readonly #appended: number

  /** @param pairs old and new offset of each kept record, in order @param appended end of the table */
  constructor(head: RewriteHead | undefined, pairs: Float64Array, appended: number) {
    this.head = head
    this.#pairs = pairs
    this.#appended = appended
  }

  /** The map in a table's payload. */
  static decode(head: RewriteHead, payload: Buffer, end: number): OffsetMap {
    const pairs = new Float64Array((payload.length - 1) / 8)
    for (let i = 0; i < pairs.length; i++) pairs[i] = payload.readDoubleLE(1 + i * 8)
    return new OffsetMap(head, pairs, end)
  }

  /** The payload of a table. */
  static encode(pairs: readonly number[]): Buffer {
    const payload = Buffer.alloc(1 + pairs.length * 8)
    payload[0] = TABLE
    for (const [i, value] of pairs.entries()) payload.writeDoubleLE(value, 1 + i * 8)
    return payload
  }

  /** Records that were kept. */
  get kept(): number {
    return this.#pairs.length / 2
  }

  /** Where a record lies; undefined where it was not kept. */
  toPlace(offset: number): number | undefined {
    if (this.head === undefined) return offset
    if (offset >= this.head.end) return offset - this.head.end + this.#appended
    const at = this.#find(offset, 0)
    return this.#pairs[at] === offset ? this.#pairs[at + 1] : undefined
  }

  /** The offset by which a record is known; undefined for one that is none of a page. */
  toOffset(place: number): number | undefined {
    if (this.head === undefined) return place
    if (place >= this.#appended) return place - this.#appended + this.head.end
    const at = this.#find(place, 1)
    return this.#pairs[at + 1] === place ? this.#pairs[at] : undefined
  }

  /** The first pair whose old (0) or new (1) offset is not less. */
  #find(value: number, which: 0 | 1): number {
    let low = 0
    let high = this.#pairs.length / 2
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#pairs[middle * 2 + which]! < value) low = middle + 1
      else high = middle
    }
    return low * 2
  }
}
