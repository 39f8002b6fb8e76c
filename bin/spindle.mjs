#!/usr/bin/env node
/** The one command: maps a subcommand to the package that owns it. Nothing else is loaded. */
import { readFileSync } from 'node:fs'
import { EOL } from 'node:os'

/** Subcommand → owning package and what it is for. */
const commands = new Map([
  ['start', ['@spindle/server/cli', 'serve search pages and crawl a site (the sample site where none is given)']],
  ['crawl', ['@spindle/crawler/cli', 'crawl one or more sites into the data folder']],
  ['index', ['@spindle/crawler/cli', 'take in local files, folders and records (NDJSON, CSV)']],
  ['export', ['@spindle/crawler/cli', 'write the stored pages to a WARC file, or as JSON lines']],
  ['import', ['@spindle/crawler/cli', 'take in WARC files and exported records']],
  ['reindex', ['@spindle/crawler/cli', 'make the index anew from the stored pages, without fetching']],
  ['dictionary', ['@spindle/crawler/cli', 'words of your own for Chinese text']],
  ['compact', ['@spindle/crawler/cli', 'take out of the page store what newer pages have replaced']],
  ['queue', ['@spindle/crawler/cli', 'look at the queues of a crawl']],
  ['rank', ['@spindle/crawler/cli', 'the pages that are linked best, and those that link best']],
  ['keywords', ['@spindle/crawler/cli', 'the words that pages of the index are about']],
  ['serve', ['@spindle/server/cli', 'serve the search pages of a data folder']],
  ['search', ['@spindle/server/cli', 'search in the terminal']],
  ['eval', ['@spindle/server/cli', 'measure how good the results of judged queries are']],
  ['check', ['@spindle/crawler/cli', 'what a crawl would do with one address']],
  ['analyze', ['@spindle/index/cli', 'show the words that a text is found by']],
  ['check-index', ['@spindle/index/cli', 'read and compare every byte of an index; take out damaged segments']],
])

const [first, ...others] = process.argv.slice(2)
/** `help crawl` is `crawl --help`. */
const [name, ...rest] = first === 'help' && others.length > 0 ? [others[0], '--help'] : [first, ...others]
const command = commands.get(name ?? '')

if (command !== undefined) {
  const { main } = await import(command[0])
  process.exitCode = await main([name, ...rest])
} else if (name === '--version' || name === '-V') {
  process.stdout.write(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version + EOL)
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  const lines = [...commands].map(([key, [, text]]) => `  ${key.padEnd(12)} ${text}`)
  const text = [
    'Usage: spindle <command> [options]',
    '',
    'Commands:',
    ...lines,
    '',
    'spindle <command> --help tells the options of a command.',
    '',
  ]
  ;(name === undefined ? process.stderr : process.stdout).write(text.join(EOL))
  process.exitCode = name === undefined ? 2 : 0
} else {
  process.stderr.write(`There is no command "${name}": choose one of ${[...commands.keys()].join(', ')}.${EOL}`)
  process.exitCode = 2
}
