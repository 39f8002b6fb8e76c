/** The commands that work on what is stored: `export`, `import`, `reindex`, `dictionary`, `compact`. */
import type { Command } from 'commander'
import type { DataFlags } from './data-folder.js'
import type { DictionaryFlags } from './dictionary-command.js'
import type { ExportFlags } from './export-command.js'
import type { ImportFlags } from './import-command.js'
import type { ReindexFlags } from './reindex-command.js'

const EXPORT_DETAILS = `
A WARC file (WARC 1.1) holds each page as its answer was stored: the body decoded, without cookies and requests; equal bodies once.
It is compressed where its name ends with .gz. Without --warc each page is one JSON object a line: url, title, text, lang, date,
author, keywords, type, fetchedAt.

Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

const IMPORT_DETAILS = `
Files that end with .warc or .warc.gz are taken as WARC files, of any writer: the pages of their responses and resources, with
the times at which they were fetched; the last capture of an address counts, and pages that were crawled into this folder stay.
Other files are taken as by spindle index. A file that cannot be read to its end gives what comes before. Links are not followed.

Events and closing table are those of spindle index; skipped tells records that are no page: request, http-404, older, crawled, ….

Exit code: 0 done, 1 failed or a file could not be read to its end, 2 wrong usage, 130 interrupted.`

const REINDEX_DETAILS = `
Nothing is fetched. Every stored page is read again from its body, with the settings of now, and the index is filled anew; searches
are answered from the old one until the first pages are in the new. Stopped or killed, give the command again: it goes on.

Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

const DICTIONARY_DETAILS = `
The dictionary is a text file, dictionary.txt in the data folder unless index.dictionary names another: a word a line, behind it its
weight (how often it stands among 60 million words; 0: it is no word) and a tag where wanted, as in the dictionaries of jieba.
Without a weight a word is likelier than any other cut of its characters. Searches use a changed file at once, and just
the documents that have a changed word are analyzed again, by a crawl that runs, by the server, or by "apply" (add and remove do it too).

Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

/** @returns the commands; `run` is given what each does */
export function addStoreCommands(program: Command, run: (command: () => Promise<number>) => Promise<void>): Command[] {
  const common = (command: Command) =>
    command
      .option('--config <file>', 'configuration file (default: spindle.config.json, .mjs or .ts where there is one)')
      .option('--data <dir>', 'data folder (default: data)')
  return [
    common(program.command('export').description('write the stored pages to a WARC file, or as JSON lines'))
      .argument('[file]', 'file of JSON lines (default: standard output)')
      .option('--warc <file>', 'WARC file instead, compressed where the name ends with .gz')
      .addHelpText('after', EXPORT_DETAILS)
      .action((file: string | undefined, flags: ExportFlags) =>
        run(async () => (await import('./export-command.js')).exportCommand(file, flags)),
      ),
    common(program.command('import').description('take in WARC files and exported records'))
      .argument('<file...>', 'files: .warc, .warc.gz, .ndjson, .csv')
      .option('--json', 'one event a line on standard output')
      .addHelpText('after', IMPORT_DETAILS)
      .action((files: string[], flags: ImportFlags) =>
        run(async () => (await import('./import-command.js')).importCommand(files, flags)),
      ),
    common(program.command('reindex').description('make the index anew from the stored pages'))
      .option('--no-parse', 'take what was read of the pages when they were fetched')
      .addHelpText('after', REINDEX_DETAILS)
      .action((flags: ReindexFlags) => run(async () => (await import('./reindex-command.js')).reindexCommand(flags))),
    common(
      program
        .command('dictionary')
        .description('words of your own for Chinese text, and the index made anew where they stand'),
    )
      .argument('[action]', 'list (default), add, remove, apply')
      .argument('[word...]', 'the word; behind one that is added its weight, where wanted')
      .option('--no-apply', 'change the file alone')
      .addHelpText('after', DICTIONARY_DETAILS)
      .action((action: string | undefined, words: string[], flags: DictionaryFlags) =>
        run(async () => (await import('./dictionary-command.js')).dictionaryCommand(action, words, flags)),
      ),
    common(program.command('compact').description('take out of the page store what newer pages have replaced')).action(
      (flags: DataFlags) => run(async () => (await import('./reindex-command.js')).compactCommand(flags)),
    ),
  ]
}
