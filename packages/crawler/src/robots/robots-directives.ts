/** What a page says to robots about itself: `<meta name="robots">` and the X-Robots-Tag header. */

/** Whether a page may be indexed and its links followed. */
export interface RobotsDirectives {
  readonly index: boolean
  readonly follow: boolean
}

/** Directives that carry a value after a colon, and so must not be taken for the name of an agent. */
const WITH_VALUE = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])
const UNAVAILABLE_AFTER = 'unavailable_after'
/** Parts that a date may fall into at its commas (“Friday, 25-Jun-27 15:00:00 UTC”). */
const MAX_DATE_PARTS = 2

const UNRESTRICTED: RobotsDirectives = Object.freeze({ index: true, follow: true })

/**
 * Puts all directives together; the strictest wins, whatever the order and case. A page whose `unavailable_after` has passed
 * is not to be indexed; a date that cannot be read says nothing.
 * @param metaContents `content` of every `<meta>` named `robots` or by our own token
 * @param xRobotsTag value of the X-Robots-Tag header, several joined by commas or line ends. A part `agent: …` is for that
 *   agent only, and so is what follows it up to the next agent or line
 * @param token our product token
 * @param now milliseconds since 1970
 */
export function parseRobotsDirectives(
  metaContents: readonly string[],
  xRobotsTag: string | undefined,
  token: string,
  now = Date.now(),
): RobotsDirectives {
  if (metaContents.length === 0 && xRobotsTag === undefined) return UNRESTRICTED
  const found = new Set<string>()
  for (const content of metaContents) readList(content, undefined, now, found)
  for (const line of xRobotsTag?.split('\n') ?? []) readList(line, token.toLowerCase(), now, found)
  return {
    index: !found.has('noindex') && !found.has('none'),
    follow: !found.has('nofollow') && !found.has('none'),
  }
}

/** @param token where the list may name agents: ours */
function readList(list: string, token: string | undefined, now: number, found: Set<string>): void {
  const parts = list.toLowerCase().split(/[,;]/)
  let forUs = true
  for (let i = 0; i < parts.length; i++) {
    let directive = parts[i]!.trim()
    let colon = directive.indexOf(':')
    let name = directive.slice(0, Math.max(colon, 0)).trim()
    if (token !== undefined && colon > 0 && !WITH_VALUE.has(name) && !/\s/.test(name)) {
      forUs = name === token || name === '*' || name === 'robots'
      directive = directive.slice(colon + 1).trim()
      colon = directive.indexOf(':')
      name = directive.slice(0, Math.max(colon, 0)).trim()
    }
    if (name === UNAVAILABLE_AFTER) {
      const { time, used } = readDate(directive.slice(colon + 1), parts, i)
      i += used
      if (forUs && time <= now) found.add('noindex')
    } else if (forUs && !WITH_VALUE.has(name)) for (const word of directive.split(/\s+/)) found.add(word)
  }
}

/** A date that may go on in the parts that follow. @returns its time, NaN where it is none, and how many parts it took */
function readDate(start: string, parts: readonly string[], at: number): { time: number; used: number } {
  for (let used = Math.min(MAX_DATE_PARTS - 1, parts.length - at - 1); used >= 0; used--) {
    const time = Date.parse([start, ...parts.slice(at + 1, at + 1 + used)].join(',').trim())
    if (!Number.isNaN(time)) return { time, used }
  }
  return { time: Number.NaN, used: 0 }
}
