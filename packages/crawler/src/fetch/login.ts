/**
 * The session of a site behind a form: logs in before the first page, notices when the session has ended, and logs in again.
 * The form's hidden fields go along. What is filled in is sent to the origin of the login page alone, and is in no message.
 * A login that did not work is not tried again in this run: more tries could lock the account.
 */

import { resolveUrl } from '@spindle/core'
import { decodeText } from '../parse/decode-text.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'
import { findLoginForm } from './login-form.js'

/** How to log in to a site. */
export interface LoginSettings {
  /** the page with the form, or the address that takes the fields */
  readonly url: string
  /** what is filled in, by the names of the fields */
  readonly fields: Readonly<Record<string, string>>
  /** page that shows whether it worked; default the one that comes after the form */
  readonly checkUrl?: string | undefined
  /** text of that page that only somebody logged in sees */
  readonly checkText?: string | undefined
  /** text of the page that comes in place of any other when the session has ended */
  readonly loggedOutText?: string | undefined
}

/** Sends one request with the cookies and headers of its site, following nothing. */
export type LoginRequest = (url: string, form?: string) => Promise<FetchResult>

const MAX_REDIRECTS = 10
/** Logins in a row that made no difference, after which pages are taken as they come … */
const MAX_USELESS = 3
/** … for this long, milliseconds. */
const PATIENCE_MS = 10 * 60_000
/** After a login that failed through the network, milliseconds until the next one. */
const RETRY_MS = 60_000

/** See the head of this file. */
export class LoginSession {
  readonly #origin: string
  readonly #settings: LoginSettings
  readonly #send: LoginRequest
  readonly #now: () => number
  #running: Promise<void> | undefined
  #failure: { readonly error: FetchError; readonly until: number } | undefined
  #count = 0
  #useless = 0
  #lastAt = 0

  /** @param origin of the site */
  constructor(
    origin: string,
    settings: LoginSettings,
    send: LoginRequest,
    now: () => number = () => performance.now(),
  ) {
    this.#origin = origin
    this.#settings = settings
    this.#send = send
    this.#now = now
  }

  /** Logins so far: a page asked for before the last one may have met the session before. */
  get count(): number {
    return this.#count
  }

  /** Resolves when logged in. @throws FetchError `login-failed` */
  async ready(): Promise<void> {
    if (this.#count === 0) await this.#logIn()
  }

  /** True where an answer says that nobody is logged in. */
  hasEnded(result: FetchResult): boolean {
    if (result.status === 401) return true
    if (result.location !== undefined) return samePlace(result.location, this.#settings.url)
    const { loggedOutText } = this.#settings
    return loggedOutText !== undefined && result.status < 300 && textOf(result).includes(loggedOutText)
  }

  /**
   * Logs in again, where nobody else did after login number `count`.
   * @returns false where that is known to make no difference
   * @throws FetchError `login-failed`
   */
  async renew(count: number): Promise<boolean> {
    if (this.#count > count) return true
    if (this.#useless >= MAX_USELESS && this.#now() - this.#lastAt < PATIENCE_MS) return false
    await this.#logIn()
    return true
  }

  /** Tells whether a login made a difference to the page that asked for it. */
  made(difference: boolean): void {
    this.#useless = difference ? 0 : this.#useless + 1
  }

  async #logIn(): Promise<void> {
    const failure = this.#failure
    if (failure !== undefined && this.#now() < failure.until) throw failure.error
    this.#running ??= this.#try().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async #try(): Promise<void> {
    this.#lastAt = this.#now()
    try {
      await this.#perform()
      this.#count++
      this.#failure = undefined
    } catch (error) {
      if (!(error instanceof FetchError) || error.reason === 'aborted') throw error
      const transient = error.reason !== 'login-failed' && error.retryable
      const failed = error.reason === 'login-failed' ? error : this.#failed(`it could not be reached (${error.reason})`)
      this.#failure = { error: failed, until: transient ? this.#now() + RETRY_MS : Number.POSITIVE_INFINITY }
      throw failed
    }
  }

  async #perform(): Promise<void> {
    const { url, fields, checkUrl, checkText } = this.#settings
    const names = Object.keys(fields)
    const page = await this.#follow(url)
    const form = page.status < 400 ? findLoginForm(textOf(page), names) : undefined
    const target = form === undefined || form.action.trim() === '' ? page.url : resolveUrl(form.action, page.url)
    if (target === undefined || originOf(target) !== originOf(url)) {
      throw this.#failed(`its form leads to another site (${originOf(target ?? form?.action ?? '')})`)
    }
    const values = new Map([...(form?.values ?? []), ...Object.entries(fields)])
    const body = new URLSearchParams([...values]).toString()
    let result = await this.#follow(form === undefined ? url : target, body)
    if (checkUrl !== undefined) result = await this.#follow(checkUrl)
    if (result.status >= 300) throw this.#failed(`the page after it answers ${result.status}`)
    const text = textOf(result)
    if (checkText === undefined) {
      if (findLoginForm(text, names) !== undefined) throw this.#failed('the form comes again')
    } else if (!text.includes(checkText)) {
      throw this.#failed(`${result.url} does not hold the text that a logged-in user sees`)
    }
  }

  /** A request and its redirects, as far as they stay on the site or where its login is. */
  async #follow(start: string, form?: string): Promise<FetchResult> {
    let url = start
    let body = form
    for (let hop = 0; ; hop++) {
      const result = await this.#send(url, body)
      const { location, status } = result
      result.release()
      if (location === undefined || hop === MAX_REDIRECTS) return result
      const origin = originOf(location)
      if (origin !== this.#origin && origin !== originOf(this.#settings.url)) return result
      // What was filled in is asked for again by 307 and 308 alone, and goes to the login's own origin only.
      if ((status !== 307 && status !== 308) || origin !== originOf(this.#settings.url)) body = undefined
      url = location
    }
  }

  #failed(why: string): FetchError {
    return new FetchError(
      'login-failed',
      this.#settings.url,
      `the login to ${this.#origin} did not work: ${why}`,
      false,
    )
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

function samePlace(a: string, b: string): boolean {
  const [first, second] = [new URL(a), new URL(b)]
  return first.origin === second.origin && first.pathname === second.pathname
}

function textOf({ body, charsetLabel }: FetchResult): string {
  return decodeText(body, charsetLabel, true).text
}
