/**
 * The texts of links as words for the page that they lead to: what others call it. Few and bounded, in an order that depends on
 * the links alone.
 *
 * Left out are texts that say nothing: words for finding one's way (next, 上一页, click here), numbers, addresses, whole
 * sentences, and what one site calls many pages alike (its own words for finding one's way, whatever the language). What the
 * page's title says already is left out, too, and what one page alone calls a page that several link to: such texts are many, say
 * more of the page that they stand on, and each costs an indexing again (on the whole, known items were found as well without). Each of the
 * others counts once; those that many sites or many pages use come first, of the pages of one site only the order of magnitude
 * counts.
 */
import { type Partition, sourceOf, TITLE, textOf } from './link-partitions.js'

/** Texts of a page. */
const MAX_TEXTS = 12
/** UTF-16 units of one text; longer ones are teasers. */
const MAX_TEXT = 100
/** Links of a page that are looked at. */
const MAX_LINKS = 50_000
/** Pages that link to a page so that a text of one of them alone is left out. */
const SEVERAL = 5
/** A text that one site uses for more pages than this … */
const COMMON = 10
/** … and more than this share of its own pages tells them apart no more. */
const COMMON_SHARE = 0.01
/** Cells of the count of pages by text: 4 MB. */
const CELLS = 1 << 20

const NAVIGATION = new Set(
  (
    'next|prev|previous|previous page|next page|up|home|home page|top|back|back to top|forward|first|last|contents|table of contents|toc|' +
    'index|more|read more|learn more|see more|more info|more information|details|show|hide|here|click here|link|this|this page|permalink|' +
    'source|view source|edit|edit this page|edit on github|show source|report a bug|download|print|share|reply|comment|comments|login|log in|' +
    'sign in|sign up|register|search|help|menu|skip|skip to content|skip to main content|skip navigation|skip navigation links|' +
    '上一页|下一页|上一頁|下一頁|上一章|下一章|上一节|下一节|上一篇|下一篇|上页|下页|首页|首頁|主页|主頁|尾页|末页|返回|返回首页|返回顶部|回到顶部|顶部|目录|目錄|索引|' +
    '更多|更多信息|查看更多|阅读更多|了解更多|详情|查看详情|详细|详细信息|阅读全文|查看全文|全文|点击|点击这里|点此|点击此处|点击查看|这里|此处|链接|本页|此页|' +
    '编辑|打印|分享|评论|回复|登录|登陆|注册|搜索|帮助|菜单|下载|跳转|跳到内容|关闭|展开|收起|' +
    '次へ|前へ|次のページ|前のページ|トップ|ホーム|戻る|もっと見る|続きを読む|목차|다음|이전|처음|홈|더보기|' +
    'suivant|précédent|weiter|zurück|siguiente|anterior|далее|назад|дальше'
  ).split('|'),
)

/** Neither letters nor ideographs. */
const WORDLESS = /^[^\p{L}]*$/u
const ADDRESS = /^(?:https?:\/\/|www\.|ftp:)|^\S+@\S+\.\S+$/
/** What stands around a text and is none of it: arrows, quotation marks, brackets. */
const TRIMMED = /^[^\p{L}\p{N}_$#]+|[^\p{L}\p{N}_$#()）+]+$/gu
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Scripts that put no blank between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** One text for one page. */
interface Use {
  readonly text: string
  /** Sites that use it, and by how much: Σ of 1 + ⌊log₂ pages⌋. */
  sites: number
  weight: number
}

/** Chooses the texts of pages. All links must be counted before the first choice is made. */
export class AnchorTexts {
  readonly #sites: Int32Array
  readonly #siteSizes: Int32Array
  /** Pages that a site uses a text for, by hash; never too few. */
  readonly #uses = new Uint32Array(CELLS)

  /** @param sites number of each node's site @param siteSizes pages of each site */
  constructor(sites: Int32Array, siteSizes: Int32Array) {
    this.#sites = sites
    this.#siteSizes = siteSizes
  }

  /** Counts for how many pages sites use a text. */
  count(partition: Partition): void {
    for (let i = 0; i < partition.count; i++) {
      for (const [folded, bySite] of this.#textsOf(partition, i).texts) {
        for (const site of bySite.pages.keys()) this.#uses[cellOf(folded, site)]++
      }
    }
  }

  /** The texts for each page of a partition that has any, one a line, by node. */
  choose(partition: Partition): Map<number, string> {
    const chosen = new Map<number, string>()
    for (let i = 0; i < partition.count; i++) {
      const { title, texts, linking } = this.#textsOf(partition, i)
      const uses: Use[] = []
      for (const [folded, { text, pages }] of texts) {
        if (isWithin(folded, title)) continue
        const use: Use = { text, sites: 0, weight: 0 }
        for (const [site, count] of pages) {
          const most = Math.max(COMMON, this.#siteSizes[site] * COMMON_SHARE)
          if (this.#uses[cellOf(folded, site)] > most) continue
          use.sites++
          use.weight += 32 - Math.clz32(count)
        }
        if (use.sites > 0 && (use.weight > 1 || linking < SEVERAL)) uses.push(use)
      }
      if (uses.length === 0) continue
      uses.sort((a, b) => b.sites - a.sites || b.weight - a.weight || (a.text < b.text ? -1 : 1))
      const lines = uses.slice(0, MAX_TEXTS).map(({ text }) => text)
      chosen.set(partition.first + i, lines.join('\n'))
    }
    return chosen
  }

  /** The texts that could be words for a page, by what is compared of them, with the pages of each site that use them. */
  #textsOf({ bytes, order, starts }: Partition, i: number) {
    const texts = new Map<string, { text: string; readonly pages: Map<number, number> }>()
    const known = new Map<string, string>()
    let linking = 0
    let title = ''
    const end = Math.min(starts[i + 1], starts[i] + MAX_LINKS)
    for (let at = starts[i]; at < end; at++) {
      const source = sourceOf(bytes, order[at])
      const raw = textOf(bytes, order[at])
      if (source === TITLE) {
        title = fold(raw)
        continue
      }
      linking++
      let folded = known.get(raw)
      if (folded === undefined) {
        folded = usable(raw)
        known.set(raw, folded)
      }
      if (folded === '') continue
      const text = trim(raw)
      let entry = texts.get(folded)
      if (entry === undefined) {
        entry = { text, pages: new Map() }
        texts.set(folded, entry)
      } else if (text < entry.text) entry.text = text
      const site = this.#sites[source]
      entry.pages.set(site, (entry.pages.get(site) ?? 0) + 1)
    }
    return { title, texts, linking }
  }
}

/** What is compared of a text; empty where it says nothing. */
function usable(raw: string): string {
  const text = trim(raw)
  if (text.length < 2 || text.length > MAX_TEXT || WORDLESS.test(text) || ADDRESS.test(text)) return ''
  const folded = fold(text)
  return NAVIGATION.has(folded) ? '' : folded
}

function trim(text: string): string {
  return text.replace(TRIMMED, '')
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Whether a title says the text, as whole words. */
function isWithin(text: string, title: string): boolean {
  for (let at = title.indexOf(text); at >= 0; at = title.indexOf(text, at + 1)) {
    const before = title[at - 1] ?? ' '
    const after = title[at + text.length] ?? ' '
    if (!joins(before, text[0]) && !joins(text[text.length - 1], after)) return true
  }
  return false
}

/** Whether two neighbours belong to one word. */
function joins(before: string, after: string): boolean {
  return LETTER_OR_DIGIT.test(before) && LETTER_OR_DIGIT.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after)
}

function cellOf(text: string, site: number): number {
  let hash = Math.imul(site + 1, 0x9e3779b1)
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 15
  return (Math.imul(hash, 0x85ebca6b) >>> 12) & (CELLS - 1)
}
