/** The structure that ARCHITECTURE.md promises, held against the imports in the sources. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each package imports only those to its left. */
const CHAIN = ['core', 'index', 'crawler', 'server']

/** Folders of `index/src`, each level importing only the levels before it (and itself). */
const INDEX_LEVELS = [
  ['store', 'link-rank', 'evaluate'],
  ['document'],
  ['analysis'],
  ['codec'],
  ['reading'],
  ['search'],
  ['indexing', 'query-parser', 'highlight', 'suggest', 'facet', 'check'],
  ['cli'],
]

interface Import {
  readonly specifier: string
  readonly line: number
}

interface Source {
  readonly path: string
  readonly name: string
  readonly imports: readonly Import[]
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const imports: Import[] = []
  const pattern =
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm
  for (const match of text.matchAll(pattern)) {
    const specifier = match[1] ?? match[2] ?? match[3]
    if (specifier !== undefined) imports.push({ specifier, line: text.slice(0, match.index).split('\n').length })
  }
  return { path, name: relative(root, path).split(sep).join('/'), imports }
}

const sources = CHAIN.flatMap((name) => filesBelow(join(root, 'packages', name, 'src'))).map(readSource)
const production = sources.filter(
  (source) => !source.name.endsWith('.test.ts') && !source.name.includes('/test-support/'),
)

function target(source: Source, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return join(dirname(source.path), specifier).replace(/\.js$/, '.ts')
}

t.test('sources are found', (t) => {
  t.ok(production.length > 40, `${production.length} files`)
  t.ok(production.some((source) => source.imports.length > 3))
  for (const name of CHAIN)
    t.ok(
      production.some((source) => source.name.startsWith(`packages/${name}/`)),
      name,
    )
  t.end()
})

t.test('a package imports only those to its left, and only what their exports list', (t) => {
  for (const source of sources) {
    const own = CHAIN.indexOf(source.name.split('/')[1]!)
    const manifest = JSON.parse(readFileSync(join(root, 'packages', CHAIN[own]!, 'package.json'), 'utf8'))
    for (const { specifier, line } of source.imports) {
      const where = `${source.name}:${line} imports ${specifier}`
      const path = target(source, specifier)
      if (path !== undefined) {
        t.ok(path.startsWith(join(root, 'packages', CHAIN[own]!, 'src')), `${where}, inside its own package`)
        continue
      }
      const other = /^@spindle\/([a-z-]+)(\/.*)?$/.exec(specifier)
      if (other === null) continue
      const at = CHAIN.indexOf(other[1]!)
      t.ok(at >= 0 && at < own, where)
      const exported = JSON.parse(readFileSync(join(root, 'packages', other[1]!, 'package.json'), 'utf8')).exports
      t.ok(Object.hasOwn(exported, `.${other[2] ?? ''}`), `${where}, which that package exports`)
      t.ok(Object.hasOwn(manifest.dependencies ?? {}, `@spindle/${other[1]}`), `${where}, which its package.json names`)
    }
  }
  t.end()
})

t.test('core has no third-party dependency, and index no native one', (t) => {
  const dependencies = (name: string) =>
    Object.keys(JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).dependencies ?? {})
  t.strictSame(dependencies('core'), [])
  for (const source of production.filter((s) => s.name.startsWith('packages/core/'))) {
    for (const { specifier } of source.imports) t.match(specifier, /^(node:|\.)/, `${source.name} imports ${specifier}`)
  }
  for (const source of production.filter((s) => s.name.startsWith('packages/index/'))) {
    for (const { specifier } of source.imports) {
      t.notMatch(
        specifier,
        /^node:(http|https|net|dns|tls)$|^(undici|parse5|libsql|fastify)/,
        `${source.name}: ${specifier}`,
      )
    }
  }
  t.end()
})

t.test('folders of the index import only those before them', (t) => {
  const levelOf = (name: string): number => {
    const folder = name.split('/')[3]!
    return INDEX_LEVELS.findIndex((level) => level.includes(folder))
  }
  for (const source of production.filter((s) => /^packages\/index\/src\/[^/]+\//.test(s.name))) {
    const own = levelOf(source.name)
    t.ok(own >= 0, `${source.name} lies in a folder that ARCHITECTURE.md orders`)
    for (const { specifier, line } of source.imports) {
      const path = target(source, specifier)
      if (path === undefined) continue
      const name = relative(root, path).split(sep).join('/')
      const sameFolder = name.split('/')[3] === source.name.split('/')[3]
      t.ok(sameFolder || levelOf(name) < own, `${source.name}:${line} imports ${specifier}`)
    }
  }
  t.end()
})

/** Circles of a graph, one for each edge that leads back; linear in nodes and edges. */
function circlesOf(nodes: Iterable<string>, next: (node: string) => readonly string[]): string[][] {
  const done = new Set<string>()
  const circles: string[][] = []
  const path: string[] = []
  const visit = (node: string): void => {
    path.push(node)
    for (const other of next(node)) {
      const at = path.indexOf(other)
      if (at >= 0) circles.push([...path.slice(at), other])
      else if (!done.has(other)) visit(other)
    }
    path.pop()
    done.add(node)
  }
  for (const node of nodes) if (!done.has(node)) visit(node)
  return circles
}

t.test('no files import each other in a circle', (t) => {
  const graph = new Map(production.map((source) => [source.path, source]))
  const next = (file: string): string[] =>
    (graph.get(file)?.imports ?? [])
      .map(({ specifier }) => target(graph.get(file)!, specifier))
      .filter((other) => other !== undefined)
  t.strictSame(
    circlesOf(graph.keys(), next).map((circle) => circle.map((file) => relative(root, file)).join(' → ')),
    [],
  )
  const ring: Record<string, string[]> = { a: ['b', 'c'], b: ['d'], c: ['d'], d: ['b'] }
  t.strictSame(
    circlesOf(Object.keys(ring), (node) => ring[node]!),
    [['b', 'd', 'b']],
    'a circle is found',
  )
  t.end()
})

t.test('relative imports exist and files are named in kebab-case, with no drawers', (t) => {
  for (const source of sources) {
    t.match(basename(source.path), /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?(\.test|\.d)?\.ts$/, source.name)
    t.notMatch(basename(source.path), /^(utils?|helpers?|common|types|misc)(\.test)?\.ts$/, source.name)
    for (const { specifier, line } of source.imports) {
      const path = target(source, specifier)
      if (path !== undefined) t.ok(existsSync(path), `${source.name}:${line} imports ${specifier}`)
    }
  }
  t.end()
})

t.test('every folder of the sources has its heading in ARCHITECTURE.md, and every heading its folder', (t) => {
  const headings = [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^#{2,3} (.+)$/gm)].map(
    (m) => m[1]!,
  )
  const folders = CHAIN.flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'test-support')
      .map((entry) => `${name}/src/${entry.name}`),
  )
  for (const folder of folders) t.ok(headings.includes(folder), folder)
  for (const heading of headings.filter((text) => text.includes('/src/'))) t.ok(folders.includes(heading), heading)
  t.end()
})

t.test('the tables of the documentation are up to date', (t) => {
  const run = spawnSync(process.execPath, [join(root, 'docs/generate.mjs'), '--check'], { encoding: 'utf8' })
  t.equal(run.status, 0, run.stderr)
  t.end()
})
