#!/usr/bin/env node
/**
 * Makes a checkout ready to run: installs the packages of the lock file where they are missing and compiles what has
 * changed. Two stamps tell when there is nothing to do, so that a second run costs a few milliseconds. Plain
 * JavaScript of Node.js alone: it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const packages = ['packages/core', 'packages/index', 'packages/crawler', 'packages/server', 'tests']

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 15)) {
  fail(`Spindle needs Node.js 20.15 or newer, and this is ${process.versions.node}: install a newer one.`)
}

install()
build()

function install() {
  const stamp = join(modules, '.spindle-install')
  const wanted = hash(readFileSync(join(root, 'package-lock.json')))
  if (read(stamp) === wanted) return
  say('Installing packages …')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const run =
    npm?.endsWith('.js') === true
      ? spawnSync(process.execPath, [npm, ...args], { cwd: root, encoding: 'utf8' })
      : spawnSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' })
  if (run.status !== 0) {
    process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? run.error?.message ?? ''}\n`)
    fail(
      'The packages could not be installed: the lines above tell why; check the network and run the same command again.',
    )
  }
  writeFileSync(stamp, wanted)
}

function build() {
  const stamp = join(modules, '.spindle-build')
  const sources = packages.flatMap((name) => [
    ...files(join(root, name, 'src')),
    join(root, name, 'tsconfig.json'),
    join(root, name, 'package.json'),
  ])
  const state = createHash('sha256')
    .update(readFileSync(join(root, 'tsconfig.base.json')))
    .update(process.versions.node)
  for (const file of sources) {
    const { mtimeMs, size } = statSync(file)
    state.update(`${relative(root, file)} ${mtimeMs} ${size}\n`)
  }
  const wanted = state.digest('hex')
  if (read(stamp) === wanted && packages.every((name) => existsSync(join(root, name, 'dist')))) return
  say('Compiling …')
  removeStale()
  const run = spawnSync(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '-b'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (run.status !== 0) fail('The sources do not compile: the lines above tell where.')
  writeFileSync(stamp, wanted)
}

/** Removes compiled files whose source is gone: an old test would still run. */
function removeStale() {
  for (const name of packages) {
    const dist = join(root, name, 'dist')
    for (const file of files(dist)) {
      const base = relative(dist, file).replace(/(\.d\.ts|\.js|\.mjs)(\.map)?$/, '')
      if (base.endsWith('.tsbuildinfo')) continue
      if (!existsSync(join(root, name, 'src', `${base}.ts`))) {
        rmSync(file)
        rmSync(join(dist, 'tsconfig.tsbuildinfo'), { force: true })
      }
    }
  }
}

function files(folder) {
  if (!existsSync(folder)) return []
  const found = []
  const pending = [folder]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) pending.push(path)
      else found.push(path)
    }
  }
  return found.sort()
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
