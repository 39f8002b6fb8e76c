/** Lucene's core from Maven, and LucenePeer compiled against it; both are kept in a folder. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const LUCENE_VERSION = '9.12.3'
const SOURCE = join(import.meta.dirname, 'LucenePeer.java')

/** @returns the command that starts the peer; throws where there is no JDK, or no Maven for a jar that is not there */
export function luceneCommand(folder) {
  mkdirSync(folder, { recursive: true })
  const jar = join(folder, `lucene-core-${LUCENE_VERSION}.jar`)
  if (!existsSync(jar)) {
    const artifact = `-Dartifact=org.apache.lucene:lucene-core:${LUCENE_VERSION}`
    execFileSync('mvn', ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${folder}`])
  }
  const compiled = join(folder, 'LucenePeer.class')
  if (!existsSync(compiled) || statSync(compiled).mtimeMs < statSync(SOURCE).mtimeMs) {
    execFileSync('javac', ['-cp', jar, '-d', folder, SOURCE])
  }
  return ['java', '-cp', `${folder}:${jar}`, 'LucenePeer']
}
