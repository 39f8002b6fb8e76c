/** A tiny index with files of every kind, as bytes that a test can damage; and what a damaged one may say. */
import { isSpindleError } from '@spindle/core'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { WhitespaceAnalyzer } from './whitespace-analyzer.js'

/** Files of an index by name. */
export type Files = Map<string, Uint8Array>

/** Two segments, packed blocks, deletes, layers, doc values, some of them changed later. */
export async function buildTinyIndex(commits = 3): Promise<Files> {
  const directory = new MemoryDirectory('tiny')
  const analyzer = new WhitespaceAnalyzer(true)
  const writer = await IndexWriter.open(directory, { analyzer })
  for (let i = 0; i < 150; i++) {
    const body = i < 140 ? `a a ${i % 9 === 0 ? 'rare' : ''}` : 'other words only'
    const document = new Document().add(Field.keyword('id', String(i))).add(Field.text('body', body))
    if (i % 3 === 0) document.add(Field.integer('year', 1990 + (i % 7))).add(Field.integer('year', 2000))
    if (i % 5 === 0) document.add(Field.float('price', i / 3)).add(Field.facet('color', i % 2 === 0 ? 'red' : 'blue'))
    await writer.addDocument(document)
  }
  await writer.commit({ userData: { key: 'value' } })
  await writer.addDocument(new Document().add(Field.keyword('id', 'last')).add(Field.text('body', 'a second segment')))
  await writer.deleteDocuments({ field: 'id', text: '3' })
  await writer.commit()
  await writer.deleteDocuments({ field: 'id', text: '5' })
  await writer.updateDocValues({ field: 'id', text: '8' }, 'rank', 0.25)
  if (commits < 3) await writer.rollback()
  else await writer.close()
  return filesOf(directory)
}

/** The files of a directory in memory. */
export async function filesOf(directory: MemoryDirectory): Promise<Files> {
  const files: Files = new Map()
  for (const name of await directory.list()) {
    const input = await directory.open(name)
    const bytes = new Uint8Array(input.length)
    await input.read(bytes, 0)
    files.set(name, bytes)
  }
  return files
}

/** A directory in memory with these files, one of them replaced. */
export async function directoryOf(
  files: Files,
  name = '',
  bytes: Uint8Array = new Uint8Array(0),
): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory('tiny')
  for (const [file, original] of files) {
    const output = await directory.createOutput(file)
    output.write(file === name ? bytes : original)
    await output.close()
  }
  return directory
}

/** A message of ours, that says where; an error of any other kind is a fault of the program. */
export function isKnown(error: unknown): boolean {
  return (
    isSpindleError(error, 'INDEX_FORMAT_TOO_NEW') ||
    isSpindleError(error, 'INDEX_FORMAT_TOO_OLD') ||
    (isSpindleError(error, 'INDEX_CORRUPT') &&
      /tiny\/\S+ is damaged at byte \d+: expected .*, found /.test(error.message))
  )
}

/** What a check says, with the errors of all parts; fails where one of them is none of ours. */
export async function checkDamaged(
  directory: MemoryDirectory,
): Promise<{ clean: boolean; foreign: string | undefined }> {
  try {
    const report = await checkIndex(directory, { idField: 'id' })
    const parts = report.segments.flatMap((segment) => [...Object.values(segment.parts), ...segment.files])
    const errors = [report, report.uniqueIds, ...parts].map((one) => one?.error ?? '')
    return { clean: report.clean, foreign: errors.find((error) => /^[A-Za-z]*Error: /.test(error)) }
  } catch (error) {
    return { clean: false, foreign: isKnown(error) ? undefined : String(error) }
  }
}
