/** `spindle analyze`: how a text is cut into the words that it is found by, layer by layer. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { isSpindleError, SpindleError } from '@spindle/core'
import type { Analyzer, AnalyzerSettings } from '../analysis/analyzer.js'
import { STEMMERS } from '../analysis/english/word-stemmer.js'
import { analyzeLayers, type LayerToken } from '../analysis/layer-tokens.js'
import { analyzerFromSpec } from '../analysis/registry.js'
import { QueryParser } from '../query-parser/query-parser.js'
import { IndexReader } from '../reading/index-reader.js'
import { indexFolder } from './index-folder.js'

const DEFAULT_INDEX = join('data', 'index')
const DEFAULT_FIELD = 'body'

/** What `--help` says. */
export const ANALYZE_HELP = `Usage: spindle analyze [TEXT] [options]

Shows the words that a text is found by, layer by layer, each with its place in the text. Without TEXT standard input is
read. The analyzer is that of the index in ${DEFAULT_INDEX}, or the one that a new index would have.

Options:
  --query             as words of a query: without question words, and what is asked of the index
  --index <dir>       an index, or a data folder with an index/ in it
  --field <name>      the analyzer of this field of the index; the field of --query (default: ${DEFAULT_FIELD})
  --analyzer <name>   chinese, english, bigram, standard or keyword, instead of that of an index
  --stemmer <names>   with chinese and english: ${STEMMERS.join(', ')};
                      several, separated by commas, share the words by their scripts
  --protect <words>   words that are not stemmed, separated by commas
  --json              one JSON object
  -h, --help          this text

Exit code: 0 done, 1 the index cannot be read, 2 wrong usage.
`

/** What the command prints with `--json`. */
export interface AnalyzedText {
  readonly analyzer: { readonly name: string; readonly settings: AnalyzerSettings; readonly fingerprint: string }
  readonly layers: readonly {
    readonly name: string
    readonly options: string
    /** Ranges in UTF-16 units of the text. */
    readonly tokens: readonly (LayerToken & { readonly text: string })[]
  }[]
  /** What is asked of the index, with `--query`; null for nothing. */
  readonly query?: string | null
}

/**
 * Runs the command.
 * @param args what follows its name
 * @returns exit code, see the help text
 */
export async function analyzeCommand(args: string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    return fail(`${(error as Error).message}; see spindle analyze --help`, 2)
  }
  const { values, positionals } = parsed
  if (values.help === true) {
    process.stdout.write(ANALYZE_HELP)
    return 0
  }
  try {
    const field = values.field ?? DEFAULT_FIELD
    const analyzer = await analyzerOf(values, field)
    const given = positionals.length > 0 ? positionals.join(' ') : await readAll(process.stdin)
    const result = analyzeText(analyzer, given, values.query === true ? field : null)
    process.stdout.write(values.json === true ? `${JSON.stringify(result)}\n` : printed(result))
    return 0
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isUsage = isSpindleError(error, 'CONFIG_INVALID') || (isSpindleError(error) && values.analyzer !== undefined)
    return fail(message, isUsage ? 2 : 1)
  }
}

/** @param field that a query would ask; null for text to be indexed */
export function analyzeText(analyzer: Analyzer, text: string, field: string | null): AnalyzedText {
  const { name, settings, fingerprint } = analyzer
  const { tokens } = analyzeLayers(analyzer, text, field === null ? 'index' : 'query')
  const query = field === null ? null : QueryParser.parse(text, field, analyzer).toString()
  return {
    analyzer: { name, settings, fingerprint },
    layers: analyzer.layers.map((layer, i) => ({
      name: layer.name,
      options: layer.options,
      tokens: tokens[i]!.map((token) => ({ ...token, text: text.slice(token.start, token.end) })),
    })),
    ...(field === null ? {} : { query: query === '' ? null : query }),
  }
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      query: { type: 'boolean' },
      index: { type: 'string' },
      field: { type: 'string' },
      analyzer: { type: 'string' },
      stemmer: { type: 'string' },
      protect: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

type Values = ReturnType<typeof parse>['values']

/** @throws SpindleError `CONFIG_INVALID` for options that go together with others; those of `IndexReader.open` */
async function analyzerOf({ analyzer: name, stemmer, protect, index }: Values, field: string): Promise<Analyzer> {
  const isMade = name !== undefined || stemmer !== undefined || protect !== undefined
  if (isMade && index !== undefined) {
    throw new SpindleError('CONFIG_INVALID', 'An index has its own analyzer: give --index or the analyzer, not both.')
  }
  if (!isMade && (index !== undefined || existsSync(DEFAULT_INDEX))) {
    const reader = await IndexReader.open(await indexFolder(index ?? DEFAULT_INDEX))
    try {
      return reader.analyzers.forField(field)
    } finally {
      await reader.close()
    }
  }
  const words = (list: string): string[] => list.split(',').map((word) => word.trim())
  const names = stemmer === undefined ? [] : words(stemmer)
  for (const one of names) {
    if ((STEMMERS as readonly string[]).includes(one)) continue
    throw new SpindleError(
      'CONFIG_INVALID',
      `There is no stemmer "${one}": take ${STEMMERS.slice(0, -1).join(', ')} or ${STEMMERS.at(-1)}.`,
    )
  }
  const settings = {
    ...(names.length > 0 ? { stemmer: names } : {}),
    ...(protect === undefined ? {} : { protectedWords: words(protect) }),
  }
  return analyzerFromSpec({ name: name ?? 'chinese', settings })
}

function printed({ analyzer: { name, settings }, layers, query }: AnalyzedText): string {
  const said = Object.entries(settings).flatMap(([key, value]) =>
    Array.isArray(value) && value.length === 0 ? [] : [`${key} ${String(value)}`],
  )
  const lines = [said.length === 0 ? name : `${name} (${said.join(', ')})`]
  for (const { name: layer, options, tokens } of layers) {
    lines.push('', `${layer === '' ? 'main layer' : `layer ${layer}`} (${options}): ${tokens.length} tokens`)
    const width = tokens.reduce((most, { term }) => Math.max(most, columns(term)), 0)
    for (const { term, start, end, position, text } of tokens) {
      const place = options === 'positions' ? `${String(position).padStart(6)}  ` : '  '
      const range = `${start}-${end}`
      const fill = ' '.repeat(width - columns(term))
      lines.push(`${place}${oneLine(term)}${fill}  ${range}${text === term ? '' : `  ${oneLine(text)}`}`)
    }
  }
  if (query !== undefined) lines.push('', `asked: ${query ?? 'nothing'}`)
  return `${lines.join('\n')}\n`
}

/** Control characters would change what a terminal shows. */
function oneLine(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** Columns of a terminal: Chinese, Japanese and Korean characters take two. */
function columns(text: string): number {
  let width = 0
  for (const character of oneLine(text)) width += WIDE.test(character) ? 2 : ZERO.test(character) ? 0 : 1
  return width
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3ffff}]/u
const ZERO = /\p{M}/u

function fail(message: string, code: number): number {
  process.stderr.write(`spindle analyze: ${message.replace(/\s*\n\s*/g, ' ')}\n`)
  return code
}
