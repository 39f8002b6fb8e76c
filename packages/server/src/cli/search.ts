/** `spindle search QUERY`: hits in the terminal, or as the JSON of the search API. */
import { EOL } from 'node:os'
import { counted, SpindleError } from '@spindle/core'
import { cleanText, parseQueryFields } from '../http/query-fields.js'
import { apiAnswer } from '../routes/api-search.js'
import type { SearchHit, SearchResponse } from '../search/search-backend.js'
import { searchRequest } from '../search/search-request.js'
import { openBackend } from './open-backend.js'
import { type ServeFlags, serverConfig } from './server-flags.js'

/** Flags of `spindle search`. */
export interface SearchFlags extends Pick<ServeFlags, 'data' | 'config'> {
  readonly json?: boolean
  readonly size?: string
  readonly page?: string
  readonly explain?: boolean
}

const BOLD = '\u001b[1m'
const DIM = '\u001b[2m'
const RESET = '\u001b[0m'
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Highlighter output as terminal text; crawled text cannot smuggle in escape sequences. */
export function terminalText(html: string, color: boolean): string {
  return html
    .split(/(<\/?em>)/)
    .map((part) => {
      if (part === '<em>') return color ? BOLD : ''
      if (part === '</em>') return color ? RESET : ''
      const text = part.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
        if (name !== undefined) return ENTITIES[name] ?? whole
        const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole
      })
      const edges = /^(\s?)[\s\S]*?(\s?)$/.exec(text)
      const clean = cleanText(text)
      return clean === '' ? (text === '' ? '' : ' ') : `${edges?.[1] && ' '}${clean}${edges?.[2] && ' '}`
    })
    .join('')
}

function hitLines(hit: SearchHit, rank: number, color: boolean): string[] {
  const title = terminalText(hit.titleHtml, color).trim() || hit.url
  const lines = [`${rank}. ${title}`, color ? `   ${DIM}${cleanText(hit.url)}${RESET}` : `   ${cleanText(hit.url)}`]
  const snippet = terminalText(hit.snippetHtml, color).trim()
  if (snippet !== '') lines.push(`   ${snippet}`)
  for (const { headingHtml, url } of hit.sections) {
    lines.push(`   › ${terminalText(headingHtml, color).trim()}  ${cleanText(url)}`)
  }
  if (hit.missing.length > 0) lines.push(`   Not in this page: ${cleanText(hit.missing.join(' '))}`)
  if (hit.explanation !== undefined) lines.push(...hit.explanation.split('\n').map((line) => `   | ${line}`))
  return [...lines, '']
}

/** The whole answer for the terminal. */
export function terminalAnswer(response: SearchResponse, firstRank: number, color: boolean): string {
  const lines = response.notices
    .map(({ kind, text }) => {
      if (kind === 'ignored') return `Left out, since it could not be understood: ${text}`
      if (kind === 'unknown-field') return `No field that can be searched, so searched for as a word: ${text}`
      return kind === 'only-exclusions' ? 'The search only says what pages must not contain: add a word.' : ''
    })
    .filter((line) => line !== '')
  response.hits.forEach((hit, i) => {
    lines.push(...hitLines(hit, firstRank + i, color))
  })
  const about = response.totalRelation === 'eq' ? '' : 'at least '
  lines.push(`${about}${counted(response.total, 'result')} (${(response.tookMs / 1000).toFixed(3)} s)`)
  if (response.timedOut) lines.push('The search took too long and was stopped: there may be more.')
  for (const other of response.pinyin) lines.push(`Read as pinyin: ${other.query} (${other.total})`)
  for (const other of response.alternatives) lines.push(`Try: ${other.query} (${other.total})`)
  return lines.join(EOL) + EOL
}

/**
 * @returns 0 also where nothing is found
 * @throws SpindleError where there is no index, nothing to search for, or a flag is wrong
 */
export async function search(words: readonly string[], flags: SearchFlags): Promise<number> {
  const { data, config: file } = flags
  const config = await serverConfig({
    ...(data === undefined ? {} : { data }),
    ...(file === undefined ? {} : { config: file }),
  })
  const query = words.join(' ')
  if (query.trim() === '')
    throw new SpindleError('QUERY_EMPTY', 'There is nothing to search for: name at least one word.')
  const fields = new URLSearchParams({ q: query })
  if (flags.size !== undefined) fields.set('size', flags.size)
  if (flags.page !== undefined) fields.set('page', flags.page)
  const { request } = searchRequest(parseQueryFields(fields.toString()), false)
  const backend = await openBackend(config)
  try {
    const response = await backend.search({ ...request, facets: flags.json === true, explain: flags.explain === true })
    if (flags.json === true) {
      const answer = apiAnswer(request, response)
      const hits = answer.hits.map((hit, i) => {
        const explanation = response.hits[i]?.explanation
        return explanation === undefined ? hit : { ...hit, explanation }
      })
      process.stdout.write(`${JSON.stringify({ ...answer, hits })}${EOL}`)
    } else {
      const color = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
      process.stdout.write(terminalAnswer(response, (request.page - 1) * request.size + 1, color))
    }
    return 0
  } finally {
    await backend.close()
  }
}
