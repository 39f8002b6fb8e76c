/** One document from bytes to text, in the thread that calls. Each format is loaded when it is first needed. */

import { DocumentText } from './document-text.js'
import { DocumentError, type DocumentFormat, type DocumentInput, type ExtractedDocument } from './extracted-document.js'
import { mainPart } from './office-package.js'
import { ZipArchive } from './zip-archive.js'

/**
 * Reads a document; null where it turns out to be none that is read.
 * @throws DocumentError
 */
export async function extractDocument(format: DocumentFormat, input: DocumentInput): Promise<ExtractedDocument | null> {
  switch (format) {
    case 'pdf':
      return (await import('./pdf.js')).readPdf(input)
    case 'package':
      return readPackage(new ZipArchive(input.bytes), new DocumentText(input.deadline))
    case 'encrypted':
      throw new DocumentError('document-encrypted', 'it is protected by a password')
    case 'markdown':
      return (await import('./markdown.js')).readMarkdown(input)
    case 'feed':
      return (await import('./feed.js')).readFeed(input)
  }
}

async function readPackage(archive: ZipArchive, text: DocumentText): Promise<ExtractedDocument | null> {
  const book = bookFolder(archive)
  if (book !== undefined) return (await import('./epub.js')).readEpub(archive, book, text)
  if (archive.has('content.xml')) return (await import('./open-document.js')).readOpenDocument(archive, text)
  if (!archive.has('[Content_Types].xml')) return null
  const part = mainPart(archive)
  if (part === undefined) throw new DocumentError('document-broken', 'it names no main part')
  if (part.startsWith('word/')) return (await import('./docx.js')).readDocx(archive, part, text)
  if (part.startsWith('xl/'))
    return part.endsWith('.bin') ? null : (await import('./xlsx.js')).readXlsx(archive, part, text)
  if (part.startsWith('ppt/')) return (await import('./pptx.js')).readPptx(archive, part, text)
  return null
}

const CONTAINER = /^((?:[^/]+\/)?)META-INF\/container\.xml$/

/** The folder of a book in its archive: the root, or one that was packed along with it. */
function bookFolder(archive: ZipArchive): string | undefined {
  if (archive.has('META-INF/container.xml')) return ''
  for (const name of archive.names()) {
    const match = CONTAINER.exec(name)
    if (match !== null) return match[1]
  }
  return undefined
}
