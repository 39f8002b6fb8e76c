/**
 * The two statistical detectors of character encodings, loaded at the first body that needs one: together they take 70 ms
 * of start-up, and most sites label their pages.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

let chardet: typeof import('chardet') | undefined
let jschardet: typeof import('jschardet') | undefined

/** Name of the most likely encoding by chardet (good for Chinese, Japanese and Korean), or null. */
export function detectByChardet(bytes: Uint8Array): string | null {
  chardet ??= require('chardet') as typeof import('chardet')
  return chardet.detect(bytes)
}

/** Name of the most likely encoding by jschardet (good for the rest), or null. */
export function detectByJschardet(bytes: Buffer): string | null {
  jschardet ??= require('jschardet') as typeof import('jschardet')
  return jschardet.detect(bytes).encoding
}
