/** Finds the form of a login page: where it is sent, and the hidden fields that have to go along (tokens against forgery). */

import { type Token, Tokenizer, TokenizerMode } from 'parse5'

/** A form that can be filled in. */
export interface LoginForm {
  /** as in the page; empty where the page itself takes it */
  readonly action: string
  /** fields with the values that the page gives them */
  readonly values: ReadonlyMap<string, string>
}

interface OpenForm {
  readonly action: string
  readonly values: Map<string, string>
  /** names of all fields, also of those that are sent only when they are chosen */
  readonly names: Set<string>
}

/** Contents that hold no tags. */
const RAW = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['style', TokenizerMode.RAWTEXT],
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
])
/** Fields that a form sends only when they are chosen or pressed. */
const NOT_SENT = new Set(['submit', 'button', 'image', 'reset', 'file'])

/** The first form of a page that has all the fields, or undefined. */
export function findLoginForm(page: string, fields: readonly string[]): LoginForm | undefined {
  let open: OpenForm | undefined
  let found: LoginForm | undefined
  const close = (): void => {
    if (open !== undefined && fields.every((name) => open!.names.has(name))) found ??= open
    open = undefined
  }
  const ignore = (): void => {}
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: (tag: Token.TagToken) => {
        const mode = RAW.get(tag.tagName)
        if (mode !== undefined) {
          tokenizer.state = mode
          tokenizer.lastStartTagName = tag.tagName
        }
        if (tag.tagName === 'form') {
          close()
          open = { action: attribute(tag, 'action') ?? '', values: new Map(), names: new Set() }
        } else if (open !== undefined) addField(open, tag)
      },
      onEndTag: ({ tagName }: Token.TagToken) => {
        if (tagName === 'form') close()
      },
      onEof: close,
      onComment: ignore,
      onDoctype: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    },
  )
  tokenizer.write(page, true)
  return found
}

function addField(form: OpenForm, tag: Token.TagToken): void {
  if (tag.tagName !== 'input' && tag.tagName !== 'textarea' && tag.tagName !== 'select') return
  const name = attribute(tag, 'name')
  if (name === undefined || name === '') return
  form.names.add(name)
  const type = attribute(tag, 'type')?.toLowerCase() ?? 'text'
  if (tag.tagName !== 'input' || NOT_SENT.has(type)) return
  const choice = type === 'checkbox' || type === 'radio'
  if (choice && attribute(tag, 'checked') === undefined) return
  form.values.set(name, attribute(tag, 'value') ?? (choice ? 'on' : ''))
}

function attribute({ attrs }: Token.TagToken, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value
}
