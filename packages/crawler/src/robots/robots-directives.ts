/** What meta robots and X-Robots-Tag allow. */
export interface RobotsDirectives {
  readonly index: boolean
  readonly follow: boolean
}

/** Not yet. */
export function parseRobotsDirectives(
  _metaContents: readonly string[],
  _xRobotsTag: string | undefined,
  _token: string,
): RobotsDirectives {
  return { index: true, follow: true }
}
