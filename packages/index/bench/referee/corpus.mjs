/** Finds or makes the corpus and the queries. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeDebianCorpus } from './debian-corpus.mjs'
import { drawQueries } from './draw-queries.mjs'
import { makeSmallCorpus } from './make-small-corpus.mjs'

/**
 * @param options.corpus a file with a document a line, options.queries lines `class TAB query`: made where not given
 * @param options.documents above 0: a made-up corpus of so many
 */
export async function findCorpus({ cache, corpus, queries, documents }) {
  let file = corpus
  let source = corpus === undefined ? '' : `\`${basename(corpus)}\``
  if (file === undefined && documents > 0) {
    file = join(cache, 'small.txt')
    writeFileSync(file, `${makeSmallCorpus(documents).join('\n')}\n`)
    source = 'made up'
  }
  if (file === undefined) {
    file = join(cache, 'debian.txt')
    source = "sections of Debian's documentation packages"
    if (!existsSync(file)) makeDebianCorpus(file, join(cache, 'packages'))
  }
  const lines = readFileSync(file, 'latin1').trimEnd().split('\n')
  const queryFile = queries ?? join(cache, `${basename(file)}.queries.tsv`)
  if (queries === undefined) writeFileSync(queryFile, `${drawQueries(lines).join('\n')}\n`)
  const texts = {}
  for (const line of readFileSync(queryFile, 'utf8').trim().split('\n')) {
    const [group, text] = line.split('\t')
    texts[group] ??= []
    texts[group].push(text)
  }
  return {
    file,
    source,
    documents: lines.length,
    bytes: statSync(file).size,
    queries: queryFile,
    texts,
    classes: Object.keys(texts),
  }
}
