/**
 * The examples in the documentation of queries, formulas and analyzers of parts: each is compiled against the public surface as a program of its own and
 * run, and each `console.log(…) // text` in it has to print that text.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format, promisify } from 'node:util'
import t from 'tap'
import * as surface from '../../index.js'

interface Example {
  readonly name: string
  readonly file: string
  readonly code: string
}

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url))
const source = join(packageRoot, 'src')
const FOLDERS = ['analysis/custom', 'search/query', 'search/similarity', 'query-parser']

/** Single files with examples. */
const FILES = ['indexing/changed-words.ts']

/** The examples of the exported classes and interfaces of a file; null in the place of one that a class lacks. */
function examplesIn(file: string, text: string): { name: string; code: string | null }[] {
  const found: { name: string; code: string | null }[] = []
  const exports = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (abstract class|class|interface) (\w+)/g
  let classes = 0
  for (const [, comment, kind, name] of text.matchAll(exports)) {
    const lines = comment!.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
    const blocks = [...lines.join('\n').matchAll(/@example\s+```ts\n([\s\S]*?)```/g)]
    for (const [, code] of blocks) found.push({ name: name!, code: code! })
    if (blocks.length === 0 && kind === 'class') found.push({ name: name!, code: null })
    if (kind !== 'interface') classes++
  }
  const all = [...text.matchAll(/^export (?:abstract )?class /gm)].length
  if (classes !== all) throw new Error(`${file}: ${all - classes} exported classes have no comment`)
  return found
}

/** What an example says that it prints. */
function statedOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text!.trim())
}

const files = [...FILES]
for (const folder of FOLDERS) {
  for (const name of (await readdir(join(source, folder))).sort()) {
    if (name.endsWith('.ts') && !name.endsWith('.test.ts')) files.push(`${folder}/${name}`)
  }
}
const examples: Example[] = []
for (const file of files) {
  for (const { name: of, code } of examplesIn(file, await readFile(join(source, file), 'utf8'))) {
    if (code !== null) examples.push({ name: of, file, code })
    else if (of in surface) t.fail(`${of} of ${file} has no @example with a block of ts`)
  }
}

t.test('each class of a query is in docs/queries.md', async (t) => {
  const page = await readFile(join(packageRoot, '..', '..', 'docs', 'queries.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  const names = rows.map((row) => /^\| `(\w+)` \|/.exec(row)?.[1])
  for (const [name, value] of Object.entries(surface)) {
    if (!(typeof value === 'function' && value.prototype instanceof surface.Query)) continue
    t.equal(names.filter((other) => other === name).length, 1, name)
  }
  for (const name of names) t.ok(name !== undefined && name in surface, `${name} is exported`)
})

const folder = await mkdtemp(join(packageRoot, 'dist', 'examples-'))
t.teardown(() => rm(folder, { recursive: true }))
const programOf = (i: number): string => `${i}-${examples[i]!.name}`

t.test('they compile', async (t) => {
  const programs = join(folder, 'src')
  await mkdir(programs)
  for (let i = 0; i < examples.length; i++) await writeFile(join(programs, `${programOf(i)}.ts`), examples[i]!.code)
  const settings = {
    extends: join(packageRoot, '..', '..', 'tsconfig.base.json'),
    compilerOptions: { composite: false, declaration: false, sourceMap: false, rootDir: 'src', outDir: 'out' },
    include: ['src'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  // Without what the test runner gives every program of Node.js to load, which this one cannot.
  const command = ['NODE_OPTIONS=', process.execPath, compiler, '-p', folder]
  const faults = await promisify(execFile)('env', command).then(
    () => '',
    (error) => `${error.stdout}${error.stderr}`,
  )
  t.equal(faults, '')
})

t.test('they print what they say', async (t) => {
  const log = console.log
  t.teardown(() => {
    console.log = log
  })
  for (let i = 0; i < examples.length; i++) {
    const { name, file, code } = examples[i]!
    const stated = statedOutput(code)
    t.not(stated.length, 0, `${file}: the example of ${name} states what it prints`)
    const printed: string[] = []
    console.log = (...values: unknown[]) => void printed.push(format(...values))
    await import(pathToFileURL(join(folder, 'out', `${programOf(i)}.js`)).href)
    console.log = log
    t.same(printed, stated, `${file}: ${name}`)
  }
})
