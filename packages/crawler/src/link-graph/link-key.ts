/** Addresses, and texts of links, as numbers. */
import { urlKey } from '../frontier/url-key.js'

/** A 53-bit hash. Two addresses may share one; then links to one of them count for the other. */
export function linkKey(text: string): number {
  return urlKey(text, 0)
}
