/**
 * An address for people: host, then the folders as a trail, escapes decoded where that gives readable text.
 * An international host name is shown in its own script only where each label keeps to one script family, so that a
 * look-alike name shows as punycode.
 */
import { domainToUnicode } from 'node:url'
import { cleanText } from '../http/query-fields.js'
import { cutText } from './search-request.js'

const MAX_STEP = 60
const MAX_STEPS = 5
/** Scripts that are written together (UTS #39 §5.1, highly restrictive, without Latin mixed in). */
const LABEL_SCRIPTS = [
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}0-9ー-]+$/u,
  /^[a-z\u00df-\u00f6\u00f8-\u00ff0-9-]+$/u,
]

/** An address in parts, and what may be linked to. */
export interface DisplayAddress {
  /** Safe for an `href`, or '' where the address is not http(s). */
  readonly href: string
  readonly host: string
  /** The folders and the page's own name, shortened; the query string ends the last one. */
  readonly steps: readonly string[]
}

function displayHost(url: URL): string {
  const unicode = domainToUnicode(url.hostname)
  const readable =
    unicode !== '' && unicode.split('.').every((label) => LABEL_SCRIPTS.some((script) => script.test(label)))
  const host = readable ? unicode : url.hostname
  return url.port === '' ? host : `${host}:${url.port}`
}

function readableStep(step: string): string {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // escapes of another encoding than UTF-8 stay as they are
  }
  text = cleanText(text)
  return text.length > MAX_STEP ? `${cutText(text, MAX_STEP - 1)}…` : text
}

/** Never throws; an address that cannot be parsed or is not http(s) gets no `href`. */
export function displayAddress(address: string): DisplayAddress {
  if (!URL.canParse(address)) return { href: '', host: cutText(cleanText(address), MAX_STEP), steps: [] }
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { href: '', host: cutText(cleanText(address), MAX_STEP), steps: [] }
  }
  const steps = url.pathname.split('/').filter((step) => step !== '')
  const last = steps.pop()
  if (last !== undefined) steps.push(last + url.search)
  else if (url.search !== '') steps.push(url.search)
  const shown = steps.length <= MAX_STEPS ? steps : [...steps.slice(0, 2), '…', ...steps.slice(3 - MAX_STEPS)]
  return { href: url.href, host: displayHost(url), steps: shown.map(readableStep) }
}
