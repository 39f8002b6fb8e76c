/** Command line of the index: `spindle check-index` and `spindle analyze`. Only Node.js' own argument parser, so that the library stays small. */
import { parseArgs } from 'node:util'
import { analyzeCommand } from './analyze-command.js'
import { checkIndexCommand } from './check-index-command.js'

const HELP = `Usage: spindle check-index [DIR] [options]

Reads the newest commit of an index and compares everything in it with everything else. It changes nothing, and a
writer at work does not disturb it. DIR is an index or a data folder with an index/ in it (default: data/index).

Options:
  --full           read every byte, decode every list and every stored document (default)
  --fast           read every byte and compare all checksums and tables, but decode nothing
  --segment <name> only this segment, such as _3
  --id <field>     a keyword field that names a document: no value may be in two documents
  --json           the whole report as one JSON object
  --exorcise       write a new commit without the damaged segments; their documents are lost to the index, their files
                   are kept under other names
  --purge          with --exorcise: remove those files
  -h, --help       this text

Exit code: 0 clean (or made clean by --exorcise), 1 damaged, 2 wrong usage, 3 not an index or cannot be read,
4 the format is too old or too new.
`

/**
 * Runs a command.
 * @param argv the subcommand and what follows it
 * @returns exit code, see the help text
 */
export async function main(argv: string[]): Promise<number> {
  if (argv[0] === 'analyze') return analyzeCommand(argv.slice(1))
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(argv.slice(1))
  } catch (error) {
    return usage((error as Error).message)
  }
  const { values, positionals } = parsed
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  if (positionals.length > 1) return usage(`one folder can be checked at a time, not ${positionals.length}`)
  if (values.fast === true && values.full === true) return usage('--fast and --full exclude each other')
  if (values.purge === true && values.exorcise !== true) return usage('--purge goes with --exorcise')
  if (values.exorcise === true && values.segment !== undefined) return usage('--exorcise needs a check of all segments')
  if (values.exorcise === true && values.fast === true) return usage('--exorcise needs a full check')
  const given = positionals[0]
  return checkIndexCommand({
    ...(given === undefined ? {} : { dir: given }),
    ...(values.segment === undefined ? {} : { segment: values.segment }),
    ...(values.id === undefined ? {} : { idField: values.id }),
    fast: values.fast === true,
    json: values.json === true,
    exorcise: values.exorcise === true,
    purge: values.purge === true,
  })
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      fast: { type: 'boolean' },
      full: { type: 'boolean' },
      segment: { type: 'string' },
      id: { type: 'string' },
      exorcise: { type: 'boolean' },
      purge: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

function usage(message: string): number {
  process.stderr.write(`spindle check-index: ${message.replace(/\s*\n\s*/g, ' ')}; see spindle check-index --help\n`)
  return 2
}
