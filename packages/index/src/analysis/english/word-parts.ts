/**
 * What a word is made of, where it is a name of programs and machines: `img_data_ttl`, `parseHTML`, `os.path.join`,
 * and of a version `3.11.2` what it is a version of, `3.11`. Searched for a part, the whole is found.
 */

/** Most parts of one word. */
const MAX_PARTS = 16

const UPPER = 1
const LOWER = 2
const DIGIT = 3
const SEPARATOR = 4

/** Finds the parts of one word at a time; make one and use it again. */
export class WordParts {
  /** Parts of the word given last. */
  count = 0
  readonly starts = new Int32Array(MAX_PARTS)
  readonly ends = new Int32Array(MAX_PARTS)
  /** Whether every character but separators is in one of the parts, so that they stand for the word. */
  complete = false

  /**
   * @param text the text as it was written, of which the word is the range from `start` to `end`
   * @returns whether there are parts: two or more, or one that is not the whole
   */
  split(text: string, start: number, end: number): boolean {
    this.count = 0
    this.complete = true
    let letters = false
    let from = start
    let before = 0
    for (let i = start; i < end; i++) {
      const kind = kindOf(text.charCodeAt(i))
      if (kind === SEPARATOR) {
        this.#add(from, i)
        from = i + 1
      } else if (kind === UPPER) {
        const after = i + 1 < end ? kindOf(text.charCodeAt(i + 1)) : SEPARATOR
        // parse|HTML and HTML|Parser
        if (before === LOWER || (before === UPPER && after === LOWER)) {
          if (i > from) this.#add(from, i)
          from = i
        }
      }
      if (kind === UPPER || kind === LOWER) letters = true
      before = kind
    }
    if (from === start) return false
    this.#add(from, end)
    if (!letters) this.#versions(text, start, end)
    return this.count > 0
  }

  #add(from: number, to: number): void {
    if (to === from) return
    if (to - from < 2 || this.count === MAX_PARTS) {
      this.complete = false
      return
    }
    this.starts[this.count] = from
    this.ends[this.count++] = to
  }

  /** Of a number with two full stops or more: its beginnings that have one. */
  #versions(text: string, start: number, end: number): void {
    this.count = 0
    this.complete = false
    let stops = 0
    for (let i = start; i < end && this.count < MAX_PARTS; i++) {
      const code = text.charCodeAt(i)
      if (code >= 48 && code <= 57) continue
      if (code !== 46) {
        this.count = 0
        return
      }
      if (++stops >= 2) {
        this.starts[this.count] = start
        this.ends[this.count++] = i
      }
    }
  }
}

/** Letters without case and of other scripts count as small ones: nothing is cut behind them but at separators. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  return code === 95 || code === 46 || code === 58 ? SEPARATOR : code < 128 ? 0 : LOWER
}
