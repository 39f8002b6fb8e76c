/** What a page says to robots about itself: `<meta name="robots">` and the X-Robots-Tag header. */

/** Whether a page may be indexed and its links followed. */
export interface RobotsDirectives {
  readonly index: boolean
  readonly follow: boolean
}

/** Directives that carry a value after a colon, and so must not be taken for the name of an agent. */
const WITH_VALUE = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/**
 * Puts all directives together; the strictest wins, whatever the order and case.
 * @param metaContents `content` of every `<meta>` named `robots` or by our own token
 * @param xRobotsTag value of the X-Robots-Tag header, several joined by commas. A part `agent: …` is for that agent only,
 *   and so is what follows it up to the next agent
 * @param token our product token
 */
export function parseRobotsDirectives(
  metaContents: readonly string[],
  xRobotsTag: string | undefined,
  token: string,
): RobotsDirectives {
  let index = true
  let follow = true
  const apply = (directive: string): void => {
    if (directive === 'noindex' || directive === 'none') index = false
    if (directive === 'nofollow' || directive === 'none') follow = false
  }
  for (const content of metaContents) {
    for (const part of content.toLowerCase().split(/[\s,;]+/)) apply(part)
  }
  if (xRobotsTag !== undefined) {
    const own = token.toLowerCase()
    let forUs = true
    for (const part of xRobotsTag.toLowerCase().split(/[,;]/)) {
      let directive = part.trim()
      const colon = directive.indexOf(':')
      if (colon > 0) {
        const name = directive.slice(0, colon).trim()
        if (WITH_VALUE.has(name)) continue
        // “Fri, 25 Jun 2027 15:00:00 GMT” of an unavailable_after falls apart at its comma
        if (/\s/.test(name)) continue
        forUs = name === own || name === '*' || name === 'robots'
        directive = directive.slice(colon + 1)
      }
      if (forUs) for (const word of directive.split(/\s+/)) apply(word)
    }
  }
  return { index, follow }
}
