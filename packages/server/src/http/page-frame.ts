/** What every page has around its content: language, links that keep the search, and the version of the style sheet. */
import type { FastifyRequest } from 'fastify'
import type { MessageKey } from '../i18n/messages-en.js'
import { languageOfTag, pageLanguage } from '../i18n/page-language.js'
import { type PageLanguage, type Translator, translator } from '../i18n/translator.js'
import { advancedAddress, homeAddress, keptFields, searchAddress } from '../search/search-address.js'
import type { SearchRequest } from '../search/search-backend.js'
import type { QueryFields } from './query-fields.js'

const LANGUAGES: readonly { code: PageLanguage; name: string; tag: string }[] = [
  { code: 'zh', name: '中文', tag: 'zh-CN' },
  { code: 'en', name: 'English', tag: 'en' },
]

const HELP: readonly { example: MessageKey; text: MessageKey }[] = [
  { example: 'help.words.example', text: 'help.words' },
  { example: 'help.phrase.example', text: 'help.phrase' },
  { example: 'help.must.example', text: 'help.must' },
  { example: 'help.not.example', text: 'help.not' },
  { example: 'help.title.example', text: 'help.title.field' },
  { example: 'help.site.example', text: 'help.site' },
]

/** Data of the layout; a page's own data stands beside it. */
export interface PageFrame {
  readonly t: Translator
  /** The language that the address names, or undefined where the browser's preference decides. */
  readonly hl: string | undefined
  readonly kind: 'home' | 'results' | 'plain'
  readonly title: string
  readonly home: string
  /** The advanced form. */
  readonly advanced: string
  readonly query: string
  /** Hidden fields of the search form. */
  readonly kept: readonly { name: string; value: string }[]
  readonly languages: readonly { name: string; tag: string; href: string; current: boolean }[]
  readonly help: readonly { example: string; text: string }[]
  readonly assets: string
}

/** @param search where given, links to other languages and the form keep it */
export function pageFrame(
  request: FastifyRequest,
  assets: string,
  kind: PageFrame['kind'],
  title: (t: Translator) => string,
  search?: SearchRequest,
): PageFrame {
  // an address that cannot be decoded has no parsed query
  const hl = languageOfTag((request.query as QueryFields | null)?.hl)
  const t = translator(pageLanguage(hl, request.headers['accept-language']))
  const kept = keptFields({ ...search, hl }).map(([name, value]) => ({ name, value }))
  return {
    t,
    hl,
    kind,
    title: title(t),
    home: homeAddress(hl),
    advanced: advancedAddress(hl),
    query: search?.query ?? '',
    kept,
    languages: LANGUAGES.map(({ code, name, tag }) => ({
      name,
      tag,
      href: search === undefined ? homeAddress(code) : searchAddress({ ...search, hl: code }),
      current: code === t.language,
    })),
    help: HELP.map(({ example, text }) => ({
      example: t.text(example),
      text: t.text(text),
    })),
    assets,
  }
}
