/**
 * Tells pages that hold no text of their own because scripts would make it in a browser. Asked only for pages that came out nearly
 * empty. (“Works without scripts” is not asked: a page with text is a page, whatever its scripts add.)
 */

/** UTF-16 units of text from which on a page has some of its own. */
const ENOUGH = 200
const NEARLY_NOTHING = 40
/** What is looked at of a page; scripts written into pages can be long. */
const MAX_LENGTH = 1024 * 1024
/** Elements that frameworks put their pages into. */
const MOUNT_POINT =
  /<(?:div|main|section|body)\b[^>]{0,300}\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|q-app|react-root|app-root|root-app|svelte|ember-app|main-app|application|mount|wrapper-app)["'\s>]|<(?:app-root|my-app|ng-app)[\s>]|\bng-app\b/i
const SCRIPT = /<script\b/i
const NOSCRIPT = /<noscript\b[^>]{0,200}>([\s\S]{0,400}?)<\/noscript/gi
const ASKS = /javascript|java script|脚本|腳本/i

/**
 * @param text the text that was found in the page
 * @param links how many links were found
 */
export function isClientRendered(page: string, text: string, links: number): boolean {
  if (text.length >= ENOUGH) return false
  const source = page.slice(0, MAX_LENGTH)
  if (!SCRIPT.test(source)) return false
  if (MOUNT_POINT.test(source)) return true
  let asks = false
  let asked = 0
  for (const [, content] of source.matchAll(NOSCRIPT)) {
    asks ||= ASKS.test(content!)
    const notice = content!.replace(/<[^>]*>|\s+/g, ' ').trim()
    if (text.includes(notice)) asked += notice.length
  }
  return text.length - asked < NEARLY_NOTHING && (asks || links === 0)
}
