/** A web server without sockets: what `fetch` would answer for ranges of the files of a directory. */
import { systemCode } from '@spindle/core'
import type { Directory } from '../store/directory.js'

/** Made-up address of the directory. */
export const FETCH_ADDRESS = 'http://example.org/'

/** To be given to an `HttpDirectory` at {@link FETCH_ADDRESS} in place of the platform's `fetch`. */
export function fetchOf(directory: Directory): typeof fetch {
  return async (url, init) => {
    const name = decodeURIComponent(new URL(String(url)).pathname.slice(1))
    const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '')!
    try {
      const input = await directory.open(name)
      const from = Number(range[1])
      const to = Math.min(input.length, Number(range[2]) + 1)
      const bytes = new Uint8Array(to - from)
      await input.read(bytes, from)
      await input.close()
      return new Response(bytes, {
        status: 206,
        headers: { etag: '"1"', 'content-range': `bytes ${from}-${to - 1}/${input.length}` },
      })
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
      return new Response(null, { status: 404 })
    }
  }
}
