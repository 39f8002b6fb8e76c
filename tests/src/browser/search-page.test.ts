/** The search pages in a real Chromium: in Chinese and English, light and dark, on a phone, without JavaScript. */
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { chromiumPath, needs } from '../support/needs.js'
import { SpindleProcess, spindle } from '../support/spindle-process.js'

const path = chromiumPath()
const enabled = needs('Chromium', path !== undefined)

let browser: Browser
let serve: SpindleProcess
let address = ''

t.before(async () => {
  if (path === undefined) return
  const data = join(t.testdir(), 'data')
  await spindle('crawl', '--json', '--data', data)
  serve = new SpindleProcess(['serve', '--port', '0', '--data', data])
  address = (await serve.waitFor(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/))[0]
  browser = await chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
})

t.teardown(async () => {
  await browser?.close()
  await serve?.stop()
})

interface Look {
  readonly locale: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly scripts?: boolean
}

/** Runs a test in a fresh page; anything that a page of ours logs as an error fails it. */
async function inPage(t: Test, look: Look, action: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    locale: look.locale,
    javaScriptEnabled: look.scripts ?? false,
    colorScheme: look.colorScheme ?? 'light',
    viewport: { width: look.width ?? 1200, height: 800 },
  })
  try {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    // A request that the next page made needless is no fault.
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(request.url())
    })
    await action(page)
    t.strictSame(problems, [], 'no error in the console, no failed request')
  } finally {
    await context.close()
  }
}

async function searchFor(page: Page, words: string): Promise<void> {
  await page.goto(`${address}/`)
  await page.fill('input[name=q]', words)
  await page.press('input[name=q]', 'Enter')
  await page.waitForURL(/\/search\?/)
}

t.test('a Chinese reader types two characters and finds the page', enabled, (t) =>
  inPage(t, { locale: 'zh-CN' }, async (page) => {
    await searchFor(page, '上海')
    t.equal(await page.getAttribute('html', 'lang'), 'zh-CN')
    const first = page.locator('.hit').first()
    t.match(await first.locator('h2 a').getAttribute('href'), /news\/2025-10-exchange\.html$/)
    t.equal(await first.locator('.snippet em').first().textContent(), '上海')
    t.equal(await page.locator('.hit').count(), 1)
    t.equal(await page.inputValue('input[name=q]'), '上海', 'the query stays in the box')
  }),
)

t.test('an English reader turns pages, finds a phrase, and gets help when nothing is found', enabled, (t) =>
  inPage(t, { locale: 'en-GB' }, async (page) => {
    await searchFor(page, 'students')
    t.equal(await page.getAttribute('html', 'lang'), 'en')
    const firstPage = await page.locator('.hit h2').allTextContents()
    t.equal(firstPage.length, 10)
    await page.click('a[rel=next]')
    const secondPage = await page.locator('.hit h2').allTextContents()
    t.ok(secondPage.length > 0 && secondPage.join() !== firstPage.join(), `${secondPage.length} more`)

    await searchFor(page, '"lamp oil"')
    t.match(await page.locator('.hit h2 a').first().getAttribute('href'), /history\/timeline\.html$/)
    t.match(await page.locator('.hit .snippet').first().textContent(), /lamp oil/i)

    await searchFor(page, 'zzzzunknownword')
    t.equal(await page.locator('.hit').count(), 0)
    t.match(await page.locator('.none').textContent(), /zzzzunknownword/, 'it says what was looked for')
    t.ok((await page.locator('.none li').count()) > 0, 'and what to do')
  }),
)

t.test('markup in a query is text', enabled, (t) =>
  inPage(t, { locale: 'en' }, async (page) => {
    await searchFor(page, '"><script>alert(1)</script><em>x')
    t.equal(await page.inputValue('input[name=q]'), '"><script>alert(1)</script><em>x')
    t.equal(await page.locator('script:not([src])').count(), 0)
  }),
)

t.test('nothing is wider than a phone', enabled, (t) =>
  inPage(t, { locale: 'zh-CN', width: 360 }, async (page) => {
    for (const words of ['图书馆', 'read_water_level', 'x'.repeat(200)]) {
      await searchFor(page, words)
      for (const part of ['header', 'main', '.hits', 'footer']) {
        const all = await page.locator(part).all()
        for (const element of all) {
          const box = await element.boundingBox()
          t.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, `${words.slice(0, 20)}, ${part}`)
        }
      }
    }
  }),
)

t.test('dark is dark and light is light', enabled, async (t) => {
  const brightness = async (colorScheme: 'light' | 'dark'): Promise<number> => {
    let sum = 0
    await inPage(t, { locale: 'en', colorScheme }, async (page) => {
      await page.goto(`${address}/`)
      const colour: string = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      const channels = colour.match(/\d+/g) ?? []
      for (const channel of channels.slice(0, 3)) sum += Number(channel)
    })
    return sum
  }
  t.ok((await brightness('light')) > 600)
  t.ok((await brightness('dark')) < 200)
})

t.test('suggestions below the box: with keys, with the mouse, and without moving anything', enabled, (t) =>
  inPage(t, { locale: 'en-GB', scripts: true }, async (page) => {
    const input = page.locator('#q')
    const options = page.locator('[role=listbox] [role=option]')
    const top = async (): Promise<number> => (await page.locator('.lead').boundingBox())!.y
    await page.goto(`${address}/`)
    t.equal(await input.getAttribute('role'), 'combobox')
    t.equal(await input.getAttribute('aria-expanded'), 'false')
    const before = await top()
    await input.pressSequentially('libr')
    await options.first().waitFor()
    t.equal(await top(), before, 'nothing moves')
    t.equal(await input.getAttribute('aria-expanded'), 'true')
    const listId = await input.getAttribute('aria-controls')
    t.equal(await page.locator(`#${listId}`).getAttribute('aria-label'), 'Suggestions')
    const texts = await options.allTextContents()
    t.ok(texts.length <= 10)
    for (const text of texts) t.match(text, /libr/i)

    await input.press('ArrowDown')
    t.equal(await input.inputValue(), texts[0])
    const active = await input.getAttribute('aria-activedescendant')
    t.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true')
    await input.press('ArrowUp')
    t.equal(await input.inputValue(), 'libr', 'back at what was typed')
    t.equal(await input.getAttribute('aria-activedescendant'), null)
    await input.press('ArrowUp')
    t.equal(await input.inputValue(), texts.at(-1), 'from the other end')
    await input.press('Escape')
    t.equal(await input.inputValue(), 'libr')
    t.equal(await input.getAttribute('aria-expanded'), 'false')
    t.equal(await options.first().isVisible(), false)

    await input.press('a')
    await options.first().waitFor()
    await input.press('ArrowDown')
    const chosen = await input.inputValue()
    await input.press('Enter')
    await page.waitForURL(/\/search\?/)
    t.equal(new URL(page.url()).searchParams.get('q'), chosen)
    t.ok((await page.locator('.hit').count()) > 0, 'a suggestion finds something')

    await input.fill('libr')
    await options.first().waitFor()
    const clicked = await options.last().textContent()
    await options.last().click()
    await page.waitForURL((url) => url.searchParams.get('q') === clicked)
    t.equal(await page.locator('.suggestions').isVisible(), false)
  }),
)

t.test('a misspelled query leads to the right one', enabled, (t) =>
  inPage(t, { locale: 'en-GB' }, async (page) => {
    await searchFor(page, 'studnets')
    await page.click('.meant a')
    t.equal(await page.inputValue('input[name=q]'), 'students')
    t.ok((await page.locator('.hit').count()) > 0)
  }),
)
