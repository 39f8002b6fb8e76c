/**
 * Records of a WARC file (ISO 28500:2017, WARC 1.1; 1.0 and the drafts before it differ in nothing that matters here): a head of
 * named fields, a block of `Content-Length` bytes, two line ends.
 */

/** The head of a record. */
export interface WarcHead {
  /** `response`, `resource`, `revisit`, `warcinfo`, …; lower case */
  readonly type: string
  /** names in lower case; of a repeated one the first value */
  readonly fields: ReadonlyMap<string, string>
  /** bytes of the block */
  readonly length: number
}

/** Most bytes of a block that is kept; of a longer one its beginning. */
export const MAX_BLOCK = 32 * 1024 * 1024

/** WARC-Target-URI; some writers put it between angle brackets. */
export function targetOf({ fields }: WarcHead): string {
  return (fields.get('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1')
}

/** WARC-Date in milliseconds since 1970, undefined where it is none. */
export function dateOf({ fields }: WarcHead): number | undefined {
  const date = Date.parse(fields.get('warc-date') ?? '')
  return Number.isNaN(date) ? undefined : date
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base 32 (RFC 4648, §6) of whole groups of five bytes, as digests in WARC files are written. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >>> (bits - 5)) & 31]
    value &= 0xff
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31]
}
