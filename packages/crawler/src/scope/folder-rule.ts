/** The scope of local files: the folders of the start addresses, with all below them. */

import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'

/** See the head of this file. */
export class FolderRule implements ScopeRule {
  readonly #folders: readonly string[]

  /** @param files `file:` addresses; each stands for its folder. Without any, no local file is in scope. */
  constructor(files: Iterable<string>) {
    this.#folders = [...new Set([...files].map((url) => url.slice(0, url.lastIndexOf('/') + 1)))]
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    if (this.#folders.length === 0) return 'scheme'
    return this.#folders.some((folder) => url.startsWith(folder)) ? undefined : 'off-host'
  }
}
