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
