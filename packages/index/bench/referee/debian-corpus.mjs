/**
 * The corpus of the referee: documentation packages of Debian, fetched by apt and unpacked (about 500 MB), cut into
 * sections, three in five of them taken, each section once. Text becomes lower-case words of a-z and 0-9.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { readDictionary, readHtml, readPod } from './read-sections.mjs'

const PACKAGES = [
  'openjdk-17-doc',
  'python3.11-doc',
  'postgresql-doc-15',
  'perl-doc',
  'cppreference-doc-en-html',
  'linux-doc-6.1',
  'libreoffice-help-en-us',
  'erlang-doc',
  'libboost1.74-doc',
  'qtbase5-doc-html',
  'debian-handbook',
  'rust-doc',
  'dict-gcide',
  'dict-wn',
  'dict-foldoc',
]
/** Lists of names and sources, translations: not text. */
const SKIPPED =
  /translations\/|_sources\/|genindex|py-modindex|searchindex|class-use\/|index-files\/|allclasses|-tree\.html|constant-values|all\.html$|implementors|\/src\//
const LARGEST_FILE = 6e6

function isWanted(name, path) {
  if (SKIPPED.test(path)) return false
  if (name === 'debian-handbook') return path.includes('en-US')
  if (name !== 'rust-doc') return true
  const books = /\/(book|reference|nomicon|rustc|cargo|rust-by-example|edition-guide|std)\//
  return books.test(path) && !/print\.html|\/std\/(arch|simd|os)\//.test(path)
}

/** Unpacks what is not unpacked in `folder`. */
function fetchPackages(folder) {
  const downloads = join(folder, 'downloads')
  mkdirSync(downloads, { recursive: true })
  for (const name of PACKAGES) {
    const target = join(folder, name)
    if (existsSync(target)) continue
    console.error(`fetching ${name}`)
    const find = () => readdirSync(downloads).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'))
    if (find() === undefined) execFileSync('apt-get', ['download', '-qq', name], { cwd: downloads })
    execFileSync('dpkg', ['-x', join(downloads, find()), `${target}.part`])
    renameSync(`${target}.part`, target)
  }
}

function readFile(name, path, relative, emit) {
  if (/\.x?html?$/.test(path)) {
    if (isWanted(name, relative) && statSync(path).size <= LARGEST_FILE) readHtml(readFileSync(path, 'utf8'), emit)
  } else if (path.endsWith('.pod')) readPod(readFileSync(path, 'latin1'), emit)
  else if (path.endsWith('.dict.dz')) {
    readDictionary(readFileSync(path), readFileSync(path.replace('.dict.dz', '.index'), 'utf8'), emit)
  }
}

function* filesBelow(folder, relative = '') {
  const entries = readdirSync(join(folder, relative), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, path)
    else if (entry.isFile()) yield path
  }
}

/** Writes the corpus to `file`. @param folder where packages are unpacked */
export function makeDebianCorpus(file, folder) {
  fetchPackages(folder)
  const seen = new Set()
  const out = openSync(`${file}.part`, 'w')
  let pending = []
  const flush = () => {
    if (pending.length > 0) writeSync(out, `${pending.join('\n')}\n`)
    pending = []
  }
  const emit = (text) => {
    const digest = createHash('md5').update(text).digest('base64')
    if (seen.has(digest)) return
    seen.add(digest)
    if ((seen.size - 1) % 5 >= 3) return
    const words = text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
    pending.push(words)
    if (pending.length === 4096) flush()
  }
  for (const name of PACKAGES) {
    const root = join(folder, name)
    for (const path of filesBelow(root)) readFile(name, join(root, path), path, emit)
    console.error(`${name}: ${seen.size} sections so far`)
  }
  flush()
  closeSync(out)
  renameSync(`${file}.part`, file)
}
