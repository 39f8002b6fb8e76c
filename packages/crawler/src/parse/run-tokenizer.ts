/**
 * parse5's tokenizer with its long states taken in runs. parse5 goes through the page a code point at a time and gives words and
 * white space apart; four fifths of a page are text, attribute values, names, comments and scripts, in which only a few
 * characters mean anything. Here such a state looks for the next of those and takes everything before it at once, as one text.
 * Tags as nearly all are written (names in lower case, `name="value"`) are taken whole, without a step for each of their parts.
 * Every decision stays with parse5: this class only answers where its default branch would be taken again and again.
 * It builds on protected members, so parse5 is pinned to an exact version; a test holds the tokens equal to those of the original.
 */

import { Token, Tokenizer } from 'parse5'
import { isMark, MIN_MARK } from './mark-names.js'

const NUL = 0x00
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const SLASH = 0x2f
const LESS_THAN = 0x3c
const EQUALS = 0x3d
const GREATER_THAN = 0x3e
const LOWER_A = 0x61
const LOWER_Z = 0x7a

/** Characters at which a run must end: those with a meaning in the state, and CR, which is read as LF. */
function stops(chars: string): Uint8Array {
  const table = new Uint8Array(64)
  table[NUL] = 1
  table[CR] = 1
  for (const char of chars) table[char.charCodeAt(0)] = 1
  return table
}

const DATA = stops('<&')
const RAW = stops('<')
const DOUBLE_QUOTED = stops('"&')
const SINGLE_QUOTED = stops("'&")
const COMMENT = stops('<-')
const NO_STOPS = stops('')

/** Characters of names that stay as they are: lower-case letters, digits, hyphen. */
const NAME = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-') NAME[char.charCodeAt(0)] = 1

function isName(code: number): boolean {
  return code < 128 && NAME[code] === 1
}

/** Where a name that begins before `from` ends. */
function endOfName(html: string, from: number): number {
  let i = from
  while (i < html.length && isName(html.charCodeAt(i))) i++
  return i
}

/** Where the next stop is; the length where there is none. */
function endOfRun(html: string, from: number, table: Uint8Array): number {
  const { length } = html
  let i = from
  while (i < length) {
    const code = html.charCodeAt(i)
    if (code < 64 && table[code] === 1) break
    i++
  }
  return i
}

/** A tokenizer whose character tokens are whole texts, white space included. */
export class RunTokenizer extends Tokenizer {
  /** True where an attribute marks parts of the page; see {@link isMark}. */
  hasMarks = false

  protected override _stateData(cp: number): void {
    if (cp < 64 && (cp < 0 || DATA[cp] === 1) && cp !== LF) {
      super._stateData(cp)
      if (cp === LESS_THAN) this.#takeTagOpen()
    } else this.#takeText(cp, DATA)
  }

  protected override _stateRcdata(cp: number): void {
    if (cp < 64 && (cp < 0 || DATA[cp] === 1) && cp !== LF) super._stateRcdata(cp)
    else this.#takeText(cp, DATA)
  }

  protected override _stateRawtext(cp: number): void {
    if (cp < 64 && (cp < 0 || RAW[cp] === 1) && cp !== LF) super._stateRawtext(cp)
    else this.#takeText(cp, RAW)
  }

  protected override _stateScriptData(cp: number): void {
    if (cp < 64 && (cp < 0 || RAW[cp] === 1) && cp !== LF) super._stateScriptData(cp)
    else this.#takeText(cp, RAW)
  }

  protected override _statePlaintext(cp: number): void {
    if (cp < 64 && (cp < 0 || NO_STOPS[cp] === 1) && cp !== LF) super._statePlaintext(cp)
    else this.#takeText(cp, NO_STOPS)
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    if (cp < 64 && (cp < 0 || DOUBLE_QUOTED[cp] === 1) && cp !== LF) super._stateAttributeValueDoubleQuoted(cp)
    else this.#takeRun(cp, DOUBLE_QUOTED)
  }

  protected override _stateAttributeValueSingleQuoted(cp: number): void {
    if (cp < 64 && (cp < 0 || SINGLE_QUOTED[cp] === 1) && cp !== LF) super._stateAttributeValueSingleQuoted(cp)
    else this.#takeRun(cp, SINGLE_QUOTED)
  }

  protected override _stateComment(cp: number): void {
    if (cp < 64 && (cp < 0 || COMMENT[cp] === 1) && cp !== LF) super._stateComment(cp)
    else this.#takeRun(cp, COMMENT)
  }

  protected override _stateTagName(cp: number): void {
    if (!isName(cp)) {
      super._stateTagName(cp)
      return
    }
    ;(this.currentToken as Token.TagToken).tagName += this.#takeName()
    const next = this.#next()
    if (next !== GREATER_THAN && next !== SPACE) return
    this.preprocessor.pos++
    super._stateTagName(next)
    if (next === SPACE && isName(this.#next())) {
      this.preprocessor.pos++
      this._stateBeforeAttributeName(this.preprocessor.html.charCodeAt(this.preprocessor.pos))
    }
  }

  protected override _stateBeforeAttributeName(cp: number): void {
    if (!isName(cp) || !this.#takeAttributes()) super._stateBeforeAttributeName(cp)
  }

  protected override _stateAttributeName(cp: number): void {
    if (isName(cp)) {
      const name = this.#takeName()
      this.currentAttr.name += name
      if (name.length >= MIN_MARK && isMark(name)) this.hasMarks = true
    } else super._stateAttributeName(cp)
  }

  /** White space is text like any other; only NUL keeps a token of its own. */
  protected override _emitCodePoint(cp: number): void {
    this._ensureCharacterToken(cp === NUL ? Token.TokenType.NULL_CHARACTER : Token.TokenType.CHARACTER)
    this._extendRun(cp)
  }

  /** The character behind the current one, as it stands in the page; NaN at its end. */
  #next(): number {
    return this.preprocessor.html.charCodeAt(this.preprocessor.pos + 1)
  }

  /** Behind `<`: the begin of a start or end tag whose name is in lower case. */
  #takeTagOpen(): void {
    const { preprocessor } = this
    let next = this.#next()
    const closes = next === SLASH
    if (closes) next = preprocessor.html.charCodeAt(preprocessor.pos + 2)
    if (!(next >= LOWER_A && next <= LOWER_Z)) return
    preprocessor.pos += closes ? 2 : 1
    if (closes) super._stateEndTagOpen(next)
    else super._stateTagOpen(next)
  }

  #takeText(cp: number, table: Uint8Array): void {
    this._ensureCharacterToken(Token.TokenType.CHARACTER)
    this.#takeRun(cp, table)
  }

  /** The current code point and all that follow up to the next stop. */
  #takeRun(cp: number, table: Uint8Array): void {
    this._extendRun(cp)
    const { preprocessor } = this
    const { html } = preprocessor
    const i = endOfRun(html, preprocessor.pos + 1, table)
    if (i === preprocessor.pos + 1) return
    // after a CR the next LF must go by the preprocessor, which drops it
    if (cp === LF && html.charCodeAt(preprocessor.pos) === CR) return
    preprocessor.pos = i - 1
    this.runEnd = i
  }

  /**
   * The attribute that begins here, and those behind it, where they are as nearly all are: `name="value"` with nothing in them that
   * means anything. Returns false, and takes nothing, where already the first is another one.
   */
  #takeAttributes(): boolean {
    const { preprocessor } = this
    const { html } = preprocessor
    let end = -1
    for (let start = preprocessor.pos; ; ) {
      const i = endOfName(html, start)
      if (i === start || html.charCodeAt(i) !== EQUALS) break
      const quote = html.charCodeAt(i + 1)
      if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) break
      const table = quote === DOUBLE_QUOTE ? DOUBLE_QUOTED : SINGLE_QUOTED
      const j = endOfRun(html, i + 2, table)
      if (html.charCodeAt(j) !== quote) break
      const name = html.slice(start, i)
      if (name.length >= MIN_MARK && isMark(name)) this.hasMarks = true
      this._createAttr(name)
      this._leaveAttrName()
      this.currentAttr.value = html.slice(i + 2, j)
      end = j
      start = j + 2
      if (html.charCodeAt(j + 1) !== SPACE) break
    }
    if (end < 0) return false
    preprocessor.pos = end
    super._stateAttributeValueDoubleQuoted(DOUBLE_QUOTE)
    if (html.charCodeAt(end + 1) === GREATER_THAN) {
      preprocessor.pos++
      super._stateAfterAttributeValueQuoted(GREATER_THAN)
    }
    return true
  }

  #takeName(): string {
    const { preprocessor } = this
    const { html } = preprocessor
    const start = preprocessor.pos
    const i = endOfName(html, start + 1)
    preprocessor.pos = i - 1
    return html.slice(start, i)
  }
}
