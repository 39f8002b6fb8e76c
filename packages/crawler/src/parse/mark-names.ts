/** Names by which a page marks its parts. Most pages have none: what is asked of every page is here, apart from what is done about it. */

/** What attributes that mark parts begin with. */
export const MARK_PREFIXES: readonly string[] = ['data-spindle-', 'data-pagefind-']
/** UTF-16 units of the shortest such name. */
export const MIN_MARK = 17

/** Comments from which on nothing is text. */
const OFF = /^\s*(?:googleoff:\s*(?:index|all)|htdig_noindex|noindex)\s*$/i
const MAX_COMMENT = 40

/** True for an attribute that marks a part of a page; lower case. */
export function isMark(name: string): boolean {
  return name.startsWith('data-') && MARK_PREFIXES.some((prefix) => name.startsWith(prefix))
}

/** True for a comment from which on nothing is text. */
export function endsText(comment: string): boolean {
  return comment.length < MAX_COMMENT && OFF.test(comment)
}
