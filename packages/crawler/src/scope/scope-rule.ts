/** The shape of a scope rule: a crawl's scope is a list of them, and the first that objects decides. */

/** An address that might be crawled. */
export interface ScopeCandidate {
  /** canonical address */
  readonly url: string
  /** link steps from a seed; a seed has 0 */
  readonly depth: number
}

/** Why an address is out of scope; stable, for the crawl report. */
export type ScopeReason =
  | 'scheme'
  | 'off-host'
  | 'off-domain'
  | 'off-range'
  | 'off-prefix'
  | 'not-included'
  | 'excluded'
  | 'too-deep'
  | 'suffix'
  | 'url-too-long'
  | 'path-trap'
  | 'calendar-trap'

/** The reasons that say: this is another site. */
const EXTERNAL: ReadonlySet<ScopeReason> = new Set<ScopeReason>(['off-host', 'off-domain', 'off-range'])

/** True where an address is out of scope because it belongs to another site. */
export function isExternal(reason: ScopeReason): boolean {
  return EXTERNAL.has(reason)
}

/** What the scope says to an address. */
export type ScopeVerdict = { readonly inScope: true } | { readonly inScope: false; readonly reason: ScopeReason }

/** One rule. */
export interface ScopeRule {
  /** The reason why the address is out of scope, or undefined where this rule has no objection. */
  check(candidate: ScopeCandidate): ScopeReason | undefined
}
