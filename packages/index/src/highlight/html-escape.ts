/** Text made safe to stand in HTML, between tags or in a quoted attribute. */

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Replaces the five characters that mean something in HTML. */
export function escapeHtml(text: string): string {
  let out = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const safe = ESCAPES.get(text[i]!)
    if (safe === undefined) continue
    out += text.slice(from, i) + safe
    from = i + 1
  }
  return from === 0 ? text : out + text.slice(from)
}
