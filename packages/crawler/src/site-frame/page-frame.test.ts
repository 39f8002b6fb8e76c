import t from 'tap'
import { FrameCounter, MIN_PAGES } from './page-frame.js'

const MENU = 'Start\nProducts and their prices\nChoose: de | en | fr | ja'
const END = 'All rights reserved, 2024\nA company in a city'

function frameOf(pages: readonly string[]) {
  const counter = new FrameCounter()
  for (const page of pages) counter.add(page)
  return counter.frame()
}

const page = (i: number) => `${MENU}\nTitle ${i}\nDescription\nWhat page ${i} says.\nSee also\n${END}`
const pages = Array.from({ length: 20 }, (_, i) => page(i))

t.test('lines at the edges of many pages are their frame', async (t) => {
  const frame = frameOf(pages)
  t.notOk(frame.isEmpty)
  t.equal(
    frame.strip(page(3))?.text,
    'Title 3\nDescription\nWhat page 3 says.',
    'what is short and behind the title stays',
  )
  t.equal(frame.strip(`Title\n${MENU}\nAll of it\n${END}`)?.text, `Title\n${MENU}\nAll of it`, 'but not Start')
  const notice = 'This is an old version of the manual.'
  const titled = frameOf(Array.from({ length: 9 }, (_, i) => `Title ${i}\n${notice}\nText ${i}`))
  t.equal(titled.strip(`Other\n${notice}\n${notice}\nText`)?.text, 'Other\nText', 'behind one line')
  t.equal(titled.strip(`Other\nLine\n${notice}\nText`), undefined, 'not behind two')
  const heading = [{ start: 0, level: 1, heading: 'Start' }]
  t.equal(frame.strip(`${MENU}\nText`, heading)?.text, 'Start\nText', 'a heading of the first level stays')
  t.equal(frame.strip('Title\nText\nMore'), undefined)
  t.equal(frame.strip(`${MENU}\n${END}`), undefined, 'a page of nothing else is left as it is')
  t.equal(frame.strip(''), undefined)
})

t.test('a few pages, or a few lines, say nothing', async (t) => {
  t.ok(frameOf(pages.slice(0, MIN_PAGES - 1)).isEmpty)
  t.ok(
    frameOf(Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? page(i) : `Page ${i}`))).isEmpty,
    'on every fourth page',
  )
  const twice = frameOf(Array.from({ length: 9 }, (_, i) => (i === 0 ? 'same\n'.repeat(30) : `Page ${i}`)))
  t.ok(twice.isEmpty, 'a line counts once for a page')
  const middle = Array.from({ length: 9 }, (_, i) =>
    [...lines(`top ${i}`), 'in the middle of all', ...lines(`end ${i}`)].join('\n'),
  )
  t.ok(frameOf(middle).isEmpty)
  t.ok(frameOf(Array.from({ length: 9 }, () => 'x'.repeat(5000))).isEmpty, 'long lines are texts')
})

function lines(name: string): string[] {
  return Array.from({ length: 45 }, (_, i) => `${name} line ${i}`)
}

t.test('the order of pages does not matter, and what was left out has a name', async (t) => {
  const [forth, back] = [frameOf(pages), frameOf([...pages].reverse())]
  for (const text of pages) t.same(forth.strip(text), back.strip(text))
  t.equal(forth.strip(page(1))?.key, forth.strip(page(2))?.key)
  t.not(forth.strip(page(1))?.key, forth.strip(`Start\n${page(1)}`)?.key)
  t.notOk(forth.strip(page(1))?.key === 0)
})

t.test('sections move along', async (t) => {
  const frame = frameOf(pages)
  const text = page(7)
  const sections = ['Products', 'Title', 'Description', 'A company'].map((heading) => ({
    start: text.indexOf(heading),
    heading,
  }))
  const own = frame.strip(text, sections)!
  t.same(
    own.sections.map(({ heading }) => heading),
    ['Title', 'Description'],
  )
  for (const { start, heading } of own.sections) t.equal(own.text.indexOf(heading!), start)
})
