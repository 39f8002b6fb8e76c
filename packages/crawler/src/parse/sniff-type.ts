/** What a body is, by its type and its first KiB: markup, plain text, or nothing to read. */

import { decodeAs, utf16Encoding } from './decode-text.js'

/** The kinds of body that can be read. */
export type BodyKind = 'html' | 'xhtml' | 'text'

const SNIFF_BYTES = 1024

/** Tags by which the MIME Sniffing standard knows HTML (§7.1), lower case. */
const HTML_STARTS = [
  '<!doctype html',
  '<html',
  '<head',
  '<script',
  '<iframe',
  '<h1',
  '<div',
  '<font',
  '<table',
  '<a',
  '<style',
  '<title',
  '<b',
  '<body',
  '<br',
  '<p',
  '<meta',
  '<!--',
]

/** First bytes of the binary formats that turn up under a text type. */
const BINARY_STARTS = [
  '%PDF-',
  'PK\x03\x04',
  '\x89PNG',
  'GIF8',
  '\xff\xd8\xff',
  'RIFF',
  'OggS',
  'ID3',
  '\x1f\x8b',
  'BZh',
  '\xfd7zXZ',
  '7z\xbc\xaf',
  'Rar!',
  'MZ\x90',
  '\x7fELF',
  '\xca\xfe\xba\xbe',
  '\xd0\xcf\x11\xe0',
  'wOFF',
  'wOF2',
  '%!PS',
]

/** Text types that hold no text for readers. */
const UNREADABLE_TEXT = new Set([
  'text/css',
  'text/javascript',
  'text/ecmascript',
  'text/xml',
  'text/calendar',
  'text/vcard',
])

/**
 * The kind of a body, or undefined where it is not to be read as text. The type is believed as long as the bytes do not speak
 * against it; without a type, or with one that says nothing, the bytes decide.
 * @param essence MIME essence, lower case, empty where there is none
 */
export function sniffKind(essence: string, body: Buffer): BodyKind | undefined {
  const head = body.subarray(0, SNIFF_BYTES)
  const unsure =
    essence === '' || essence === 'application/octet-stream' || essence === 'unknown/unknown' || essence === '*/*'
  const declared = unsure ? undefined : kindOfType(essence, head)
  if (!unsure && declared === undefined) return undefined
  if (looksBinary(head)) return undefined
  return declared ?? (looksLikeHtml(head) ? 'html' : 'text')
}

function kindOfType(essence: string, head: Buffer): BodyKind | undefined {
  if (essence === 'text/html') return 'html'
  if (essence === 'application/xhtml+xml') return 'xhtml'
  if (essence === 'text/xml' || essence === 'application/xml') return head.includes('<html') ? 'xhtml' : undefined
  if (essence.startsWith('text/') && !UNREADABLE_TEXT.has(essence)) return 'text'
  return undefined
}

/** Controls but white space. */
const CONTROL = /[^\t-\r -\uffff]/

/** Known first bytes, or more control characters than an accident of a text tool puts in. */
function looksBinary(head: Buffer): boolean {
  const start = head.subarray(0, 8).toString('latin1')
  for (const magic of BINARY_STARTS) if (start.startsWith(magic)) return true
  const utf16 = utf16Encoding(head)
  const text = utf16 === undefined ? head.toString('latin1') : decodeAs(head, utf16)
  if (!CONTROL.test(text)) return false
  let controls = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x09 || (code > 0x0d && code < 0x20 && code !== 0x1b)) controls++
  }
  return controls > 4 + text.length / 64
}

function looksLikeHtml(head: Buffer): boolean {
  let text = head.toString('latin1').toLowerCase()
  if (head[0] === 0xff || head[0] === 0xfe || head[0] === 0 || head[1] === 0) text = text.replace(/[\0\xff\xfe]/g, '')
  text = text.replace(/^\xef\xbb\xbf/, '').trimStart()
  if (text.startsWith('<?xml')) return text.includes('<html')
  for (const tag of HTML_STARTS) {
    if (!text.startsWith(tag)) continue
    const after = text[tag.length]
    if (tag === '<!--' || after === undefined || ' \t\n\r\f>/'.includes(after)) return true
  }
  return false
}
