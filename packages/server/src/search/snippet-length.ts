/** How long a snippet may be, by the script of what it is cut from. */

/** About three lines of the result page in either script, UTF-16 units. */
const SNIPPET_LATIN = 240
const SNIPPET_WIDE = 120
/** How much of a text is looked at to tell its script. */
const SAMPLE = 400
/** From here on, characters are as wide as Chinese ones: nearly all that is written in them is CJK. */
const WIDE = 0x2e80

/** UTF-16 units that a snippet of a text may have. */
export function snippetLength(text: string): number {
  const end = Math.min(text.length, SAMPLE)
  let wide = 0
  for (let i = 0; i < end; i++) if (text.charCodeAt(i) >= WIDE) wide++
  return wide * 3 > end ? SNIPPET_WIDE : SNIPPET_LATIN
}
