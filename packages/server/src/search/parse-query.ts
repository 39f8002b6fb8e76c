/** The text of the search box as a query over the fields of a crawled page. */
import { PageField, SpindleError } from '@spindle/core'
import {
  type Analyzer,
  type IndexReader,
  indexAnalyzers,
  KeywordAnalyzer,
  MatchNoneQuery,
  type Query,
  QueryParser,
  type QueryWord,
  type SynonymMap,
} from '@spindle/index'
import { FIELD_WORDS } from './field-words.js'
import { DEFAULT_RANKING, type Ranking, scoringOf, withStaticFactors } from './ranking.js'
import type { Leniency, QueryNotice, SearchSort } from './search-backend.js'
import { MAX_QUERY_LENGTH } from './search-request.js'
import type { SearchRules } from './search-rules.js'

/** A query, and what could not be made part of it. */
export interface ParsedQuery {
  readonly query: Query
  /** There is nothing in it to look for. */
  readonly empty: boolean
  /** What is asked for, word by word. */
  readonly words: readonly QueryWord[]
  /** Addresses of the pages that come first by a rule. */
  readonly pins: readonly string[]
  readonly notices: readonly QueryNotice[]
  /** The order that the query itself asks for (`sort:date`). */
  readonly sort?: SearchSort
}

/** The analyzers of an index. */
export interface FieldAnalyzers {
  forField(name: string): Analyzer
}

/** What a query is asked of. */
export type QueriedIndex = Pick<IndexReader, 'segments' | 'analyzers'>

/** How a text is read. */
export interface QueryReading {
  /** Which mistakes become notices instead of errors. */
  readonly leniency: Leniency
  /** `and`: only pages with all words, to count them; otherwise, those with more of the words come first. */
  readonly operator?: 'or' | 'and'
  /** What words are looked for as well. */
  readonly synonyms?: SynonymMap | undefined
  /** {@link DEFAULT_RANKING} where not given. */
  readonly ranking?: Ranking | undefined
  /** Of an editor. Those that order pages hold where pages are ordered. */
  readonly rules?: SearchRules | undefined
}

/** Where words without a field are looked for in an index that no crawl has written, so that it has no combined field. */
const FIELDS = { fields: { [PageField.title]: 2, [PageField.body]: 1, [PageField.anchor]: 2 } }
/** Sources of the combined field that phrases are looked for in: headings stand in the body, and addresses have no phrases. */
const PHRASE_FIELDS: ReadonlySet<string> = new Set([PageField.title, PageField.body, PageField.anchor])
const KNOWN_FIELDS = [
  PageField.title,
  PageField.body,
  PageField.anchor,
  PageField.url,
  PageField.site,
  PageField.lang,
  PageField.type,
  PageField.author,
  PageField.keywords,
  PageField.headings,
  PageField.filter,
] as const

/** Limits beside those of the library. */
const LIMITS = { maxLength: MAX_QUERY_LENGTH, fuzzyPrefixLength: 1, maxFuzzyExpansions: 50 }
/** Says how results are ordered. */
const SORT_WORD = 'sort'
const SORTS: ReadonlySet<string> = new Set<SearchSort>(['relevance', 'date'])
/** Words whose clauses only narrow. */
const NARROWING = ['filetype', 'inurl', 'date', 'before', 'after']

const exact = new KeywordAnalyzer()
/** Host names, types and languages are stored in lower case. */
const lowerCase: Analyzer = {
  name: exact.name,
  settings: exact.settings,
  fingerprint: `${exact.fingerprint} lower case`,
  layers: exact.layers,
  analyze: (text, sink, mode) => exact.analyze(text.toLowerCase(), sink, mode),
}

const KEYWORD_FIELDS: ReadonlyMap<string, Analyzer> = new Map<string, Analyzer>([
  [PageField.url, exact],
  [PageField.filter, exact],
  [PageField.site, lowerCase],
  [PageField.lang, lowerCase],
  [PageField.type, lowerCase],
])

/** @throws SpindleError `QUERY_SYNTAX`, `QUERY_TOO_COMPLEX`, `REGEX_TOO_COMPLEX` */
export function parseQuery(
  text: string,
  index: QueriedIndex,
  { leniency, operator = 'or', synonyms, ranking = DEFAULT_RANKING, rules }: QueryReading,
): ParsedQuery {
  const fields = indexAnalyzers(index)
  const sources = fields.sourcesOf(PageField.all)?.filter(({ name }) => PHRASE_FIELDS.has(name))
  const parser = new QueryParser({
    field: sources === undefined ? FIELDS : PageField.all,
    analyzer: index.analyzers.forField(PageField.body),
    analyzers: {
      forField: (name) => KEYWORD_FIELDS.get(name) ?? index.analyzers.forField(name),
      sourcesOf: (name) => (name === PageField.all ? sources : undefined),
      hasLayer: fields.hasLayer,
      kindOf: (name) => (name === PageField.published ? 'date' : undefined),
    },
    knownFields: KNOWN_FIELDS,
    fieldWords: FIELD_WORDS,
    directives: [SORT_WORD],
    filterFields: [...KEYWORD_FIELDS.keys(), ...NARROWING],
    ...(operator === 'and' ? { defaultOperator: operator } : { scoring: scoringOf(ranking) }),
    ...(synonyms === undefined ? {} : { synonyms }),
    lenient: leniency !== 'none',
    ...LIMITS,
  })
  const { query, words, ignored, onlyExclusions, unknownFields, directives } = parser.parseWithReport(text)
  const notices: QueryNotice[] = []
  for (const part of ignored) {
    const limit = part.code !== 'QUERY_SYNTAX'
    if (limit && leniency === 'syntax') {
      throw new SpindleError(
        part.code === 'REGEX_TOO_COMPLEX' ? part.code : 'QUERY_TOO_COMPLEX',
        `The query cannot be searched as it is, because ${part.message} (at character ${part.start + 1}): make it simpler.`,
      )
    }
    const notice: QueryNotice = limit ? { kind: 'too-complex', text: '' } : { kind: 'ignored', text: part.text }
    if (!notices.some((other) => other.kind === notice.kind && other.text === notice.text)) notices.push(notice)
  }
  for (const name of unknownFields) notices.push({ kind: 'unknown-field', text: `${name}:` })
  if (onlyExclusions) notices.push({ kind: 'only-exclusions', text: '' })
  const sort = sortOf(directives.get(SORT_WORD), leniency, notices)
  const empty = query instanceof MatchNoneQuery
  const ranked = (): Query => {
    if (operator === 'and') return rules?.withoutHidden(query) ?? query
    const scored = withStaticFactors(query, ranking)
    return rules?.apply(scored, text) ?? scored
  }
  return {
    query: empty ? query : ranked(),
    pins: rules?.pinsOf(text) ?? [],
    empty,
    words,
    notices,
    ...(sort === undefined ? {} : { sort }),
  }
}

function sortOf(value: string | undefined, leniency: Leniency, notices: QueryNotice[]): SearchSort | undefined {
  if (value === undefined || SORTS.has(value)) return value as SearchSort | undefined
  if (leniency === 'none') {
    throw new SpindleError('QUERY_SYNTAX', `'${SORT_WORD}:${value}' is no order: write sort:date or sort:relevance.`)
  }
  notices.push({ kind: 'ignored', text: `${SORT_WORD}:${value}` })
  return undefined
}
