import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import t from 'tap'
import { HOSTILE_TEXTS } from './test-support/hostile-texts.js'
import { indexPages, openApp } from './test-support/site-fixture.js'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const missing = !existsSync(CHROMIUM)
if (missing && process.env.CI === 'true') t.fail(`this test needs Chromium at ${CHROMIUM}`)

t.test('the pages in a real browser', { skip: missing && `needs Chromium at ${CHROMIUM}` }, async (t) => {
  const data = t.testdir()
  const chapter = `Chapter about longword\n${'Words of the chapter. '.repeat(30)}\n`
  await indexPages(data, [
    {
      url: 'https://long.example/book.html',
      title: 'A book with parts',
      body: chapter.repeat(4),
      lang: 'en',
      sections: [0, 1, 2, 3].map((i) => ({
        start: i * chapter.length,
        level: 2,
        anchor: `chapter-${i}-${'longname'.repeat(i * 3)}`,
        heading: `Chapter ${i} about longword ${'Donaudampfschifffahrtsgesellschaft'.repeat(i)}`,
      })),
    },
    ...HOSTILE_TEXTS.map((text, i) => ({
      url: `https://evil.example/${i}?${encodeURIComponent(text)}`,
      title: `evilword ${text}`,
      body: `${text} evilword ${text}`,
      lang: text,
    })),
    ...Array.from({ length: 30 }, (_, i) => ({
      url: `https://many.example/${'a-very-long-folder-name/'.repeat(i % 4)}${i}.html`,
      title: `丝绸之路 paging ${i} ${'Donaudampfschifffahrtsgesellschaft'.repeat(i % 3)}`,
      body: `丝绸之路 paging ${'x'.repeat(i * 20)}`,
      lang: 'zh',
    })),
  ])
  const { app, close } = await openApp(data)
  t.teardown(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const base = app.listeningOrigin
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
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
  t.teardown(() => browser.close())

  await t.test('no hostile text is ever run, with scripts switched on', async (t) => {
    const page = await browser.newPage()
    const events: string[] = []
    page.on('dialog', (dialog) => {
      events.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => events.push(`error ${error.message}`))
    page.on('request', (request) => {
      if (!request.url().startsWith(base)) events.push(`request to ${request.url()}`)
    })
    await page.goto(`${base}/search?q=evilword&size=100`)
    t.equal(await page.locator('li.hit').count(), HOSTILE_TEXTS.length)
    for (const text of HOSTILE_TEXTS) {
      await page.goto(`${base}/search?q=${encodeURIComponent(text)}&site=${encodeURIComponent(text)}`)
      t.equal(await page.locator('input[type=search]').count(), 1, text)
    }
    t.equal(await page.evaluate('document.scripts.length'), 1, 'ours')
    t.same(events, [])
    await page.close()
  })

  await t.test('everything can be done with the keyboard, without scripts', async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' })
    const page = await context.newPage()
    await page.goto(base)
    await page.locator('#q:focus').waitFor()
    await page.keyboard.type('丝绸之路 paging')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=/)
    t.match(await page.title(), '丝绸之路 paging')
    t.equal(await page.locator('li.hit').count(), 10)
    await page.keyboard.press('Tab')
    t.equal(await page.locator(':focus').getAttribute('class'), 'skip', 'the first stop is the skip link')
    t.ok(await page.locator(':focus').isVisible())
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    t.equal(
      await page.locator(':focus').evaluate((e) => e.closest('h2') !== null),
      true,
      'the next one is the first hit',
    )
    await page.getByRole('link', { name: 'Next' }).press('Enter')
    await page.waitForURL(/page=2/)
    await page.getByRole('link', { name: '中文' }).press('Enter')
    await page.waitForURL(/hl=zh/)
    t.match(page.url(), /page=2/, 'the language switch keeps the page')
    t.match(await page.locator('html').getAttribute('lang'), 'zh-CN')
    await page.locator('summary').press('Enter')
    t.ok(await page.locator('kbd').first().isVisible())
    t.equal(await page.getByRole('search').count(), 1)
    t.equal(await page.getByRole('main').count(), 1)
    t.equal(await page.getByRole('navigation').count(), 2)
    await context.close()
  })

  await t.test('results are narrowed and sorted without scripts, on a phone too', async (t) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'en-US',
      viewport: { width: 360, height: 740 },
    })
    const page = await context.newPage()
    await page.goto(`${base}/search?q=paging`)
    await page.getByRole('link', { name: 'Sort and filter' }).press('Enter')
    await page.waitForURL(/#narrowing$/)
    t.ok(await page.getByRole('complementary').isVisible())
    await page.getByRole('link', { name: 'Newest first' }).press('Enter')
    await page.waitForURL(/sort=date/)
    await page.getByLabel('From', { exact: true }).fill('2001-02-03')
    await page.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.waitForURL(/from=2001-02-03/)
    t.match(page.url(), /sort=date/)
    t.match(await page.locator('main').textContent(), 'Nothing found', 'no page of these has a date')
    t.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2001-02-03')
    await page.getByRole('link', { name: 'Remove this limit: From 2001-02-03' }).press('Enter')
    await page.waitForURL((url) => !url.searchParams.has('from'))
    t.equal(await page.locator('li.hit').count(), 10)
    await context.close()
    const wide = await browser.newContext({ viewport: { width: 1280, height: 740 } })
    const desk = await wide.newPage()
    await desk.goto(`${base}/search?q=paging`)
    t.notOk(await desk.locator('.jump').isVisible(), 'no jump where the panel stands beside the hits')
    const hits = await desk.locator('main').boundingBox()
    const panel = await desk.locator('aside').boundingBox()
    t.ok(panel!.x >= hits!.x + hits!.width && panel!.y < hits!.y + 100)
    await wide.close()
  })

  await t.test('axe finds nothing', async (t) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport: { width, height: 740 } })
      const page = await context.newPage()
      for (const path of [
        '/',
        '/advanced?hl=zh',
        '/advanced?hl=en&all=silk&from=then',
        '/search?q=paging&hl=zh',
        '/search?q=longword&hl=en',
        '/search?q=evilword+paging&site=many.example&lang=zh&type=html',
        '/search?q=paging&sort=date&from=2001&size=50',
        '/search?q=%22nothing+here%22&lang=fr',
        '/nothing',
      ]) {
        await page.goto(base + path)
        await page.evaluate(axe)
        const { violations } = (await page.evaluate('axe.run(document)')) as {
          violations: { id: string; nodes: { html: string }[] }[]
        }
        t.same(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
          [],
          `${colorScheme} ${path}`,
        )
      }
      await context.close()
    }
  })

  await t.test('parts of a page are links of their own below its hit', async (t) => {
    const page = await browser.newPage()
    await page.goto(`${base}/search?q=longword&hl=en`)
    const parts = page.getByRole('list', { name: 'In this page' }).getByRole('link')
    t.equal(await parts.count(), 3)
    t.equal(await parts.first().getAttribute('href'), 'https://long.example/book.html#chapter-0-')
    await page.close()
  })

  await t.test('nothing overflows on a phone, and dark is dark', async (t) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 } })
      const page = await context.newPage()
      for (const path of [
        '/',
        `/search?q=paging&size=30`,
        '/search?q=longword',
        '/search?q=evilword',
        '/search?q=paging&lang=zh&type=html#narrowing',
        `/search?q=${'w'.repeat(900)}`,
        '/nothing',
      ]) {
        await page.goto(base + path)
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        t.equal(overflow, 0, `${colorScheme} ${path.slice(0, 40)}`)
      }
      const background = String(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'))
      const brightness =
        (background.match(/\d+/g) ?? [])
          .slice(0, 3)
          .map(Number)
          .reduce((a, b) => a + b, 0) / 3
      t.ok(colorScheme === 'dark' ? brightness < 60 : brightness > 200, `${colorScheme}: ${background}`)
      await context.close()
    }
  })
})
