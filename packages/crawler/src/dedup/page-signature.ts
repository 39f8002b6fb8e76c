/** What is kept of a page to know its duplicates by. */
import { hash } from 'node:crypto'
import type { StoredPage } from '../pages/stored-page.js'
import { pageTokens } from './page-tokens.js'
import { MIN_CORE } from './same-core.js'
import { type Simhash, simhash } from './simhash.js'

/** See the head of this file. */
export interface PageSignature {
  /** Equal for two pages exactly where they are the same: by bytes, or by title and text where there is enough of it. */
  readonly key: string
  /** Undefined for a page that is too short, or of a kind, to be compared with others. */
  readonly simhash: Simhash | undefined
}

/** Tokens from which on title and text say that two pages are the same; shorter ones may differ in a picture alone. */
const MIN_TEXT = 40

/** About 10 ns a character. */
export function pageSignature({ url, parsed, hash: body, truncated }: StoredPage): PageSignature {
  // The beginnings of two pages say nothing of their ends.
  if (truncated) return { key: `u${url}`, simhash: undefined }
  const { kind, title, text } = parsed
  const tokens = pageTokens(text)
  if (tokens.length < MIN_TEXT || parsed.textTruncated === true)
    return { key: `b${body.slice(0, 32)}`, simhash: undefined }
  const isCompared = tokens.length >= MIN_CORE && (kind === 'html' || kind === 'text')
  return {
    key: `t${hash('md5', `${kind}\n${title}\n${text.replace(/\s+/g, ' ')}`, 'base64').slice(0, 22)}`,
    simhash: isCompared ? simhash(tokens) : undefined,
  }
}
