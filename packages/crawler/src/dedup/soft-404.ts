/**
 * Servers that answer 200 with “not found” for whatever they do not have. Where a page looks like that, or like another page of
 * its host, its host is asked once for an address that cannot exist. An honest 404 ends the matter. Otherwise the answer is
 * remembered, and whatever is as good as equal to it is no page.
 *
 * The question costs one request a host at most, and none on hosts whose pages give no cause.
 */
import { randomBytes } from 'node:crypto'
import { hostOf } from '../frontier/workload.js'
import type { ParsedPage } from '../parse/parsed-page.js'

/** Asks for an address; undefined where there is no answer that is a page. */
export type Probe = (url: string) => Promise<ParsedPage | undefined>

/** What such pages say of themselves, in the title or at the beginning of the text. */
const CONFESSION =
  /\b(?:404|not[ -]found|cannot be found|could not be found|does ?n[o']t exist|no longer (?:exists|available)|nothing (?:was )?found|nicht gefunden|existiert nicht|introuvable|n'existe pas|no encontrad[ao]|non trovat[ao])\b|找不到|未找到|不存在|無法找到|无法找到|沒有找到|没有找到|見つかりません|찾을 수 없/i
const BEGINNING = 400
/** Longer pages are no messages. */
const MAX_MESSAGE = 5000
/** Characters that an address in the text may make of a difference. */
const MAX_DIFFERENCE = 500
/** Part of the words of both that two pages must share where they say “not found” themselves … */
const SIMILAR = 0.9
/** … and where they do not: a short page in a large frame differs in a few words from one that is missing. */
const EQUAL = 1
const MAX_WORDS = 3000
const WORD = /[\p{L}\p{N}]+/gu
const HAN = /\p{Script=Han}/u
/** Pages of a host that are remembered to see the second one that is the same. */
const MAX_CONTENTS = 256
const MAX_HOSTS = 1000

interface HostState {
  readonly contents: Set<number>
  /** The page for what does not exist; undefined where the host is honest or was not asked. */
  verdict: Promise<Sample | undefined> | undefined
}

interface Sample {
  readonly words: ReadonlySet<string>
  /** Characters of the text. */
  readonly length: number
}

/** See the head of this file. */
export class Soft404 {
  readonly #hosts = new Map<string, HostState>()

  /**
   * True for a page that says that there is none.
   * @param url canonical address; the root of a host is always a page
   * @param content hash of the body
   * @param probe asks the host, politely
   */
  async isNotFound(url: string, page: ParsedPage, content: number, probe: Probe): Promise<boolean> {
    if (page.kind !== 'html' || isRoot(url)) return false
    const host = this.#host(hostOf(url))
    if (host.verdict === undefined && (confesses(page) || isRepeated(host, content))) {
      const missing = sibling(url)
      host.verdict = probe(missing).then((answer) =>
        answer === undefined ? undefined : { words: wordsOf(missing, answer), length: answer.text.length },
      )
    }
    const sample = await host.verdict
    if (sample === undefined) return false
    // Most pages are told apart by their size alone.
    const { length } = page.text
    if (Math.abs(length - sample.length) > MAX_DIFFERENCE + Math.max(length, sample.length) / 4) return false
    return similarity(sample.words, wordsOf(url, page)) >= (confesses(page) ? SIMILAR : EQUAL)
  }

  #host(name: string): HostState {
    let host = this.#hosts.get(name)
    if (host === undefined) {
      if (this.#hosts.size >= MAX_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!)
      host = { contents: new Set(), verdict: undefined }
      this.#hosts.set(name, host)
    }
    return host
  }
}

/** An address in the same folder that nobody has made. */
function sibling(url: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${randomBytes(12).toString('hex')}`
}

function isRoot(url: string): boolean {
  return url.indexOf('/', url.indexOf('//') + 2) === url.length - 1
}

function confesses({ title, text }: ParsedPage): boolean {
  return text.length <= MAX_MESSAGE && (CONFESSION.test(title) || CONFESSION.test(text.slice(0, BEGINNING)))
}

function isRepeated({ contents }: HostState, content: number): boolean {
  if (contents.has(content)) return true
  if (contents.size < MAX_CONTENTS) contents.add(content)
  return false
}

/** The words of title and text without those of the address, which such pages like to repeat. */
function wordsOf(url: string, { title, text }: ParsedPage): ReadonlySet<string> {
  const own = new Set(decode(url).toLowerCase().match(WORD))
  const words = new Set<string>()
  for (const [word] of `${title}\n${text}`.toLowerCase().matchAll(WORD)) {
    if (words.size >= MAX_WORDS) break
    if (own.has(word)) continue
    // A sentence of Chinese is one run of letters: its characters are what can be compared.
    if (HAN.test(word)) for (const char of word) words.add(char)
    else words.add(word)
  }
  return words
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 1 : shared / all
}
