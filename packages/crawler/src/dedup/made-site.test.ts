/** A site with every usual kind of duplicate planted in it, its mirror, and look-alikes that are pages of their own, crawled whole. */
import { join } from 'node:path'
import { IndexReader } from '@spindle/index'
import t from 'tap'
import { Crawl } from '../crawl.js'
import { type Route, serveSite } from '../test-support/test-site.js'

const ARTICLES = 6
const WORDS =
  'river stone lamp winter garden paper signal bridge market cloud engine letter harbour copper forest window bread silver'.split(
    ' ',
  )
const HAN = '春夏秋冬山水田园城市学校图书历史语言文化科学技术音乐电影'

/** The text of an article, in English or Chinese, in paragraphs. */
function story(number: number): string {
  const paragraphs: string[] = []
  for (let p = 0; p < 12; p++) {
    let text = ''
    for (let i = 0; i < 30; i++) {
      const pick = (number * 7919 + p * 104_729 + i * (number + 13) * 31) % 1_000_003
      text += number % 2 === 0 ? `${WORDS[pick % WORDS.length]} ` : HAN[pick % HAN.length]
    }
    paragraphs.push(`<p>${text.trim()}${number % 2 === 0 ? '.' : '。'}</p>`)
  }
  return paragraphs.join('\n')
}

const titleOf = (number: number) => (number % 2 === 0 ? `Article ${number}` : `文章${number}`)

interface Frame {
  readonly site: string
  readonly header: string
  readonly footer: string
  readonly head?: string
}

const html = (title: string, body: string, head = '') =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`

function article(number: number, { site, header, footer, head = '' }: Frame): string {
  const title = titleOf(number)
  return html(`${title} - ${site}`, `<p>${header}</p>\n<h1>${title}</h1>\n${story(number)}\n<p>${footer}</p>`, head)
}

const MAIN: Frame = { site: 'Example', header: 'Welcome to the example site', footer: 'Contact the editors' }
const PRINT: Frame = { site: 'Example', header: 'Print view', footer: 'Thank you for printing' }
const MIRROR: Frame = { site: 'Mirror', header: 'This is a mirror of the example site', footer: 'Mirrored with love' }

/** Pages of one template: an API, products, versions, lists, calendars. */
function lookAlikes(number: number): Record<string, string> {
  const filler = story(0)
  return {
    [`/api/Class${number}.html`]: html('API', `<h1>class Class${number}</h1>${filler}<pre>new Class${number}()</pre>`),
    [`/product-${number}/index.html`]: html('Product', `<h1>Product ${'ABCDEFGHIJKL'[number]}</h1>${filler}`),
    [`/v${number}/changes.html`]: html('Changes', `<p>Version ${number}</p>${filler}`),
    [`/code/${number}.html`]: html('Code', `${filler}<pre>x ${'+-*/%&|^<>=!'[number]} y</pre>`),
    [`/list?page=${number}`]: html('List', `${filler}<p>Item ${WORDS[number]}</p>`),
    [`/empty/${number}`]: html('Nothing here', '<p>No entries.</p>', `<!-- ${number} -->`),
  }
}

t.test('every planted duplicate is listed with its page, and nothing else is', async (t) => {
  const numbers = Array.from({ length: ARTICLES }, (_, i) => i)
  const apart = Object.assign({}, ...numbers.map(lookAlikes)) as Record<string, string>
  const paths: string[] = []
  const main: Record<string, Route> = {}
  const put = (path: string, body: string) => {
    paths.push(path)
    main[path] = body
  }
  for (const number of numbers) {
    const path = `/articles/${number}.html`
    put(path, article(number, MAIN))
    // Tracking parameters, session ids, and parameters that nobody looks at.
    for (const query of [
      'utm_source=x&utm_medium=mail',
      'fbclid=abc',
      'sid=0123456789abcdef0123456789abcdef',
      'from=home',
    ])
      put(`${path}?${query}`, article(number, MAIN))
    put(`/articles/${number}.html;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9`, article(number, MAIN))
    // Under another path, in other bytes.
    put(`/archive/2024/${number}`, article(number, MAIN).replaceAll('<p>', '<p class="x">'))
    put(`${path}?print=1`, article(number, PRINT))
    put(`/print/articles/${number}.html`, article(number, PRINT))
    const head = `<link rel="canonical" href="${path}">`
    put(`/sorted/${number}?by=name`, article(number, { ...MAIN, head, footer: 'Sorted by name' }))
  }
  for (const [path, body] of Object.entries(apart)) put(path, body)
  const mirror: Record<string, Route> = {}
  for (const number of numbers) mirror[`/pub/example/${number}.html`] = article(number, MIRROR)
  const mirrorSite = await serveSite(t, mirror)
  const copies = Object.keys(mirror).map((path) => mirrorSite.at(path))
  const links = [...paths, ...copies].map((href) => `<a href="${href}">${href}</a>`)
  main['/'] = html('Start', links.join('\n'))
  const site = await serveSite(t, main)

  const dir = t.testdir()
  // Also with addresses as they were linked: then what they bring decides.
  const asLinked = { sessionIds: false, trackingParameters: false, sortParameters: false }
  for (const [concurrency, normalize] of [
    [8, {}],
    [1, asLinked],
  ] as const) {
    const data = join(dir, `data-${concurrency}`)
    const crawl = await Crawl.open({ data })
    await crawl.run({
      seeds: [site.at('/'), mirrorSite.at('/pub/example/0.html')],
      delay: 0,
      concurrency,
      normalize,
    })
    await crawl.close()
    const found = await alsoAt(data)
    for (const path of Object.keys(apart)) t.same(found.get(site.at(path)), [], `${path} is found, alone`)
    for (const number of numbers) {
      const listed = found.get(site.at(`/articles/${number}.html`)) ?? []
      const copy = mirrorSite.at(`/pub/example/${number}.html`)
      for (const other of [
        site.at(`/archive/2024/${number}`),
        site.at(`/articles/${number}.html?print=1`),
        site.at(`/print/articles/${number}.html`),
        site.at(`/sorted/${number}?by=name`),
        copy,
      ]) {
        t.ok(listed.includes(other), `${other} is listed with article ${number}`)
      }
    }
    t.equal(found.size, 1 + ARTICLES + Object.keys(apart).length, 'and no other page is found')
  }
})

async function alsoAt(data: string): Promise<Map<string, readonly string[]>> {
  const reader = await IndexReader.open(join(data, 'index'))
  const found = new Map<string, readonly string[]>()
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) === false) continue
      const document = await segment.document(id)
      found.set(document.get('url')!, document.get('alsoAt')?.split('\n') ?? [])
    }
  }
  await reader.close()
  return found
}
