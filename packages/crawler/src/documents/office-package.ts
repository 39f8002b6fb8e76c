/** What the three formats of Office Open XML (ECMA-376) share: parts, relationships between them, core properties. */

import { posix } from 'node:path'
import { parseDate } from '../parse/published-date.js'
import { readLeaves, readXml } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** A relationship of a part. */
export interface Relationship {
  /** the last segment of its type: `hyperlink`, `slide`, `worksheet`, … */
  readonly type: string
  /** name of a part, or the address of something outside of the package */
  readonly target: string
  readonly external: boolean
}

/** Relationships of a part by id; none where it has none. */
export function relationshipsOf(archive: ZipArchive, part: string): ReadonlyMap<string, Relationship> {
  const folder = posix.dirname(part)
  const found = new Map<string, Relationship>()
  const bytes = archive.find(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))
  if (bytes === undefined) return found
  readXml(bytes, {
    open(name, attributes) {
      if (name !== 'Relationship') return
      const { Id, Type = '', Target = '', TargetMode } = attributes
      if (Id === undefined) return
      const external = TargetMode === 'External'
      const target = external ? Target : posix.join(Target.startsWith('/') ? '' : folder, Target).replace(/^\//, '')
      found.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target, external })
    },
  })
  return found
}

/** The part that the package is about (`word/document.xml` or whatever its writer calls it); undefined where there is none. */
export function mainPart(archive: ZipArchive): string | undefined {
  for (const { type, target, external } of relationshipsOf(archive, '').values()) {
    if (type === 'officeDocument' && !external) return target
  }
  return undefined
}

/** Core properties (ECMA-376 part 2, §11). */
export interface CoreProperties {
  readonly title: string
  readonly author: string
  readonly description: string
  readonly lang: string
  readonly keywords: readonly string[]
  readonly published: string | undefined
}

/** The core properties of a package, empty where it tells none. */
export function coreProperties(archive: ZipArchive): CoreProperties {
  const values: Record<string, string> = {}
  for (const { type, target } of relationshipsOf(archive, '').values()) {
    if (type !== 'core-properties') continue
    const bytes = archive.find(target)
    if (bytes === undefined) continue
    readLeaves(bytes, (name, text) => {
      values[name] ??= text.trim()
    })
  }
  const { title = '', creator = '', description = '', subject = '', language = '' } = values
  return {
    title,
    author: creator,
    description: description === '' ? subject : description,
    lang: language,
    keywords: splitKeywords(values.keywords ?? ''),
    published: parseDate(values.created ?? '') ?? parseDate(values.modified ?? ''),
  }
}

const MAX_KEYWORDS = 50

/** Keywords as people write them into one field; blanks part them only where nothing else does. */
export function splitKeywords(text: string): string[] {
  const parts = text.split(/[,;，；、|\n]/)
  const words = parts.map((part) => part.trim()).filter((part) => part !== '')
  return [...new Set(words)].slice(0, MAX_KEYWORDS)
}
