/**
 * What becomes of the pages that a recrawl found to be gone. They are kept until the whole of it is known: a server whose database
 * is empty or a robots.txt that slipped through from a test host says of a whole site that it is gone, and means none of it. Where
 * only few pages of a host are gone they are removed; where it is more than {@link HELD_SHARE} of them they stay until
 * somebody says that it is so.
 */
import { type Batch, MAX_UNWRITTEN } from './frontier/batch.js'
import type { Vanished, Workload } from './frontier/workload.js'
import type { PageRemoval } from './pages/stored-page.js'

/** Part of the pages of a host that may go at once … */
export const HELD_SHARE = 0.2
/** … where they are more than so many. */
export const HELD_PAGES = 10

/** Settings of {@link dropVanished}. */
export interface DropOptions {
  readonly workload: Workload
  /** Nothing else is written meanwhile. */
  readonly batch: Batch
  /** True to remove all of them. */
  readonly accept: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Pages that were removed, and hosts whose pages are held. */
export interface Dropped {
  readonly removed: number
  readonly held: readonly Vanished[]
}

/** See the head of this file. What a process that dies does not come to, the next one does. */
export async function dropVanished({ workload, batch, accept, now }: DropOptions): Promise<Dropped> {
  let removed = 0
  const held: Vanished[] = []
  for (const one of await workload.vanished()) {
    const { host, vanished, pages } = one
    if (!accept && vanished > HELD_PAGES && vanished > pages * HELD_SHARE) {
      held.push(one)
      continue
    }
    for (;;) {
      const gone = await workload.vanishedOf(host, MAX_UNWRITTEN)
      if (gone.length === 0) break
      await batch.drop(gone.map(({ url, disposition }): PageRemoval => ({ url, removedAt: now, reason: disposition })))
      removed += gone.length
    }
  }
  return { removed, held }
}
