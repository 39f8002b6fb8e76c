/**
 * Chinese manuals in both scripts, crawled and searched as a user would: every run of Han characters finds its pages and no
 * others, hand-written queries find the page that answers them, and words cut from a sentence find the page they stand on.
 */
import { readFileSync } from 'node:fs'
import { ChineseAnalyzer, type Document } from '@spindle/index'
import { Converter } from 'opencc-js'
import t from 'tap'
import { byEffort, replay, seed } from '../support/effort.js'
import { needs, siteFolder } from '../support/needs.js'
import { Random } from '../support/random.js'
import { type CrawledSite, crawlSite } from './crawled-site.js'

interface Manual {
  readonly packageName: string
  readonly folder: string
  readonly start: string
  readonly script: 'simplified' | 'traditional'
}

const HANDBOOK = { packageName: 'debian-handbook', folder: 'usr/share/doc/debian-handbook/html' }
const HELP_FOLDER = 'usr/share/libreoffice/help'
const MANUALS: readonly Manual[] = [
  { ...HANDBOOK, start: 'zh-CN/index.html', script: 'simplified' },
  { ...HANDBOOK, start: 'zh-TW/index.html', script: 'traditional' },
  {
    packageName: 'libreoffice-help-zh-cn',
    folder: HELP_FOLDER,
    start: 'zh-CN/text/swriter/main0000.html',
    script: 'simplified',
  },
  {
    packageName: 'libreoffice-help-zh-tw',
    folder: HELP_FOLDER,
    start: 'zh-TW/text/swriter/main0000.html',
    script: 'traditional',
  },
]

/** By manual: [what is typed, the end of the address of each page that answers it]. */
type KnownPages = Readonly<Record<string, readonly (readonly [string, ...string[]])[]>>
const KNOWN_PAGES: KnownPages = JSON.parse(
  readFileSync(new URL('../../src/relevance/known-pages.json', import.meta.url), 'utf8'),
)

const toTraditional = Converter({ from: 'cn', to: 't' })
const toSimplified = Converter({ from: 't', to: 'cn' })
/**
 * Characters that make two of one, or one of two, when a text is brought into the other script: folding leaves them as they
 * are (see simplified-folder.ts), and so does who compares.
 */
const AMBIGUOUS = /[画划畫劃座坐哩里象像俱具钜鉅]/

const analyzer = new ChineseAnalyzer()
const random = new Random(seed)
t.comment(`again: ${replay}`)

/** The text in the other script. */
function inOtherScript({ script }: Manual, text: string): string {
  return script === 'simplified' ? toTraditional(text) : toSimplified(text)
}

/** A text with its characters folded as the index folds them. */
function folded(text: string): string {
  // The analyzer folds what may be one term.
  return (text.match(/[\s\S]{1,100}/gu) ?? []).map((part) => analyzer.normalize(part)).join('')
}

/** The pages' texts with their characters folded, so that those that contain something can be counted without an index. */
function foldedTexts(documents: readonly Document[]): { readonly asked: string; readonly all: string }[] {
  return documents.map((document) => {
    const asked = ['title', 'body', 'anchor'].flatMap((field) => document.getAll(field)).join('\n')
    const all = document.fields.map((field) => field.value).join('\n')
    return { asked: folded(asked), all: folded(all) }
  })
}

/** Some Han characters running, 1 to 8, from the title or the text of a page; undefined where it has none. */
function cutHan(document: Document): string | undefined {
  const text = document.get(random.below(10) === 0 ? 'title' : 'body') ?? ''
  const runs = text.match(/\p{Script=Han}+/gu)
  if (runs === null) return undefined
  const characters = [...runs[random.below(runs.length)]!]
  const from = random.below(characters.length)
  return characters.slice(from, from + 1 + random.below(8)).join('')
}

/** What the search box reads as an operator: `exportfs -ra` asks for pages without "ra". */
const OPERATOR = /(^|\s)[-+!]|[*?~^:"(){}[\]/\\&|]|\b(AND|OR|NOT|NEAR)\b/

/** Two to five words running of a sentence of the page, as they stand there; none where operators are among them. */
function cutWords(document: Document): string | undefined {
  const sentences = (document.get('body') ?? '')
    .split(/[\n。！？；]|[.!?;:](?=\s)/)
    .filter((line) => line.trim().length > 3)
  if (sentences.length === 0) return undefined
  const sentence = sentences[random.below(sentences.length)]!
  const words = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(sentence)].filter(
    ({ isWordLike }) => isWordLike,
  )
  if (words.length < 2) return undefined
  const count = Math.min(words.length, 2 + random.below(4))
  const from = random.below(words.length - count + 1)
  const last = words[from + count - 1]!
  const text = sentence.slice(words[from]!.index, last.index + last.segment.length)
  return OPERATOR.test(text) ? undefined : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', ' ')}"`

const SUBSTRINGS = byEffort(480, 20_000, 20_000) / MANUALS.length
const CUTS = byEffort(200, 2000, 2000) / MANUALS.length

const present = MANUALS.every(({ packageName, folder }) => siteFolder(packageName, folder) !== undefined)
t.test('Chinese manuals', needs('one of the packages of Chinese manuals', present), async (t) => {
  const sites = new Map<Manual, CrawledSite>()
  for (const manual of MANUALS) {
    const folder = siteFolder(manual.packageName, manual.folder)!
    sites.set(manual, await crawlSite(t, manual.start.replaceAll('/', '-'), folder, manual.start))
  }

  await t.test('any run of Han characters finds its pages, in either script, and quoted no others', async (t) => {
    for (const [manual, { documents, search }] of sites) {
      const texts = foldedTexts(documents)
      const wrong: string[] = []
      let converted = 0
      for (let done = 0; done < SUBSTRINGS; ) {
        const document = documents[random.below(documents.length)]!
        const substring = cutHan(document)
        if (substring === undefined) continue
        done++
        const other = inOtherScript(manual, substring)
        const forms = other === substring || AMBIGUOUS.test(substring + other) ? [substring] : [substring, other]
        converted += forms.length - 1
        const wanted = folded(substring)
        const least = texts.filter(({ asked }) => asked.includes(wanted)).length
        const most = texts.filter(({ all }) => all.includes(wanted)).length
        for (const form of forms) {
          const ofPage = await search(`${form} url:${quoted(document.get('url')!)}`)
          const { total } = await search(quoted(form), 1)
          if (ofPage.total !== 1) wrong.push(`${form} does not find ${document.get('url')}`)
          if (total < least || total > most) wrong.push(`"${form}" finds ${total} pages, not ${least} to ${most}`)
        }
      }
      t.same(wrong, [], `${manual.start}: ${SUBSTRINGS} substrings, ${converted} of them in the other script too`)
    }
  })

  await t.test('the page that answers a query comes first, in either script', async (t) => {
    for (const other of [false, true]) {
      let sum = 0
      let queries = 0
      for (const [manual, { search }] of sites) {
        const known = manual.start.startsWith('zh-TW/index') ? [] : (KNOWN_PAGES[manual.packageName] ?? [])
        for (const [text, ...pages] of known) {
          const { hits } = await search(other ? inOtherScript(manual, text) : text, 50)
          const rank = 1 + hits.findIndex(({ url }) => pages.some((page) => url.endsWith(page)))
          if (rank !== 1) t.comment(`${rank === 0 ? 'not found' : `rank ${rank}`}: ${text} (first: ${hits[0]?.url})`)
          sum += rank === 0 ? 0 : 1 / rank
          queries++
        }
      }
      t.ok(queries >= 30)
      const mrr = sum / queries
      t.ok(mrr >= 0.9, `MRR ${mrr.toFixed(3)} of ${queries} queries${other ? ' in the other script' : ''}`)
    }
  })

  await t.test('words cut from a sentence find their page, and never nothing', async (t) => {
    let found = 0
    let clear = 0
    let all = 0
    const missed: string[] = []
    for (const { documents, search } of sites.values()) {
      for (let done = 0; done < CUTS; ) {
        const document = documents[random.below(documents.length)]!
        const text = cutWords(document)
        if (text === undefined) continue
        done++
        all++
        const { hits, total } = await search(text)
        if (total === 0) t.fail(`nothing is found for ${text}`)
        // What stands so on more pages than the first screen shows cannot tell one of them from the others.
        if ((await search(quoted(text), 1)).total > 10) continue
        clear++
        const url = document.get('url')!
        if (hits.some((hit) => hit.url === url || hit.alsoAt.includes(url))) found++
        else missed.push(`${text} (${url})`)
      }
    }
    t.comment(missed.slice(0, 20).join('\n'))
    t.ok(clear > all / 2)
    t.ok(found / clear >= 0.95, `${found} of ${clear} in the first ten; ${all - clear} more stand so on over ten pages`)
  })
})
