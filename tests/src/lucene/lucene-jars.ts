/** Lucene's jars, which Maven brings, and the classes of tests/java, compiled once: in .cache/, by what they are made of. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../support/spindle-process.js'

const run = promisify(execFile)
const sources = join(projectRoot, 'tests/java')
const cache = join(projectRoot, '.cache/lucene')

/** What is missing on this machine to run Lucene, or undefined. */
export function missingForLucene(): string | undefined {
  return ['java', 'javac', 'mvn'].find((program) => !isProgram(program))
}

function isProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The class path of the oracle. @throws what Maven or the compiler say where they fail */
export async function luceneClassPath(): Promise<string> {
  const pom = join(sources, 'pom.xml')
  const files = (await readdir(sources)).filter((name) => name.endsWith('.java')).map((name) => join(sources, name))
  const jars = await once('jars', [pom], (folder) =>
    run('mvn', ['-B', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]),
  )
  const classes = await once('classes', [pom, ...files], (folder) =>
    run('javac', ['-encoding', 'UTF-8', '-cp', join(jars, '*'), '-d', folder, ...files]),
  )
  return [classes, join(jars, '*')].join(delimiter)
}

/** A folder that is made once for each state of some files; whole or not there, also where two processes make it. */
async function once(
  name: string,
  from: readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [...from].sort()) hash.update(await readFile(file))
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    await make(unfinished)
    await rename(unfinished, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}
