/** Terms as UTF-8 into a scratch buffer: for short strings faster than crossing into the runtime (about 1 ns a unit). */

/** Bytes that `encodeUtf8` may need for so many UTF-16 units. */
export const MAX_UTF8_BYTES_PER_UNIT = 3

/**
 * Writes the UTF-8 of `text` into `out` from `at` on, where it must have room for 3 bytes a unit. A lone surrogate
 * becomes U+FFFD, in documents and queries alike.
 * @returns number of bytes
 */
export function encodeUtf8(text: string, out: Uint8Array, at = 0): number {
  let n = at
  for (let i = 0; i < text.length; i++) {
    let unit = text.charCodeAt(i)
    if (unit < 0x80) {
      out[n++] = unit
      continue
    }
    if (unit < 0x800) {
      out[n++] = 0xc0 | (unit >>> 6)
      out[n++] = 0x80 | (unit & 0x3f)
      continue
    }
    if (unit >= 0xd800 && unit < 0xe000) {
      const next = unit < 0xdc00 && i + 1 < text.length ? text.charCodeAt(i + 1) : 0
      if (next >= 0xdc00 && next < 0xe000) {
        const point = 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00)
        out[n++] = 0xf0 | (point >>> 18)
        out[n++] = 0x80 | ((point >>> 12) & 0x3f)
        out[n++] = 0x80 | ((point >>> 6) & 0x3f)
        out[n++] = 0x80 | (point & 0x3f)
        i++
        continue
      }
      unit = 0xfffd
    }
    out[n++] = 0xe0 | (unit >>> 12)
    out[n++] = 0x80 | ((unit >>> 6) & 0x3f)
    out[n++] = 0x80 | (unit & 0x3f)
  }
  return n - at
}
