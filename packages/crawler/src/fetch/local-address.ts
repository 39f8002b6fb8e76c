/** What people type for a local file or folder, as a `file:` address. */

import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseUrl } from '@spindle/core'

/**
 * The `file:` address of something on this machine: of a path (`./docs`, `/usr/share/doc`, `~/notes`), or of a `file:` address
 * in any form; a folder gets its ending slash. Undefined where the text is neither, or nothing is there.
 */
export function localAddress(text: string): string | undefined {
  const isFile = /^file:/i.test(text)
  // `C:\docs` is a path, too; `http:…` and `example.org` are none unless there is such a file.
  if (text.trim() === '' || (!isFile && /^[a-z][a-z0-9+.-]+:/i.test(text))) return undefined
  const url = isFile ? parseUrl(text) : undefined
  if (isFile && (url === undefined || url.host !== '')) return undefined
  try {
    const path = url === undefined ? resolve(text.replace(/^~(?=$|[\\/])/, homedir())) : fileURLToPath(url)
    return pathToFileURL(statSync(path).isDirectory() ? join(path, '/') : path).href
  } catch {
    return undefined
  }
}

/** The folder of a `file:` address, with an ending slash. */
export function folderOf(address: string): string {
  return address.slice(0, address.lastIndexOf('/') + 1)
}
