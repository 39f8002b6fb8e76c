/**
 * parse5's tokenizer, with what pages mostly are taken in large pieces: text up to the next character that means anything, and tags
 * as nearly all are written (`tag-scanner.ts`) as a whole. parse5 goes through a page a code point at a time, each by way of a
 * state, and gives words and white space apart. Wherever something else stands, the decision is parse5's: a state here only answers
 * where its default branch would be taken again and again.
 * It builds on protected members, so parse5 is pinned to an exact version; a test holds the tokens equal to those of the original.
 */

import { Token, type TokenHandler, Tokenizer, TokenizerMode, type TokenizerOptions } from 'parse5'
import { isMark, MIN_MARK } from './mark-names.js'
import { withUnits } from './page-units.js'
import { ReferenceScanner } from './reference-scanner.js'
import { TagScanner } from './tag-scanner.js'

const NUL = 0x00
const AMPERSAND = 0x26
const LESS_THAN = 0x3c

/** Characters at which a run must end: those with a meaning in the state. */
function stops(chars: string): Uint8Array {
  const table = new Uint8Array(64)
  table[NUL] = 1
  for (const char of chars) table[char.charCodeAt(0)] = 1
  return table
}

const DATA = stops('<&')
const RAW = stops('<')
const DOUBLE_QUOTED = stops('"&')
const SINGLE_QUOTED = stops("'&")
const DASHES = stops('<-')
const NO_STOPS = stops('')

/** Characters of attribute names that stay as they are: lower-case letters, digits, hyphen. */
const NAME = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-') NAME[char.charCodeAt(0)] = 1

function isName(code: number): boolean {
  return code < 128 && NAME[code] === 1
}

/** Where the next stop is: the 0 behind the page is one. */
function endOfRun(units: Uint16Array, from: number, table: Uint8Array): number {
  for (let i = from; ; i++) {
    const code = units[i]!
    if (code < 64 && table[code] === 1) return i
  }
}

const NO_UNITS = new Uint16Array(1)

/** Takes the tokens of a page. */
export interface RunHandler extends TokenHandler {
  /**
   * Text as it stands in the page from `start` up to `end`.
   * @param units of the page; not to be kept
   */
  onText(page: string, units: Uint16Array, start: number, end: number): void
}

/** A tokenizer of one page whose character tokens are whole texts, white space included. Its tokens are not to be kept. */
export class RunTokenizer extends Tokenizer {
  readonly #handler: RunHandler
  readonly #tags = new TagScanner()
  readonly #references = new ReferenceScanner()
  readonly #character: Token.CharacterToken = { type: Token.TokenType.CHARACTER, chars: '', location: null }
  #units: Uint16Array = NO_UNITS
  #hasMarks = false

  constructor(options: TokenizerOptions, handler: RunHandler) {
    super(options, handler)
    this.#handler = handler
  }

  /** True where an attribute marks parts of the page; see {@link isMark}. */
  get hasMarks(): boolean {
    return this.#hasMarks || this.#tags.hasMarks
  }

  /** Reads a page; call once. */
  read(page: string): void {
    // The page is there as a whole, so none of it need be dropped; and line ends are read as the standard has it, 13.2.3.5.
    this.preprocessor.bufferWaterline = page.length
    const text = page.includes('\r') ? page.replace(/\r\n?/g, '\n') : page
    withUnits(text, (units) => {
      this.#units = units
      this.write(text, true)
    })
    this.#units = NO_UNITS
  }

  protected override _stateData(cp: number): void {
    if (!this.#takePlain(cp)) super._stateData(cp)
  }

  protected override _stateRcdata(cp: number): void {
    if (!this.#takeText(cp, DATA)) super._stateRcdata(cp)
  }

  protected override _stateRawtext(cp: number): void {
    if (!this.#takeText(cp, RAW)) super._stateRawtext(cp)
  }

  protected override _stateScriptData(cp: number): void {
    if (!this.#takeText(cp, RAW)) super._stateScriptData(cp)
  }

  protected override _stateScriptDataEscaped(cp: number): void {
    if (!this.#takeText(cp, DASHES)) super._stateScriptDataEscaped(cp)
  }

  protected override _statePlaintext(cp: number): void {
    if (!this.#takeText(cp, NO_STOPS)) super._statePlaintext(cp)
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    if (!this.#takeRun(cp, DOUBLE_QUOTED)) super._stateAttributeValueDoubleQuoted(cp)
  }

  protected override _stateAttributeValueSingleQuoted(cp: number): void {
    if (!this.#takeRun(cp, SINGLE_QUOTED)) super._stateAttributeValueSingleQuoted(cp)
  }

  protected override _stateComment(cp: number): void {
    if (!this.#takeRun(cp, DASHES)) super._stateComment(cp)
  }

  protected override _stateAttributeName(cp: number): void {
    if (isName(cp)) {
      const name = this.#takeName()
      this.currentAttr.name += name
      if (name.length >= MIN_MARK && isMark(name)) this.#hasMarks = true
    } else super._stateAttributeName(cp)
  }

  /** White space is text like any other; only NUL keeps a token of its own. */
  protected override _emitCodePoint(cp: number): void {
    this._ensureCharacterToken(cp === NUL ? Token.TokenType.NULL_CHARACTER : Token.TokenType.CHARACTER)
    this._extendRun(cp)
  }

  /**
   * Plain tags, and the text and plain references between them, as far as they go from the current code point on.
   * @returns false where there are none
   */
  #takePlain(cp: number): boolean {
    if (cp <= NUL) return false
    const { preprocessor } = this
    const { html } = preprocessor
    const start = preprocessor.pos - (cp > 0xffff ? 1 : 0)
    const end = this.#emitPlain(html, start)
    if (end === start) return false
    preprocessor.pos = end - 1
    return true
  }

  /** Returns where it ends. */
  #emitPlain(page: string, start: number): number {
    const units = this.#units
    let i = start
    while (this.state === TokenizerMode.DATA) {
      const first = units[i]!
      const end =
        first === LESS_THAN
          ? this.#tags.scan(page, units, i) + 1
          : first === AMPERSAND
            ? this.#references.scan(units, i)
            : endOfRun(units, i, DATA)
      if (end <= i) break
      if (this.currentCharacterToken !== null) this._emitCurrentCharacterToken(null)
      if (first === LESS_THAN) this.#emitTag(this.#tags.token)
      else if (first === AMPERSAND) {
        this.#character.chars = this.#references.character
        this.#handler.onCharacter(this.#character)
      } else this.#handler.onText(page, units, i, end)
      i = end
    }
    return i
  }

  #emitTag(tag: Token.TagToken): void {
    if (tag.type === Token.TokenType.START_TAG) {
      this.lastStartTagName = tag.tagName
      this.#handler.onStartTag(tag)
    } else this.#handler.onEndTag(tag)
  }

  /** Text up to the next stop; false where it would begin with one. */
  #takeText(cp: number, table: Uint8Array): boolean {
    if (cp < 64 && (cp < 0 || table[cp] === 1)) return false
    this._ensureCharacterToken(Token.TokenType.CHARACTER)
    return this.#takeRun(cp, table)
  }

  /** The current code point and all that follow up to the next stop; false where it is one. */
  #takeRun(cp: number, table: Uint8Array): boolean {
    if (cp < 64 && (cp < 0 || table[cp] === 1)) return false
    this._extendRun(cp)
    const { preprocessor } = this
    const end = endOfRun(this.#units, preprocessor.pos + 1, table)
    preprocessor.pos = end - 1
    this.runEnd = end
    return true
  }

  #takeName(): string {
    const { preprocessor } = this
    const { html } = preprocessor
    const start = preprocessor.pos
    let end = start + 1
    while (end < html.length && isName(html.charCodeAt(end))) end++
    preprocessor.pos = end - 1
    return html.slice(start, end)
  }
}
