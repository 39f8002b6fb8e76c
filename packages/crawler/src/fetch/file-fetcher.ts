/**
 * Local files as if a web server served them: `file:` addresses below the start folders and nothing else. A folder is its
 * `index.html`, or else a page that links to what is in it and asks not to be indexed. A symbolic link within a start folder
 * is a redirect to what it means (so that a circle of them ends), one that leads out of it is refused.
 */

import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { systemCode } from '@spindle/core'
import glob from 'fast-glob'
import { lookup as typeOfName } from 'mrmime'
import { BodyBuffer } from './body-buffer.js'
import type { ByteBudget, ByteClaim } from './byte-budget.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'

/** One request of a file. */
export interface FileRequest {
  readonly maxBody: number
  /** of these, If-None-Match and If-Modified-Since count; lower-case names */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly budget?: ByteBudget | undefined
}

const INDEX_NAMES = ['index.html', 'index.htm']
/** Most entries of a folder on one page; the next ones follow at `?from=N`. */
export const ENTRIES_PER_PAGE = 4000
/** As for bodies from the network: what is smaller needs no place in the budget. */
const FREE_BYTES = 256 * 1024
const PIECE = 1 << 18

/** Reads files below folders. */
export class FileFetcher {
  readonly #roots: () => Iterable<string>

  /** @param roots `file:` addresses of the folders, each with an ending slash */
  constructor(roots: () => Iterable<string>) {
    this.#roots = roots
  }

  /**
   * What a web server would answer: 200, 301, 304, 403 (not readable, or no file), 404.
   * @throws FetchError `blocked-address` outside of the folders
   */
  async fetch(target: URL, request: FileRequest): Promise<FetchResult> {
    const answer = new Answer(target)
    try {
      const path = fileURLToPath(target)
      const isFolder = target.pathname.endsWith('/')
      const real = await realpath(path)
      const meant = await this.#meant(real)
      if (meant === undefined) throw outside(target)
      const stats = await stat(real)
      if (stats.isDirectory()) {
        if (!isFolder || meant !== resolve(path)) return answer.redirect(`${pathToFileURL(meant).href}/`)
        return await this.#folder(meant, target, answer, request)
      }
      if (isFolder) return answer.status(404)
      if (meant !== resolve(path)) return answer.redirect(pathToFileURL(meant).href)
      return await readFile(real, path, answer, request)
    } catch (error) {
      if (error instanceof FetchError) throw error
      switch (systemCode(error)) {
        case 'ENOENT':
        case 'ENOTDIR':
        case 'ENAMETOOLONG':
        case 'ERR_INVALID_FILE_URL_PATH':
        case 'ERR_INVALID_FILE_URL_HOST':
        case 'ERR_INVALID_ARG_VALUE':
          return answer.status(404)
        case 'EACCES':
        case 'EPERM':
        case 'ELOOP':
        case 'ENXIO':
          return answer.status(403)
        default:
          throw new FetchError('network-error', target.href, (error as Error).message, true, { cause: error })
      }
    }
  }

  /** The path below a start folder that a real path stands for, without symbolic links; undefined where it is below none. */
  async #meant(real: string): Promise<string | undefined> {
    for (const root of this.#roots()) {
      const folder = resolve(fileURLToPath(root))
      const below = relative(await realpath(folder).catch(() => folder), real)
      if (below === '..' || below.startsWith(`..${sep}`) || resolve(below) === below) continue
      return resolve(folder, below)
    }
    return undefined
  }

  async #folder(folder: string, target: URL, answer: Answer, request: FileRequest): Promise<FetchResult> {
    for (const name of INDEX_NAMES) {
      const path = join(folder, name)
      const real = await realpath(path).catch(() => undefined)
      if (real !== undefined && (await this.#meant(real)) !== undefined && (await stat(real)).isFile())
        return readFile(real, path, answer, request)
    }
    const names = await glob('*', {
      cwd: folder,
      onlyFiles: false,
      markDirectories: true,
      followSymbolicLinks: false,
      deep: 1,
    })
    const from = Number(/^\?from=(\d{1,9})$/.exec(target.search)?.[1] ?? 0)
    const body = Buffer.from(listing(folder, names.sort(), from)).subarray(0, request.maxBody)
    return answer.ok(body, 'text/html', 'utf-8', false)
  }
}

async function readFile(real: string, path: string, answer: Answer, request: FileRequest): Promise<FetchResult> {
  // Without waiting: what has become a pipe since would keep the reader for ever.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
  let claim: ByteClaim | undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return answer.status(403)
    answer.validators(stats.mtime, stats.size)
    if (answer.isUnchanged(request.headers)) return answer.status(304)
    const length = Math.min(stats.size, request.maxBody)
    if (length > FREE_BYTES && request.budget !== undefined) claim = await claimed(request.budget, length)
    const { body, truncated } = await readBody(file, length, request.maxBody)
    return answer.ok(body, typeOfName(path) ?? '', undefined, truncated, claim)
  } catch (error) {
    claim?.release()
    throw error
  } finally {
    await file.close()
  }
}

/** A file that grows meanwhile is read to its end, up to the limit. */
async function readBody(file: FileHandle, expected: number, limit: number) {
  const buffer = new BodyBuffer(limit + 1, expected)
  const piece = Buffer.allocUnsafe(PIECE)
  while (buffer.length <= limit) {
    const { bytesRead } = await file.read(piece, 0, PIECE)
    if (bytesRead === 0) break
    buffer.append(piece.subarray(0, bytesRead))
  }
  const body = buffer.take()
  return { body: body.subarray(0, limit), truncated: body.length > limit }
}

function claimed(budget: ByteBudget, bytes: number): Promise<ByteClaim> {
  return new Promise((done) => {
    const claim = budget.claim(bytes, () => done(claim))
    if (claim.granted) done(claim)
  })
}

function outside({ href }: URL): FetchError {
  return new FetchError('blocked-address', href, 'it lies outside of the start folders', false)
}

/** A page with a link to each entry. */
function listing(folder: string, names: readonly string[], from: number): string {
  const title = escapeHtml(`Index of ${folder}`)
  const end = from + ENTRIES_PER_PAGE
  const entries = names
    .slice(from, end)
    .map((name) => `<li><a href="${escapeHtml(pathToFileURL(join(folder, name)).href)}">${escapeHtml(name)}</a>`)
  if (end < names.length) entries.push(`<li><a href="?from=${end}">…</a>`)
  return `<!DOCTYPE html><meta charset="utf-8"><meta name="robots" content="noindex"><title>${title}</title>
<h1>${title}</h1><ul>
${entries.join('\n')}
</ul>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Puts a {@link FetchResult} together. */
class Answer {
  readonly #url: string
  readonly #headers = new Map<string, string>()
  readonly #started = performance.now()
  readonly #fetchedAt = Date.now()

  constructor(target: URL) {
    this.#url = target.href
  }

  validators(modified: Date, size: number): void {
    this.#headers.set('last-modified', modified.toUTCString())
    this.#headers.set('etag', `"${size.toString(16)}-${Math.floor(modified.getTime()).toString(16)}"`)
  }

  isUnchanged(conditions: Readonly<Record<string, string>> = {}): boolean {
    const { 'if-none-match': etag, 'if-modified-since': since } = conditions
    if (etag !== undefined) return etag === this.#headers.get('etag')
    return since !== undefined && since === this.#headers.get('last-modified')
  }

  ok(body: Buffer, contentType: string, charset: string | undefined, truncated: boolean, claim?: ByteClaim) {
    if (contentType !== '') this.#headers.set('content-type', contentType)
    return this.#result(200, body, { contentType, charsetLabel: charset, truncated, release: () => claim?.release() })
  }

  redirect(location: string): FetchResult {
    this.#headers.set('location', location)
    return this.#result(301, Buffer.alloc(0), { location })
  }

  status(status: number): FetchResult {
    return this.#result(status, Buffer.alloc(0), {})
  }

  #result(status: number, body: Buffer, more: Partial<FetchResult>): FetchResult {
    return {
      url: this.#url,
      status,
      headers: this.#headers,
      body,
      contentType: '',
      charsetLabel: undefined,
      location: undefined,
      truncated: false,
      elapsedMs: performance.now() - this.#started,
      fetchedAt: this.#fetchedAt,
      wireBytes: body.length,
      release: () => {},
      ...more,
    }
  }
}
