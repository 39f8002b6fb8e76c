#!/usr/bin/env node
/**
 * How well the main text of pages is found: `node packages/crawler/bench/main-text.mjs ROOT… [--before DIR] [--readability DIR]
 * [--by-hand] [--pages] [--marks FILE]`.
 *
 * `main-text-marks.json` marks 300 pages of six Debian packages, three in English and three in Chinese: 240 by a rule for the
 * template of their site, 60 by eye on pictures of the rendered page, as runs of text named by their first and last words. Text of
 * its own are headings, text, notes, code, tables, authors that are named, “see also”, a list of contents that stands in the article;
 * not what is hidden, breadcrumbs, menus, tabs and other controls, the letters above an index, notices on the site or on all its
 * translations, page footers. Each ROOT is a folder in which such packages are unpacked (`dpkg-deb -x`), in folders of their names.
 * Prints, for each site, F1 of tokens (words, Han characters one by one) as the mean over its pages, with precision and recall, for
 *
 *   all          everything that is text
 *   before       the page reader of another built checkout (--before)
 *   readability  @mozilla/readability on a jsdom of a folder with both in its node_modules (--readability), and the
 *                title that it hands out apart
 *   page         the page reader
 *   site         the same, compared with 64 other pages of its site and language, as at the end of a crawl
 *
 * and the CPU milliseconds of a page. --by-hand reads the 60 pages alone, --pages prints the ten worst pages of each site.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { parsePage } from '../dist/parse/parse-page.js'
import { FrameCounter } from '../dist/site-frame/page-frame.js'
import { pageTokens, score, tokenize, trueTokens } from './main-text-truth.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    readability: { type: 'string' },
    'by-hand': { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    marks: { type: 'string', default: fileURLToPath(new URL('main-text-marks.json', import.meta.url)) },
  },
})
if (positionals.length === 0) throw new Error('name a folder in which the packages are unpacked')

const input = (url, body) => ({ url, contentType: 'text/html', body })
const readers = { all: (body) => pageTokens(body.toString(), [], []).join(' ') }
if (values.before !== undefined) {
  const path = resolve(values.before, 'packages/crawler/dist/parse/parse-page.js')
  const before = await import(pathToFileURL(path).href)
  readers.before = (body, url) => before.parsePage(input(url, body)).text
}
if (values.readability !== undefined) {
  const load = createRequire(resolve(values.readability, 'package.json'))
  const { JSDOM } = load('jsdom')
  const { Readability } = load('@mozilla/readability')
  readers.readability = (body, url) => {
    const article = new Readability(new JSDOM(body.toString(), { url }).window.document).parse()
    if (article === null) return ''
    // its text content has no blank between blocks, and it hands out the main heading apart
    const text = pageTokens(article.content, [], []).join(' ')
    const title = tokenize(article.title ?? '').join(' ')
    return ` ${text} `.includes(` ${title} `) ? text : `${title} ${text}`
  }
}
readers.page = (body, url) => parsePage(input(url, body)).text

/** Pages of a site that are compared. */
const SAMPLE = 64

const rows = []
const total = {}
for (const site of JSON.parse(readFileSync(values.marks, 'utf8'))) {
  const folder = positionals.map((root) => join(root, site.package, site.folder)).find(existsSync)
  if (folder === undefined) throw new Error(`no package ${site.package} below ${positionals.join(', ')}`)
  const frame = frameOf(site, folder)
  readers.site = (body, url) => {
    const { text, sections } = parsePage(input(url, body))
    return frame.strip(text, sections)?.text ?? text
  }
  const results = {}
  for (const [name, read] of Object.entries(readers)) results[name] = measure(name, read, site, folder)
  for (const [name, { pages, cpu }] of Object.entries(results)) {
    rows.push(row(site.name, name, pages, cpu))
    total[name] ??= { pages: [], cpu: 0 }
    total[name].pages.push(...pages)
    total[name].cpu += cpu
    if (values.pages && name === 'site') {
      for (const { f1, precision, recall, path } of [...pages].sort((a, b) => a.f1 - b.f1).slice(0, 10)) {
        process.stdout.write(`  ${f1.toFixed(3)}  p ${precision.toFixed(3)} r ${recall.toFixed(3)}  ${path}\n`)
      }
    }
  }
}
for (const [name, { pages, cpu }] of Object.entries(total)) rows.push(row('all', name, pages, cpu))
console.table(rows)

function frameOf(site, folder) {
  const counter = new FrameCounter()
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = all
    .filter((file) => file.isFile() && file.name.endsWith('.html'))
    .map((file) => join(file.parentPath, file.name))
  const step = Math.max(1, Math.floor(paths.length / SAMPLE))
  for (const path of paths
    .sort()
    .filter((_, i) => i % step === 0)
    .slice(0, SAMPLE)) {
    counter.add(parsePage(input(`http://${site.name}.example/`, readFileSync(path))).text)
  }
  return counter.frame()
}

function measure(name, read, site, folder) {
  const pages = []
  let cpu = 0
  for (const page of site.pages) {
    if (values['by-hand'] && page.runs === undefined) continue
    const body = readFileSync(join(folder, page.path))
    const wanted = trueTokens(body.toString(), site, page)
    const start = process.cpuUsage()
    let text = ''
    try {
      text = read(body, `http://${site.name}.example/${page.path}`)
    } catch (error) {
      process.stderr.write(`${name}: ${page.path}: ${error.message}\n`)
    }
    const { user, system } = process.cpuUsage(start)
    cpu += (user + system) / 1000
    pages.push({ ...score(tokenize(text), wanted), path: page.path, byHand: page.runs !== undefined })
  }
  return { pages, cpu }
}

function row(site, reader, pages, cpu) {
  const mean = (key, of = pages) => Number((of.reduce((sum, page) => sum + page[key], 0) / of.length).toFixed(4))
  return {
    site,
    reader,
    pages: pages.length,
    f1: mean('f1'),
    precision: mean('precision'),
    recall: mean('recall'),
    'f1 by hand': mean(
      'f1',
      pages.filter(({ byHand }) => byHand),
    ),
    'ms a page': Number((cpu / pages.length).toFixed(2)),
  }
}
