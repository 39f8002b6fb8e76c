/**
 * What an element says of its content by its name, role, state, class and id: the page's own text, or what only frames it.
 * Words of classes and ids are those that themes and generators use (Sphinx, Javadoc, DocBook, mdBook, MediaWiki, WordPress, Discuz
 * and their like). A name counts by its head noun, as in English: `site-footer` and `footer-links` are footers, `nav-content` and
 * `with-sidebar` are not.
 */

import { html, type Token } from 'parse5'

const { TAG_ID } = html

/** Nothing. */
export const PLAIN = 0
/** The page's own content: main. */
export const MAIN = 1
/** A content of its own, of which a page may have several: article. */
export const ARTICLE = 2
/** Navigation and tools, wherever they stand. */
export const NAVIGATION = 3
/** Named like a menu: one of links, or a short one, is navigation; a long text is something else by that name. */
export const MENU = 4
/** Page header, footer and sidebar; within the content its heading, its end, its note. */
export const FRAME = 5
/** Named like a sidebar or header: one of links is part of the frame, one of text a box or the title of the content. */
export const SIDE = 6
/** Not shown. */
export const HIDDEN = 7
/** Shown where scripts are not run. */
export const NOSCRIPT = 8
/** What a chapter lists of its sections: text, though of links. */
export const CONTENTS = 9
/** The heading of a book or chapter with its authors. */
export const TITLE = 10

/** One of the marks above. */
export type Mark = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

/** 1 for elements whose id names a part of the page rather than of its text. */
const HAS_NAME = new Uint8Array(256)
for (const name of ['ASIDE', 'DIV', 'DL', 'FOOTER', 'FORM', 'HEADER', 'NAV', 'OL', 'P', 'TABLE', 'TD', 'UL'] as const) {
  HAS_NAME[TAG_ID[name]] = 1
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ''))

/** By parse5's tag id. */
const ELEMENTS = new Uint8Array(256)
ELEMENTS[TAG_ID.MAIN] = MAIN
ELEMENTS[TAG_ID.ARTICLE] = ARTICLE
ELEMENTS[TAG_ID.NAV] = NAVIGATION
for (const id of [TAG_ID.HEADER, TAG_ID.FOOTER, TAG_ID.ASIDE, TAG_ID.SELECT]) ELEMENTS[id] = FRAME
ELEMENTS[TAG_ID.NOSCRIPT] = NOSCRIPT

const ROLES: ReadonlyMap<string, Mark> = new Map<string, Mark>([
  ['main', MAIN],
  ['article', ARTICLE],
  ['navigation', NAVIGATION],
  ['menu', NAVIGATION],
  ['menubar', NAVIGATION],
  ['toolbar', NAVIGATION],
  ['tablist', NAVIGATION],
  ['search', NAVIGATION],
  ['doc-toc', NAVIGATION],
  ['banner', FRAME],
  ['contentinfo', FRAME],
  ['complementary', FRAME],
  ['dialog', FRAME],
  ['alertdialog', FRAME],
])

/** Whole classes and ids. */
const NAMES: ReadonlyMap<string, Mark> = new Map<string, Mark>([
  ...named(MAIN, 'mw-content-text bodyContent mainContent main-content main_content content-main page-main'),
  ...named(
    ARTICLE,
    `post-content entry-content article-content article-body article_content post-body story-body markdown-body
     postmessage t_f DisplayArea page-content`,
  ),
  // tools of MediaWiki, Discuz, Sphinx, rustdoc
  ...named(
    NAVIGATION,
    `catlinks printfooter editsection mw-editsection jump-to-nav mw-jump-link siteSub contentSub headerlink toctitle pgbtn pgs
     fastpost f_pst viewcode-link srclink test-arrow notable-traits
     copiable-link`,
  ),
  ...named(FRAME, 'pls'),
  // Texinfo, DocBook
  ...named(CONTENTS, 'mini-toc section-toc'),
  ...named(TITLE, 'titlepage'),
  ...named(
    HIDDEN,
    'sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only element-invisible hideme',
  ),
])

/** Whole ids; as classes, names so short mean many things. */
const IDS: ReadonlyMap<string, Mark> = new Map<string, Mark>([
  ...named(NAVIGATION, 'toptb nv scbar qmenu pt pgt umenu'),
  ...named(FRAME, 'hd ft'),
])

function* named(mark: Mark, list: string): Generator<[string, Mark]> {
  for (const word of words(list)) yield [word.toLowerCase(), mark]
}

const MENU_WORDS = words(`
  nav navi navbar navbox navheader navfooter navlinks navigation docnav topnav subnav sidenav leftnav mainnav menu menus menubar
  submenu navmenu breadcrumb breadcrumbs crumb crumbs pager paging pagination paginator toc quicklinks jumpbox`)

const TOOL_WORDS = words(`
  btn btns cookie cookies consent gdpr share sharing social advert adverts advertisement advertising ads newsletter skip
  skiplink`)

const FRAME_WORDS = words(`
  footer foot masthead banner topbar sphinxsidebar search searchbox searchbar searchform login signup copyright
  tagcloud promo sponsor sponsors popup modal toolbar subscribe langs languages`)

const SIDE_WORDS = words('header sidebar sidebars related recommend recommended recommendations widget widgets')

/** Last parts that change nothing: a list of navigation is navigation. */
const NEUTRAL = words(`
  list lists item items link links bar box title left right top bottom wrapper wrap container inner outer area column col
  button buttons icon icons post posts article articles notice block panel group row section menu toggle header footer holder
  region scrollbox nav navigation table bg level first second`)

/** Parts that turn a name around: the body of a page that has a sidebar. */
const TURNING = words('has with without no not for hide is open show')

const ANY_WORD = new RegExp(
  [...MENU_WORDS, ...TOOL_WORDS, ...FRAME_WORDS, ...SIDE_WORDS, ...NAMES.keys()].join('|'),
  'i',
)

const MAX_NAMES = 4096
const MAX_NAME_LENGTH = 200
const MAX_ID_LENGTH = 40

/** A class attribute's value and what it says. */
interface Names {
  readonly value: string
  readonly mark: Mark
}

const known = new Map<string, Names>()
/** Those looked up last, by length and ends: found there without a hash of the whole. */
const recent: Names[] = new Array<Names>(256).fill({ value: '', mark: PLAIN })

/** What the value of a class attribute says. */
export function markOfNames(value: string): Mark {
  const { length } = value
  if (length === 0 || length > MAX_NAME_LENGTH) return PLAIN
  const slot = (length * 31 + value.charCodeAt(0) * 7 + value.charCodeAt(length - 1)) & 255
  const last = recent[slot]!
  if (last.value === value) return last.mark
  const names = known.get(value) ?? readNames(value)
  recent[slot] = names
  return names.mark
}

function readNames(value: string): Names {
  let mark: Mark = PLAIN
  for (const name of value.split(/[\t\n\f\r ]+/)) mark = stronger(mark, markOfName(name))
  // a copy, for a string cut out of a page keeps the whole page in memory
  const names = { value: Buffer.from(value, 'utf16le').toString('utf16le'), mark }
  if (known.size >= MAX_NAMES) known.clear()
  known.set(names.value, names)
  return names
}

/**
 * What an id says. Generators make ids of headings – a chapter on cookies is `#cookies` – so most of them only say that a list of
 * links is no part of the content.
 */
function markOfId(id: string): Mark {
  if (id.length > MAX_ID_LENGTH) return PLAIN
  const whole = IDS.get(id)
  if (whole !== undefined) return whole
  if (!ANY_WORD.test(id)) return PLAIN
  const mark = markOfNames(id)
  return mark === MENU || (mark === NAVIGATION && !NAMES.has(id.toLowerCase())) ? SIDE : mark
}

function markOfName(name: string): Mark {
  if (name.length < 2) return PLAIN
  const whole = NAMES.get(name.toLowerCase())
  if (whole !== undefined) return whole
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_:.\d]+/)
    .filter((part) => part !== '')
  if (parts.length === 0 || parts.some((part) => TURNING.has(part))) return PLAIN
  const last = markOfWord(parts[parts.length - 1]!)
  // a menu in the header is a menu
  if (last !== PLAIN) return last
  if (!NEUTRAL.has(parts[parts.length - 1]!)) return PLAIN
  for (let i = parts.length - 2; i >= 0; i--) {
    const mark = markOfWord(parts[i]!)
    if (mark !== PLAIN) return mark
    if (!NEUTRAL.has(parts[i]!)) return PLAIN
  }
  return PLAIN
}

function markOfWord(word: string): Mark {
  if (MENU_WORDS.has(word)) return MENU
  if (TOOL_WORDS.has(word)) return NAVIGATION
  if (FRAME_WORDS.has(word)) return FRAME
  return SIDE_WORDS.has(word) ? SIDE : PLAIN
}

/** Of two marks of one element, the one that counts. */
function stronger(a: Mark, b: Mark): Mark {
  return RANK[a] >= RANK[b] ? a : b
}

/** By mark: plain, main, article, navigation, menu, frame, side, hidden, noscript, contents, title. */
const RANK = [0, 6, 5, 4, 3, 2, 1, 7, 8, 1, 1] as const

/** The mark of a block element. */
export function markOfElement(tagId: number, attrs: readonly Token.Attribute[]): Mark {
  const mark = ELEMENTS[tagId] as Mark
  if (attrs.length === 0) return mark
  let byRole: Mark = PLAIN
  let byName: Mark = PLAIN
  for (let i = 0; i < attrs.length; i++) {
    const { name, value } = attrs[i]!
    // by length first: names are compared a character at a time
    switch (name.length) {
      case 2:
        // the sections of a text have ids, too
        if (name === 'id' && HAS_NAME[tagId] === 1) byName = stronger(byName, markOfId(value))
        break
      case 4:
        if (name === 'role') byRole = ROLES.get(value) ?? PLAIN
        break
      case 5:
        if (name === 'class') byName = stronger(byName, markOfNames(value))
        else if (name === 'style' && isDisplayNone(value)) return HIDDEN
        break
      case 6:
        if (name === 'hidden' && value !== 'until-found') return HIDDEN
        break
      case 11:
        if (name === 'aria-hidden' && value === 'true') return HIDDEN
        break
      default:
    }
  }
  if (byRole !== PLAIN) return byRole
  return mark === PLAIN || (mark === FRAME && (byName === NAVIGATION || byName === MENU)) ? byName : mark
}

const CONTENTS_NAME = /(?:^|\s)toc(?:\s|$)/
const CONTENTS_TABLE_NAME = /(?:^|\s)menu(?:\s|$)/

/** True for a {@link MENU} that is {@link CONTENTS} where it follows a heading: as DocBook and older Texinfo write them. */
export function isContentsByName(tagId: number, attrs: readonly Token.Attribute[]): boolean {
  const value = attrs.find(({ name }) => name === 'class')?.value
  if (value === undefined) return false
  return CONTENTS_NAME.test(value) || (tagId === TAG_ID.TABLE && CONTENTS_TABLE_NAME.test(value))
}

/** True for an inline element that is no text of the page: signs beside headings, icons, words for screen readers only. */
export function isInlineChrome(attrs: readonly Token.Attribute[]): boolean {
  for (let i = 0; i < attrs.length; i++) {
    const { name, value } = attrs[i]!
    if (name.length === 5 && name === 'class') {
      // the names of syntax colouring, of which there are thousands, are shorter
      if (value.length > 5) {
        const mark = markOfNames(value)
        if (mark === HIDDEN || (mark === NAVIGATION && INLINE_CHROME.test(value))) return true
      }
    } else if (name.length === 11 && name === 'aria-hidden' && value === 'true') return true
  }
  return false
}

const INLINE_CHROME =
  /(?:^|\s)(?:headerlink|copiable-link|(?:mw-)?editsection|mw-jump-link|viewcode-link|srclink|test-arrow|notable-traits|skip\S*)(?:\s|$)/

function isDisplayNone(style: string): boolean {
  return style.length < 500 && /(?:^|;)\s*display\s*:\s*none/i.test(style)
}
