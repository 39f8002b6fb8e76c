/**
 * The frame of every index file: 32 bytes before, 16 bytes after the content, so that a foreign, swapped or truncated
 * file is known when it is opened, and a flipped bit when its checksum is compared.
 *
 *   header  0  magic "SPDL"   4  component, 8 ASCII bytes   12  format: version, u16   14  its revision, u16
 *                                                           16  id of the segment, 16 bytes
 *   footer  0  magic "LDPS"   4  length of the file, u32 low, u32 high              12  CRC-32 of all bytes before it
 */

/** Length of the header in bytes; a multiple of 4, so that words of the content are aligned. */
export const HEADER_LENGTH = 32
/** Length of the footer in bytes. */
export const FOOTER_LENGTH = 16
/** Length of a segment's id in bytes. */
export const ID_LENGTH = 16
/** First four bytes of a header, read as a little-endian word. */
export const HEADER_MAGIC = 0x4c445053
/** First four bytes of a footer, read as a little-endian word. */
export const FOOTER_MAGIC = 0x5350444c

/** The component names written into headers: at most 8 characters. */
export type Component =
  | 'commit'
  | 'newest'
  | 'info'
  | 'fields'
  | 'terms'
  | 'postings'
  | 'position'
  | 'norms'
  | 'stored'
  | 'live'
  | 'values'

/** Components that are read by ranges, with checksums of their pages (page-checksums.ts). */
export const PAGED_COMPONENTS: ReadonlySet<Component> = new Set(['terms', 'postings', 'position'])

/** A component's name as the 8 bytes of the header. */
export function componentBytes(component: Component): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.write(component, 'latin1')
  return bytes
}
