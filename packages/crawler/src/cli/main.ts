/** Command line of the crawler: `spindle crawl`, `index`, `queue`, `rank`, `check`, `export`, `import`, `reindex`, `dictionary`, `compact`. */
import { isSpindleError } from '@spindle/core'
import { Command, CommanderError } from 'commander'
import type { CheckFlags } from './check-command.js'
import type { CrawlFlags } from './crawl-command.js'
import type { IndexFlags } from './index-command.js'
import type { KeywordsFlags } from './keywords-command.js'
import type { QueueFlags } from './queue-command.js'
import type { RankFlags } from './rank-command.js'
import { addStoreCommands } from './store-commands.js'

const DETAILS = `
Without an address a crawl that is in the data folder goes on; where there is none, the bundled sample site is crawled.
A crawl can be stopped at any moment (Ctrl-C) and goes on when the same command is given again.

A glob that begins with / is held against path and query, one that begins with http:// or https:// against the whole address,
any other one against the address without its scheme; it must fit from beginning to end. A regular expression
(RE2, without backreferences) is looked for in the whole address. Start addresses are always in scope.

A recrawl asks only for what has changed since, where the site can tell. Pages that are gone (410, a permanent redirect, 404 for the
third time, forbidden by robots.txt, out of scope now) leave the index; those of a site that does not answer stay. Where more than
a fifth of the pages of a host are gone at once (and more than ten), they stay as well, until the crawl is given --accept-removals.

Events of --json, one object a line: seed {url, known}; scan {addresses, added}; recrawl {generation, due}; fetched {url, status, disposition, depth, bytes, elapsedMs,
location?, truncated?}; error and skipped {url, status, reason, depth}; retry {url, status, reason, waitMs}; unavailable {host,
reason, waitMs}; held {host, vanished, pages}; commit {pages, documents}; item {url, title, date?, page} (preset news); dictionary {words, documents}; dictionary-failed {detail}; linked {pages, links, renewed, ranked}; stats {crawled, toCrawl, maxPages, pages, errors, offHost, oversize}; done {reason,
waiting, complete, error, skipped, failed, fetched, pages, removed, held, bytes, seconds, pagesPerSecond, unavailable, traps}. Links out of scope are
counted in done and have no event. --log has these events and, with their times, queued {url, depth, referrer?}, verify {url}
and process {url, tries}.

Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

const INDEX_DETAILS = `
What has not changed since the last run is not read again; what is gone leaves the index. Hidden files, symbolic links and
node_modules are left out of folders. A record is found under its own address (column url), else under that of its file with
its id or number behind #. Without --map the usual names of columns count, in English and Chinese.

Events of --json, one object a line: indexed and removed {url}; failed {url, reason, detail}; empty {url} for a folder in
which nothing is left (what was taken in from it stays); done {indexed, unchanged, removed, failed, documents, seconds}.

Exit code: 0 done, 1 failed or nothing could be read, 2 wrong usage, 130 interrupted.`

/**
 * Runs a command.
 * @param argv the subcommand and what follows it
 * @param checkOnly true to look only whether `crawl` is used rightly: nothing is fetched, written or created
 * @returns exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted
 */
export async function main(argv: string[], { checkOnly = false } = {}): Promise<number> {
  // A reader that has gone (`… | head`) is no fault; without a listener it would end the process with a stack trace.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore)
  let code = 0
  const program = new Command('spindle')
  const crawl = program
    .command('crawl')
    .description('crawl sites into the data folder and index their pages while the crawl runs')
    .argument('[url...]', 'start addresses (http or https), or paths of local files and folders')
    .option('--config <file>', 'configuration file (default: spindle.config.json, .mjs or .ts where there is one)')
    .option('--data <dir>', 'data folder (default: data)')
    .option('--seeds <file>', 'file with start addresses, one a line, # comments')
    .option('--preset <name>', 'defaults for a kind of site: news')
    .option('--depth <n>', 'most links from a start address (0: only the start addresses)')
    .option('--max-pages <n>', 'pages in the whole crawl after which it stops')
    .option('--strategy <name>', 'breadth: layer by layer (default); depth: the links of the last page first')
    .option(
      '--scope <scope>',
      'host: the hosts of the start addresses (default); domain: all hosts of their domains; prefix: their folders; ' +
        'any: every host; or ranges of IP addresses (10.20.0.0/16,10.30.0.0/16)',
    )
    .option(
      '--scan <ports>',
      'with --scope of ranges: every address of them is a start address, at these ports (80,8080)',
    )
    .option(
      '--include <glob>',
      'only addresses that fit, * is anything; /…/ is a regular expression (repeatable)',
      list,
    )
    .option('--exclude <glob>', 'no addresses that fit (repeatable)', list)
    .option('--sitemaps <which>', 'robots: those that robots.txt names (default); all: /sitemap.xml as well; off')
    .option('--concurrency <n>', 'fetches at a time (default: 16)')
    .option(
      '--delay <ms>',
      'least time between two requests to a host (default: 1000; a longer one in robots.txt wins)',
    )
    .option('--bandwidth <rate>', 'most bytes a second over all connections, as in 500k or 2M (default: no limit)')
    .option('--proxy <url>', 'proxy, or none (default: HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment)')
    .option('--user-agent <text>', 'User-Agent; its first word is the name that robots.txt is asked for')
    .option('--ordered', 'one fetch at a time, in an order that is the same each time')
    .option('--recrawl', 'fetch again what was fetched; one that was stopped goes on')
    .option('--older-than <age>', 'with --recrawl: only what was last asked for longer ago, as in 12h or 7d')
    .option('--accept-removals', 'take pages that are gone out of the index also where they are many of a host at once')
    .option('--fresh', 'start over: removes the queues and stored pages; the index answers until new pages replace it')
    .option('--json', 'one event a line on standard output instead of the progress bar')
    .option('--no-index', 'fetch and store pages only; a later crawl without this option indexes them')
    .option('--log <file>', 'append every event to a file, one JSON object a line')
    .addHelpText('after', DETAILS)
    .action(async (urls: string[], flags: CrawlFlags) => {
      // Loaded late, so that help and usage errors come at once.
      const { crawlCommand, readCrawlSettings } = await import('./crawl-command.js')
      const settings = await readCrawlSettings(urls, flags)
      if (!checkOnly) code = await crawlCommand(settings)
    })
  const queue = program
    .command('queue')
    .description('look at the queues of a crawl, also while it runs')
    .argument(
      '[queue]',
      'waiting, running, error, complete, or skipped: found and no work; without it, how many are where',
    )
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data folder (default: data)')
    .option('--host <host>', 'only addresses of this host (with its port where it has one)')
    .option(
      '--reason <word>',
      'only addresses that ended so, or were skipped for this: http-404, off-host, oversize, …',
    )
    .option('--limit <n>', 'most addresses (default: 50)')
    .option('--after <url>', 'go on behind this address, the last one of the page before')
    .option('--json', 'one object a line')
    .action(async (name: string | undefined, flags: QueueFlags) => {
      const { queueCommand } = await import('./queue-command.js')
      code = await queueCommand(name, flags)
    })
  const rank = program
    .command('rank')
    .description('the pages of a crawl that are linked best (pagerank, authority) or link best (hub)')
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data folder (default: data)')
    .option('--by <what>', 'pagerank (default), hub or authority; the mean of all pages is 1')
    .option('--limit <n>', 'most pages (default: 20)')
    .option('--compute', 'work it out again first; the end of a crawl does so by itself')
    .option('--urls', 'addresses alone, one a line: a file for crawl --seeds')
    .option('--json', 'one object a line: url, title, value')
    .action(async (flags: RankFlags) => {
      const { rankCommand } = await import('./rank-command.js')
      code = await rankCommand(flags)
    })
  const keywords = program
    .command('keywords')
    .description('the words that pages of the index are about: frequent in them, rare in the index')
    .argument('[url...]', 'addresses of pages (default: all of them)')
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data folder (default: data)')
    .option('--limit <n>', 'words a page (default: 10)')
    .option('--json', 'one object a line: url and keywords with their figures')
    .action(async (urls: string[], flags: KeywordsFlags) => {
      const { keywordsCommand } = await import('./keywords-command.js')
      code = await keywordsCommand(urls, flags)
    })
  const check = program
    .command('check')
    .description(
      'what a crawl would do with one address: scope, robots.txt, fetch, charset, parse, links; stores nothing',
    )
    .argument('<url>', 'address (http or https)')
    .option('--config <file>', 'configuration file; where it has start addresses, they are the scope')
    .option('--scope <scope>', 'as for crawl, of this address')
    .option('--include <glob>', 'as for crawl', list)
    .option('--exclude <glob>', 'as for crawl', list)
    .option('--proxy <url>', 'as for crawl')
    .option('--user-agent <text>', 'as for crawl')
    .option('--json', 'one object')
    .addHelpText('after', '\nExit code: 0 a crawl would store and index the page, 1 it would not, 2 wrong usage.')
    .action(async (url: string, flags: CheckFlags) => {
      const { checkCommand } = await import('./check-command.js')
      code = await checkCommand(url, flags)
    })
  const index = program
    .command('index')
    .description(
      'take local files, folders and records into the data folder, where they are found beside crawled pages',
    )
    .argument('<path...>', 'files and folders: HTML, Markdown, text, PDF, Office, EPUB, feeds; NDJSON and CSV records')
    .option('--config <file>', 'configuration file (default: spindle.config.json, .mjs or .ts where there is one)')
    .option('--data <dir>', 'data folder (default: data)')
    .option(
      '--map <part=column>',
      'which column or key of records is what: url, id, title, text, html, date, lang, author, keywords (repeatable)',
      list,
    )
    .option('--watch', 'go on and take in what changes, until stopped')
    .option('--json', 'one event a line on standard output')
    .addHelpText('after', INDEX_DETAILS)
    .action(async (paths: string[], flags: IndexFlags) => {
      const { indexCommand } = await import('./index-command.js')
      code = await indexCommand(paths, flags)
    })
  const store = addStoreCommands(program, async (run) => {
    code = await run()
  })
  for (const command of [program, crawl, index, queue, rank, keywords, check, ...store])
    command.exitOverride().configureOutput({ writeErr: () => {} })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return tell(error, argv[0] ?? '')
  }
}

function ignore(): void {}

/** Collects an option that may be given several times. */
function list(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** One line on standard error. @returns the exit code */
function tell(error: unknown, command: string): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
    process.stderr.write(`spindle ${command}: ${message}; see spindle ${command} --help\n`)
    return 2
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`spindle ${command}: ${message.replace(/\s*\n\s*/g, ' ')}\n`)
  return isSpindleError(error, 'CONFIG_INVALID') || isSpindleError(error, 'SEED_INVALID') ? 2 : 1
}
