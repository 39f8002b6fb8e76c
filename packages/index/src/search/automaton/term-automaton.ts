/**
 * A deterministic automaton over the bytes of terms, made from a nondeterministic one as far as terms ask for it: a
 * pattern that would have 2^20 states costs what its terms meet. When what is known takes too much memory it is
 * forgotten and found again, so memory is bounded for any pattern and no pattern fails because of it.
 */
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../../codec/utf8.js'
import type { ByteNfa } from './byte-nfa.js'

/** No text that begins so is accepted. */
export const DEAD = -1
const UNKNOWN = -2

/** Numbers that are kept, at most: 4 bytes each. */
const MAX_NUMBERS = 1 << 21

/** Decides on terms, and knows where the next one can be. Shared by all who ask; nothing waits inside of a call. */
export class TermAutomaton {
  readonly #nfa: ByteNfa
  /** Bytes that no transition tells apart are one class. */
  readonly #classOf = new Uint8Array(256)
  readonly #bounds: readonly number[]
  readonly #classCount: number
  /** 1 for states of the other automaton that accept whatever follows. */
  readonly #openEnded: Uint8Array
  /** By state and class. */
  #table = new Int32Array(1024)
  /** By state: the states of the other automaton that it stands for. */
  #sets: Int32Array[] = []
  #flags: number[] = []
  /** By state: see `#findLive`; where it has been asked for. */
  #live: (Uint8Array | undefined)[] = []
  #ids = new Map<string, number>()
  #numbers = 0
  #epoch = 0
  #work = 0
  readonly #mark: Int32Array
  #stamp = 0
  readonly #stack: number[] = []
  readonly #found: number[] = []

  constructor(nfa: ByteNfa) {
    this.#nfa = nfa
    this.#mark = new Int32Array(nfa.size)
    this.#bounds = this.#classify()
    this.#classCount = this.#bounds.length
    this.#openEnded = this.#findOpenEnded()
    this.#forget()
  }

  /** The state before the first byte, or {@link DEAD} where nothing is accepted at all. States are valid for one epoch. */
  get start(): number {
    return this.#sets.length > 0 ? 0 : DEAD
  }

  /** Whether there is no term that is not accepted. */
  get acceptsEverything(): boolean {
    return this.start !== DEAD && this.acceptsAll(this.start)
  }

  /** Changes when states are forgotten. */
  get epoch(): number {
    return this.#epoch
  }

  /** Steps of the other automaton that were taken so far: what new states have cost. */
  get work(): number {
    return this.#work
  }

  /** The state behind a byte, or {@link DEAD}. All other states may be forgotten by it: then the epoch has changed. */
  step(state: number, byte: number): number {
    const at = state * this.#classCount + this.#classOf[byte]
    const known = this.#table[at]
    return known !== UNKNOWN ? known : this.#findStep(state, byte, at)
  }

  /** Whether a term may end here. */
  accepts(state: number): boolean {
    return this.#flags[state] !== 0
  }

  /** Whether every term that begins so is accepted. */
  acceptsAll(state: number): boolean {
    return this.#flags[state] === 2
  }

  /** The least byte ≥ `from` that leads on, or −1. */
  nextByte(state: number, from: number): number {
    if (from > 0xff) return -1
    const live = this.#live[state] ?? this.#findLive(state)
    const first = this.#classOf[from]
    if (live[first] === 1) return from
    for (let c = first + 1; c < live.length; c++) if (live[c] === 1) return this.#bounds[c]
    return -1
  }

  /** The first byte of each range of bytes that no transition tells apart. */
  get byteBounds(): readonly number[] {
    return this.#bounds
  }

  /** Whether a term is accepted. */
  test(term: string): boolean {
    const bytes = new Uint8Array(term.length * MAX_UTF8_BYTES_PER_UNIT)
    return this.testBytes(bytes, encodeUtf8(term, bytes))
  }

  /** Whether the term in `bytes[0 … length)` is accepted. */
  testBytes(bytes: Uint8Array, length: number): boolean {
    let state = this.start
    for (let i = 0; i < length && state !== DEAD; i++) {
      if (this.acceptsAll(state)) return true
      state = this.step(state, bytes[i])
    }
    return state !== DEAD && this.accepts(state)
  }

  /** Forgets all states but the first. */
  #forget(): void {
    this.#epoch++
    this.#table = new Int32Array(Math.max(1024, this.#classCount))
    this.#sets = []
    this.#flags = []
    this.#live = []
    this.#ids = new Map()
    this.#numbers = 0
    this.#stamp++
    this.#found.length = 0
    this.#reach(this.#nfa.start)
    this.#intern()
    this.#found.length = 0
  }

  #findStep(state: number, byte: number, at: number): number {
    const { offsets, lo, hi, to } = this.#nfa
    this.#stamp++
    this.#found.length = 0
    const set = this.#sets[state]
    for (const s of set) {
      for (let i = offsets[s]; i < offsets[s + 1]; i++) if (lo[i] <= byte && byte <= hi[i]) this.#reach(to[i])
    }
    this.#work += set.length + this.#found.length
    if (this.#numbers > MAX_NUMBERS) {
      const found = this.#found.slice()
      this.#forget()
      this.#found.push(...found)
      return this.#intern()
    }
    const next = this.#intern()
    this.#table[at] = next
    return next
  }

  /** Adds a state and what follows by empty transitions to those found. */
  #reach(state: number): void {
    const { accept, offsets, emptyOffsets, emptyTo } = this.#nfa
    const stack = this.#stack
    stack.push(state)
    while (stack.length > 0) {
      const s = stack.pop()!
      if (this.#mark[s] === this.#stamp) continue
      this.#mark[s] = this.#stamp
      // Those that only lead on by empty transitions tell nothing.
      if (s === accept || offsets[s + 1] > offsets[s]) this.#found.push(s)
      for (let i = emptyOffsets[s]; i < emptyOffsets[s + 1]; i++) stack.push(emptyTo[i])
    }
  }

  /** The number of the state that stands for those found. */
  #intern(): number {
    let found = this.#found
    if (found.length === 0) return DEAD
    const openEnded = found.find((s) => this.#openEnded[s] === 1)
    if (openEnded !== undefined) found = [openEnded]
    const set = Int32Array.from(found).sort()
    const key = set.join()
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#sets.length
    this.#ids.set(key, id)
    this.#sets.push(set)
    this.#live.push(undefined)
    this.#flags.push(openEnded !== undefined ? 2 : set.includes(this.#nfa.accept) ? 1 : 0)
    const end = (id + 1) * this.#classCount
    if (end > this.#table.length) {
      const grown = new Int32Array(this.#table.length * 2)
      grown.set(this.#table)
      this.#table = grown
    }
    this.#table.fill(UNKNOWN, id * this.#classCount, end)
    // A set lies here twice: as numbers and as the text of its key.
    this.#numbers += this.#classCount + 3 * set.length
    return id
  }

  /** The first byte of each class. */
  #classify(): number[] {
    const { lo, hi } = this.#nfa
    const begins = new Uint8Array(257)
    begins[0] = 1
    for (let i = 0; i < lo.length; i++) {
      begins[lo[i]] = 1
      begins[hi[i] + 1] = 1
    }
    const bounds: number[] = []
    for (let byte = 0; byte < 256; byte++) {
      if (begins[byte] === 1) bounds.push(byte)
      this.#classOf[byte] = bounds.length - 1
    }
    return bounds
  }

  /** 1 for each class of bytes that leads on from a state. */
  #findLive(state: number): Uint8Array {
    const { offsets, lo, hi } = this.#nfa
    const live = new Uint8Array(this.#classCount)
    for (const s of this.#sets[state]) {
      for (let i = offsets[s]; i < offsets[s + 1]; i++) live.fill(1, this.#classOf[lo[i]], this.#classOf[hi[i]] + 1)
    }
    this.#live[state] = live
    this.#numbers += this.#classCount >> 2
    return live
  }

  #findOpenEnded(): Uint8Array {
    const { size, offsets, lo, hi, to, ends } = this.#nfa
    const flags = new Uint8Array(size)
    for (let s = 0; s < size; s++) {
      if (ends[s] === 0) continue
      for (let i = offsets[s]; i < offsets[s + 1]; i++) if (lo[i] === 0 && hi[i] === 0xff && to[i] === s) flags[s] = 1
    }
    return flags
  }
}
