/** The rules of the usual scope. They read canonical addresses as strings: one check costs well under a microsecond. */

import { hostKey } from '@spindle/core'
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'

/**
 * File name endings that are never text worth a request: styles, scripts, pictures, sound, film, fonts, archives, programs,
 * disk images. Office documents and PDF are not among them: they are leaves of the crawl that may hold text.
 */
export const BINARY_SUFFIXES: readonly string[] = (
  'css js mjs map ' +
  'png jpg jpeg jpe gif bmp ico webp avif tif tiff svg svgz psd ' +
  'mp3 ogg oga wav flac aac m4a wma mid midi mp4 m4v mpg mpeg avi mov wmv flv mkv webm ogv swf ' +
  'woff woff2 ttf otf eot ' +
  'zip rar 7z gz tgz bz2 tbz xz txz zst lz lzma tar jar war ear cab ' +
  'exe msi dll so bin deb rpm dmg pkg apk iso img class pyc o a whl sqlite db'
).split(' ')

/** Most segments of a path, as Heritrix has it. */
export const MAX_SEGMENTS = 20
/** Most equal segments in a row. */
export const MAX_EQUAL = 2
/** Most equal groups of segments in a row. */
export const MAX_CYCLES = 3

/** Only http and https. */
export class SchemeRule implements ScopeRule {
  check({ url }: ScopeCandidate): ScopeReason | undefined {
    return url.startsWith('http://') || url.startsWith('https://') ? undefined : 'scheme'
  }
}

/** Not longer than a limit (characters); default 2,048. */
export class LengthRule implements ScopeRule {
  readonly #maxLength: number

  constructor(maxLength = 2048) {
    this.#maxLength = maxLength
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    return url.length > this.#maxLength ? 'url-too-long' : undefined
  }
}

/**
 * Against sites without end, whose relative links lead ever deeper into themselves (`/a/a/a/…`, `/x/y/x/y/…`): not more than
 * {@link MAX_SEGMENTS} segments in a path, and not more than {@link MAX_EQUAL} equal ones or {@link MAX_CYCLES} equal groups
 * of them in a row.
 */
export class PathRule implements ScopeRule {
  /** Where the segments of the path begin, and where the last one ends; used again for each address. */
  readonly #starts = new Int32Array(MAX_SEGMENTS + 2)

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const count = this.#split(url)
    if (count > MAX_SEGMENTS) return 'path-trap'
    for (let length = 1; count > MAX_EQUAL && length * 2 < count; length++) {
      const limit = length === 1 ? MAX_EQUAL : MAX_CYCLES * length
      let equal = 0
      for (let i = length; i < count; i++) {
        equal = this.#areEqual(url, i, i - length) ? equal + 1 : 0
        if (equal >= limit) return 'path-trap'
      }
    }
    return undefined
  }

  /** @returns the number of segments, at most one more than allowed; a slash at the end begins none */
  #split(url: string): number {
    const starts = this.#starts
    let count = 0
    let at = url.indexOf('/', url.indexOf('://') + 3)
    for (; at >= 0 && at < url.length; at++) {
      const code = url.charCodeAt(at)
      if (code === 0x3f || code === 0x23) break
      if (code !== 0x2f) continue
      if (count > MAX_SEGMENTS) return count
      starts[count++] = at + 1
    }
    const end = at < 0 ? url.length : at
    if (count > 0 && starts[count - 1] === end) count--
    else starts[count] = end + 1
    return count
  }

  #areEqual(url: string, a: number, b: number): boolean {
    const starts = this.#starts
    const length = starts[a + 1]! - starts[a]!
    if (starts[b + 1]! - starts[b]! !== length) return false
    for (let i = 0; i < length - 1; i++) {
      if (url.charCodeAt(starts[a]! + i) !== url.charCodeAt(starts[b]! + i)) return false
    }
    return true
  }
}

/** Only the hosts (name and port) of the given addresses; `http` and `https` of one name are one host. */
export class HostRule implements ScopeRule {
  readonly #hosts = new Set<string>()

  /** @param urls absolute http(s) addresses */
  constructor(urls: Iterable<string>) {
    for (const url of urls) this.#hosts.add(hostKey(url))
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const start = url.indexOf('://') + 3
    let end = start
    while (end < url.length) {
      const code = url.charCodeAt(end)
      if (code === 0x2f || code === 0x3f || code === 0x23) break
      end++
    }
    return this.#hosts.has(url.slice(start, end)) ? undefined : 'off-host'
  }
}

/** At most so many link steps from a seed. */
export class DepthRule implements ScopeRule {
  readonly #maxDepth: number

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  check({ depth }: ScopeCandidate): ScopeReason | undefined {
    return depth > this.#maxDepth ? 'too-deep' : undefined
  }
}

/** Leaves out addresses whose last path segment ends in one of the given suffixes; the query does not count. */
export class SuffixRule implements ScopeRule {
  readonly #suffixes: Set<string>

  /** @param suffixes without dot; upper and lower case are one; default {@link BINARY_SUFFIXES} */
  constructor(suffixes: Iterable<string> = BINARY_SUFFIXES) {
    this.#suffixes = new Set()
    for (const suffix of suffixes) this.#suffixes.add(suffix.toLowerCase())
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const query = url.indexOf('?')
    const end = query < 0 ? url.length : query
    const slash = url.lastIndexOf('/', end - 1)
    const dot = url.lastIndexOf('.', end - 1)
    // the host name is no file name: a slash must follow the one of `://`
    if (dot < slash || slash <= url.indexOf('://') + 2 || end - dot > 12) return undefined
    return this.#suffixes.has(url.slice(dot + 1, end).toLowerCase()) ? 'suffix' : undefined
  }
}
