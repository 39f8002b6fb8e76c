/** Text of a book (EPUB 2 and 3): chapters in the order of reading as sections. */

import { posix } from 'node:path'
import { parseDate } from '../parse/published-date.js'
import type { DocumentText } from './document-text.js'
import { DocumentError, type DocumentLink, type ExtractedDocument, NOTHING_TOLD } from './extracted-document.js'
import { linksOf, readHtml } from './read-html.js'
import { attribute, readXml } from './read-xml.js'
import type { ZipArchive } from './zip-archive.js'

/** Encryption that hides fonts only (EPUB 3 §4.2.6.1 and Adobe's); the text stays readable. */
const FONTS_ONLY = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])
/** What programs put in of themselves. */
const NOBODY = /^unknown(?: author)?$/i
const CHAPTER_TYPES = new Set(['application/xhtml+xml', 'text/html'])

interface Package {
  /** parts in the order of reading */
  readonly chapters: readonly string[]
  readonly values: ReadonlyMap<string, readonly string[]>
}

/**
 * @param folder of the book in the archive, with an ending slash; empty for the root
 * @throws DocumentError
 */
export function readEpub(archive: ZipArchive, folder: string, text: DocumentText): ExtractedDocument {
  checkEncryption(archive, folder)
  const { chapters, values } = readPackage(archive, posix.join(folder, packagePart(archive, folder)))
  const links: DocumentLink[] = []
  for (const chapter of chapters) {
    const bytes = archive.find(chapter)
    if (bytes === undefined) continue
    if (text.isFull) {
      text.cutShort()
      break
    }
    // Links between chapters lead to nothing outside: they are resolved against an address that is never crawled.
    const page = readHtml(bytes, 'epub:///', true) ?? readHtml(bytes, 'epub:///')
    if (page === null || page.text === '') continue
    text.section({ heading: page.title === '' ? page.text.slice(0, page.text.indexOf('\n')) : page.title })
    for (const line of page.text.split('\n')) {
      text.append(line)
      text.block()
    }
    links.push(...linksOf(page).filter(({ url }) => /^https?:/.test(url)))
  }
  const first = (name: string): string => values.get(name)?.[0] ?? ''
  return {
    ...NOTHING_TOLD,
    kind: 'office',
    title: first('title'),
    author: (values.get('creator') ?? []).filter((name) => !NOBODY.test(name)).join(', '),
    description: first('description').replace(/<[^>]{0,500}>/g, ' '),
    lang: first('language'),
    keywords: (values.get('subject') ?? []).slice(0, 50),
    published: parseDate(first('date')),
    links,
    ...text.finish(),
  }
}

function checkEncryption(archive: ZipArchive, folder: string): void {
  const bytes = archive.find(`${folder}META-INF/encryption.xml`)
  if (bytes === undefined) return
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'EncryptionMethod' && !FONTS_ONLY.has(attribute(attributes, 'Algorithm') ?? '')) {
        throw new DocumentError('document-encrypted', 'its text is encrypted')
      }
    },
  })
}

function packagePart(archive: ZipArchive, folder: string): string {
  let part: string | undefined
  readXml(archive.read(`${folder}META-INF/container.xml`), {
    open(name, attributes) {
      if (name === 'rootfile') part ??= attribute(attributes, 'full-path')
    },
  })
  if (part === undefined) throw new DocumentError('document-broken', 'it names no package document')
  return part
}

function readPackage(archive: ZipArchive, part: string): Package {
  const folder = posix.dirname(part)
  const items = new Map<string, string>()
  const chapters: string[] = []
  const values = new Map<string, string[]>()
  let inMetadata = false
  let text = ''
  readXml(archive.read(part), {
    open(name, attributes) {
      text = ''
      if (name === 'metadata') inMetadata = true
      else if (name === 'item') {
        const { id, href, 'media-type': type = '' } = attributes
        if (id !== undefined && href !== undefined && CHAPTER_TYPES.has(type)) items.set(id, href)
      } else if (name === 'itemref') {
        const href = items.get(attributes.idref ?? '')
        if (href !== undefined) chapters.push(posix.join(folder, decoded(href)))
      }
    },
    text: (piece) => {
      text += piece
    },
    close(name) {
      if (name === 'metadata') inMetadata = false
      const value = text.trim()
      text = ''
      if (!inMetadata || value === '') return
      const list = values.get(name)
      if (list === undefined) values.set(name, [value])
      else list.push(value)
    },
  })
  return { chapters, values }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
