/** Which documents are read, and how they are known: by their first bytes where these are a sign, else by type and name. */

import type { DocumentFormat } from './extracted-document.js'

/** File name endings of documents that are read, without dot, lower case; feeds have none of their own. */
export const DOCUMENT_SUFFIXES: readonly string[] =
  'pdf docx docm dotx xlsx xlsm xltx pptx pptm ppsx odt ott ods ots odp otp epub'.split(' ')

const SUFFIXES = new Set(DOCUMENT_SUFFIXES)
const MARKDOWN_SUFFIX = /\.(?:md|markdown|mdown|mkd)$/i
const MARKDOWN_TYPES = new Set(['text/markdown', 'text/x-markdown'])
const TEXT_TYPES = new Set(['', 'text/plain', 'application/octet-stream'])
const FEED_TYPES = new Set(['application/rss+xml', 'application/atom+xml', 'application/rdf+xml'])
const XML_TYPES = new Set(['text/xml', 'application/xml', 'text/plain', 'application/octet-stream', ''])
/** Names of the first members of office packages; a mere archive may be anything. */
const PACKAGE_STARTS = ['mimetype', '[Content_Types].xml', '_rels/', 'docProps/', 'word/', 'xl/', 'ppt/', 'META-INF/']
const COMPOUND_FILE = 'd0cf11e0a1b11ae1'
/** Where an encrypted office package keeps itself in a compound file (MS-OFFCRYPTO §2.3.4.4). */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')
const SNIFF_BYTES = 1024

/**
 * The format of a document, or undefined where it is none that is read.
 * @param essence MIME essence, lower case, empty where there is none
 * @param url its address: the file name's ending is asked where nothing else tells
 */
export function sniffDocument(essence: string, url: string, body: Buffer): DocumentFormat | undefined {
  // Some programs put a few bytes before the head, and readers look for it in the first KiB.
  const head = body.subarray(0, SNIFF_BYTES)
  const start = head.toString('latin1')
  if (start.startsWith('%PDF-') || (essence === 'application/pdf' && start.includes('%PDF-'))) return 'pdf'
  if (start.startsWith('PK\x03\x04')) return isPackage(start, essence, url) ? 'package' : undefined
  if (head.subarray(0, 8).toString('hex') === COMPOUND_FILE) {
    return body.includes(ENCRYPTED_PACKAGE) ? 'encrypted' : undefined
  }
  const path = pathOf(url)
  // What is declared or named a document and begins otherwise is a broken one, unless it is a page that says so.
  const isPage = essence === 'text/html' || looksLikeMarkup(start)
  if (!isPage && essence !== 'text/plain' && (essence === 'application/pdf' || /\.pdf$/i.test(path))) return 'pdf'
  if (!isPage && isPackageType(essence)) return 'package'
  if (FEED_TYPES.has(essence) || (XML_TYPES.has(essence) && isFeed(start))) return 'feed'
  if (MARKDOWN_TYPES.has(essence) || (TEXT_TYPES.has(essence) && MARKDOWN_SUFFIX.test(path))) return 'markdown'
  return undefined
}

/** Whether an address names a document that may be large. */
export function isDocumentName(url: string): boolean {
  const ending = endingOf(url)
  return ending !== undefined && SUFFIXES.has(ending)
}

function isPackage(start: string, essence: string, url: string): boolean {
  if (isPackageType(essence)) return true
  if (isDocumentName(url)) return true
  const nameLength = start.charCodeAt(26) + start.charCodeAt(27) * 256
  const name = start.slice(30, 30 + nameLength)
  return PACKAGE_STARTS.some((known) => (known.endsWith('/') ? name.startsWith(known) : name === known))
}

function isPackageType(essence: string): boolean {
  return (
    essence.startsWith('application/vnd.openxmlformats-officedocument.') ||
    essence.startsWith('application/vnd.oasis.opendocument.') ||
    essence === 'application/epub+zip' ||
    /^application\/vnd\.ms-(?:word|excel|powerpoint)\..*macroenabled\.12$/.test(essence)
  )
}

function looksLikeMarkup(start: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|!--)/i.test(start)
}

/** The root element of RSS 0.9x to 2.0 or Atom, behind declaration, comments and style sheets. */
function isFeed(start: string): boolean {
  const text = start.replace(/\0/g, '')
  return /<rss[\s>]|<feed\s[^>]*http:\/\/(?:www\.w3\.org\/2005\/Atom|purl\.org\/atom)|<rdf:RDF\s[^>]*http:\/\/(?:purl\.org\/rss\/|my\.netscape\.com\/rdf)/.test(
    text,
  )
}

function endingOf(url: string): string | undefined {
  return /\.([a-z]{3,4})$/i.exec(pathOf(url))?.[1]?.toLowerCase()
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}
