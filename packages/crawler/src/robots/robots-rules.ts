/** What one origin's robots.txt says to one user agent. */
export interface RobotsRules {
  /** Only path and query are looked at: ask the rules of the address's own origin. */
  isAllowed(url: string): boolean
  /** clamped to 0–120,000 */
  readonly crawlDelayMs: number | undefined
  /** absolute addresses, as given */
  readonly sitemaps: readonly string[]
  /** `none`: there is no robots.txt, all is allowed; `unavailable`: it could not be had, nothing is allowed */
  readonly status: 'found' | 'none' | 'unavailable'
}
