/** Texts of the pages in the visitor's language, with numbers and dates written the way that language does. */
import { type MessageKey, type Messages, messagesEn } from './messages-en.js'
import { messagesZh } from './messages-zh.js'

/** The languages of the pages. */
export type PageLanguage = 'en' | 'zh'

/** Message keys that come as a `.one` / `.other` pair, without that ending. */
export type PluralKey = { [K in MessageKey]: K extends `${infer Base}.one` ? Base : never }[MessageKey]

/** Values for the placeholders of a text. */
export type Placeholders = Readonly<Record<string, string | number>>

const LANGUAGES: Readonly<Record<PageLanguage, { messages: Messages; tag: string }>> = {
  en: { messages: messagesEn, tag: 'en' },
  zh: { messages: messagesZh, tag: 'zh-CN' },
}

/** Texts, numbers and dates of one language. What it returns is plain text: the template escapes it. */
export class Translator {
  readonly language: PageLanguage
  /** For the `lang` attribute of a page. */
  readonly tag: string
  readonly #messages: Messages
  readonly #plural: Intl.PluralRules
  readonly #number: Intl.NumberFormat
  readonly #seconds: Intl.NumberFormat
  readonly #date: Intl.DateTimeFormat
  readonly #languageNames: Intl.DisplayNames

  constructor(language: PageLanguage) {
    const { messages, tag } = LANGUAGES[language]
    this.language = language
    this.tag = tag
    this.#messages = messages
    this.#plural = new Intl.PluralRules(tag)
    this.#number = new Intl.NumberFormat(tag)
    this.#seconds = new Intl.NumberFormat(tag, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
    this.#date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })
    this.#languageNames = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' })
  }

  /** The text of a key. A placeholder without a value stays as it is. */
  text(key: MessageKey, values?: Placeholders): string {
    const message = this.#messages[key]
    if (values === undefined) return message
    return message.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : whole,
    )
  }

  /** The text for a number of things; `{n}` is that number. */
  plural(key: PluralKey, n: number): string {
    const form = this.#plural.select(n) === 'one' ? 'one' : 'other'
    return this.text(`${key}.${form}` as MessageKey, { n: this.number(n) })
  }

  /** The text before and after a placeholder, for a template that puts an element in its place. */
  around(key: MessageKey, name: string): [before: string, after: string] {
    const [before = '', after = ''] = this.#messages[key].split(`{${name}}`)
    return [before, after]
  }

  number(value: number): string {
    return this.#number.format(value)
  }

  /** Milliseconds as seconds to three places, rounded up: nothing takes no time. */
  seconds(milliseconds: number): string {
    return this.#seconds.format(Math.ceil(milliseconds) / 1000)
  }

  /** The day of an ISO 8601 date, or '' where it is none. */
  date(iso: string): string {
    const time = Date.parse(iso)
    return Number.isNaN(time) ? '' : this.#date.format(time)
  }

  /** The name of a language, or its tag where that is not known. */
  languageName(tag: string): string {
    try {
      return this.#languageNames.of(tag) ?? tag
    } catch {
      return tag
    }
  }
}

const TRANSLATORS: Readonly<Record<PageLanguage, Translator>> = { en: new Translator('en'), zh: new Translator('zh') }

/** The translator of a language; there is one of each. */
export function translator(language: PageLanguage): Translator {
  return TRANSLATORS[language]
}
