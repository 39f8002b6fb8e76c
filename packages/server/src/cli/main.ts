/**
 * The command line of the server package: `serve`, `search`, `eval`, `start`. Each command is loaded when it is called, so that a
 * search in the terminal does not wait for a web server and a crawler to load.
 */
import { EOL } from 'node:os'
import { isSpindleError } from '@spindle/core'
import { Command, CommanderError } from 'commander'
import type { EvalFlags } from './eval.js'
import type { SearchFlags } from './search.js'
import type { ServeFlags } from './server-flags.js'

/** Error codes that mean a wrong use of the command. */
const USAGE_CODES = new Set([
  'BAD_PAGE',
  'BAD_PARAMETER',
  'CONFIG_INVALID',
  'EVALUATION_FILE_INVALID',
  'QUERY_EMPTY',
  'QUERY_TOO_LONG',
  'SEED_INVALID',
])

function program(run: (code: number) => void): Command {
  const top = new Command('spindle').exitOverride().configureOutput({ writeErr: () => {} })
  top
    .command('serve')
    .description('serve the search pages of a data folder')
    .option('--data <dir>', 'the data folder (default: data)')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', 'port to listen on, 0 for any free one (default: 8080)')
    .option('--config <file>', 'a configuration file')
    .action(async (flags: ServeFlags) => run(await (await import('./serve.js')).serve(flags)))
  top
    .command('search')
    .description('search in the terminal')
    .argument('<query...>', 'what to search for')
    .option('--data <dir>', 'the data folder (default: data)')
    .option('--size <n>', 'hits a page, 1 to 100 (default: 10)')
    .option('--page <n>', 'which page of hits (default: 1)')
    .option('--json', 'the answer of the search API instead of text')
    .option('--explain', 'tell how each score comes about')
    .option('--config <file>', 'a configuration file')
    .action(async (words: string[], flags: SearchFlags) =>
      run(await (await import('./search.js')).search(words, flags)),
    )
  top
    .command('eval')
    .description('measure how good the results of judged queries are')
    .requiredOption('--queries <file>', 'queries, "name TAB text" a line (TREC)')
    .requiredOption(
      '--qrels <file>',
      'judgements, "query 0 page grade" a line (TREC); a page by address, /path, or id of a record',
    )
    .option('--data <dir>', 'the data folder (default: data)')
    .option('--config <file>', 'a configuration file')
    .option('--measures <names>', 'separated by commas: map, mrr, bpref, ndcg, p@K, recall@K, success@K, ndcg@K')
    .option('--depth <n>', 'pages that are asked for, a query (default: 1000)')
    .option('--run <file>', 'write what was found (TREC)')
    .option('--baseline <file>', 'compare with a run, or with another configuration file (.json, .mjs, .ts)')
    .option('--gate <bound...>', 'fail where a mean is below its bound, as "map>=.3"')
    .option('--each', 'tell the values of every query')
    .option('--json', 'the whole report as one JSON object')
    .action(async (flags: EvalFlags) => run(await (await import('./eval.js')).evalCommand(flags)))
  top
    .command('start')
    .description('serve search pages and crawl a site (the sample site where none is given) at the same time')
    .argument('[args...]', 'a start address, and options of "spindle crawl" that are passed on')
    .option('--data <dir>', 'the data folder (default: data)')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', 'port to listen on, 0 for any free one (default: 8080)')
    .option('--config <file>', 'a configuration file')
    .allowUnknownOption()
    .action(async (rest: string[], flags: ServeFlags) => run(await (await import('./start.js')).start(rest, flags)))
  return top
}

function ignoreError(): void {}

/** Commander's message, which has two lines where it suggests a spelling, as one sentence with what to do. */
function usageError({ message }: CommanderError, command = ''): string {
  const problem = message.replace(/^error: /, '').replace(/\.?\s*\n\s*/g, ' ')
  // A word that begins with a dash is taken for an option.
  const isDash = command === 'search' && problem.includes('unknown option')
  const hint = isDash ? 'to search for words that begin with a dash, put -- before them, or ' : ''
  return `spindle ${command}: ${problem.replace(/\.$/, '')}; ${hint}see spindle ${command} --help`
}

/**
 * Runs one command.
 * @param argv the subcommand and what follows it
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted
 */
export async function main(argv: readonly string[]): Promise<number> {
  let code = 0
  // whoever reads our output may leave (`| head -1`): no reason to stop serving, and nobody to tell
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignoreError)) stream.on('error', ignoreError)
  }
  try {
    await program((result) => {
      code = result
    }).parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      process.stderr.write(`${usageError(error, argv[0])}${EOL}`)
      return 2
    }
    const known = isSpindleError(error)
    const text = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`${text}${EOL}`)
    return known && USAGE_CODES.has(error.code) ? 2 : 1
  }
}
