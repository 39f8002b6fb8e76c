/**
 * What the main text of a marked page is, as tokens: by the first and last words of its runs, as a reader of the page found them,
 * or by the template rule of its site. Read from parse5's tree, with nothing of the page reader in it.
 */
import { parse } from 'parse5'
import { compileSelectors } from '../dist/parse/page-selectors.js'

const SILENT = new Set(['script', 'style', 'template', 'title', 'iframe', 'noembed', 'noframes'])
const INLINE = new Set(
  'a abbr b bdi bdo big cite code dfn em font i ins kbd mark q s samp small span strong sub sup tt u var'.split(' '),
)

/** Han characters one by one, other words whole; lower case. */
export function tokenize(text) {
  return text.toLowerCase().match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}_])+/gu) ?? []
}

/**
 * The tokens of a page's text in its order, links and hidden parts and all.
 * @param select selectors of what counts; all of it where there are none
 * @param without selectors of what does not
 */
export function pageTokens(html, select, without) {
  const isSelected = select.length === 0 ? () => true : compileSelectors(select)
  const isLeftOut = compileSelectors(without)
  let text = ''
  const walk = (node, selected) => {
    if (node.nodeName === '#text') {
      if (selected) text += node.value
      return
    }
    const isElement = node.tagName !== undefined
    if (isElement && (SILENT.has(node.tagName) || isLeftOut(node))) return
    const inside = selected || (isElement && isSelected(node))
    const breaks = isElement && !INLINE.has(node.tagName)
    if (breaks) text += '\n'
    for (const child of node.childNodes ?? []) walk(child, inside)
    if (breaks) text += '\n'
  }
  walk(parse(html, { scriptingEnabled: false }), select.length === 0)
  return tokenize(text)
}

/** The tokens of a page's main text. @throws Error where the marks do not fit the page: another version of the package */
export function trueTokens(html, site, page) {
  if (page.runs === undefined) return pageTokens(html, site.select, site.without)
  const all = pageTokens(html, [], [])
  const isText = new Uint8Array(all.length)
  for (const [start, end] of places(all, page.runs, page.path)) isText.fill(1, start, end)
  for (const [start, end] of places(all, page.without ?? [], page.path)) isText.fill(0, start, end)
  const tokens = all.filter((_, i) => isText[i] === 1)
  if (tokens.length !== page.tokens) throw new Error(`${page.path}: ${tokens.length} tokens, not ${page.tokens}`)
  return tokens
}

/** Where runs of tokens, one behind the other, begin and end, by their first and their last words. */
function places(tokens, runs, path) {
  let end = 0
  return runs.map((words) => {
    const [first, last] = words.map(tokenize)
    const start = find(tokens, first, end, path)
    end = find(tokens, last, start, path) + last.length
    return [start, end]
  })
}

function find(tokens, wanted, from, path) {
  for (let i = from; i + wanted.length <= tokens.length; i++) {
    if (wanted.every((token, j) => tokens[i + j] === token)) return i
  }
  throw new Error(`${path}: no “${wanted.join(' ')}” in it`)
}

/** Precision, recall and F1 of tokens, each counted as often as it stands there. */
export function score(found, wanted) {
  const counts = new Map()
  for (const token of wanted) counts.set(token, (counts.get(token) ?? 0) + 1)
  let common = 0
  for (const token of found) {
    const left = counts.get(token) ?? 0
    if (left === 0) continue
    counts.set(token, left - 1)
    common++
  }
  if (common === 0) return { precision: 0, recall: 0, f1: found.length + wanted.length === 0 ? 1 : 0 }
  const precision = common / found.length
  const recall = common / wanted.length
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) }
}
