/** Typed door to robots-parser: it is CommonJS, and its own types cannot be called under NodeNext. */

import { createRequire } from 'node:module'

/** The matcher of one robots.txt. */
export interface RobotsMatcher {
  /** undefined for an address of another origin than the file's */
  isAllowed(url: string, agent: string): boolean | undefined
  /** seconds, unchecked */
  getCrawlDelay(agent: string): number | undefined
}

/** Builds the matcher of the robots.txt at `url` with the given contents. */
export const createMatcher = createRequire(import.meta.url)('robots-parser') as (
  url: string,
  contents: string,
) => RobotsMatcher
