import t from 'tap'
import { isInLanguage, isOtherSite, isPreferred, sameTitle, tailOf, viewKey } from './page-addresses.js'

t.test('views of a page have one key', async (t) => {
  const page = viewKey('http://www.a.example/news/5.html?id=7')
  for (const view of [
    'http://www.a.example/news/5.html?id=7&print=1',
    'http://www.a.example/news/5.html?print&id=7',
    'http://www.a.example/news/5.html?id=7&format=print',
    'http://a.example/news/5.html?id=7&view=mobile',
    'http://m.a.example/news/5.html?id=7',
    'http://www.a.example/print/news/5.html?id=7',
    'http://www.a.example/news/5-print.html?id=7',
    'http://www.a.example/news/5.html?id=7&mode=printer-friendly',
  ])
    t.equal(viewKey(view), page, view)
  for (const other of [
    'http://www.a.example/news/6.html?id=7',
    'http://www.a.example/news/5.html?id=8',
    'http://www.a.example/news/5.html?id=7&page=2',
    'http://b.example/news/5.html?id=7',
    'http://www.a.example/blueprint/news/5.html?id=7',
    'http://www.a.example/news/5.html?id=7&print=2',
  ])
    t.not(viewKey(other), page, other)
})

t.test('copies have the same name on another site', async (t) => {
  t.equal(tailOf('http://a.example/docs/guide.html'), tailOf('http://b.example/mirror/a/guide.html'))
  t.equal(tailOf('http://a.example/docs/'), tailOf('http://b.example/x/docs/index.html'))
  t.not(tailOf('http://a.example/view?id=1'), tailOf('http://b.example/view?id=2'))
  t.ok(isOtherSite('http://a.example/', 'http://b.example/'))
  t.notOk(isOtherSite('http://x.a.co.uk/', 'https://y.a.co.uk/'))
  t.ok(isOtherSite('http://127.0.0.1:1/', 'http://127.0.0.1:2/'))
  t.notOk(isOtherSite('file:///a', 'http://b.example/'))
})

t.test('titles agree in a part', async (t) => {
  t.ok(sameTitle('Guide', 'guide '))
  t.ok(sameTitle('Guide - A', 'Guide — B'))
  t.ok(sameTitle('Print: Guide', 'Guide | A'))
  t.notOk(sameTitle('Guide A', 'Guide B'))
  t.notOk(sameTitle('', 'Guide'))
  t.ok(sameTitle('', ''))
  t.notOk(sameTitle('std::vec', 'std::string'), 'a double colon is no separator')
})

t.test('preference', async (t) => {
  const sorted = [
    'https://a.example/b',
    'https://a.example/bc',
    'https://a.example/c/d',
    'http://a.example/',
    'https://a.example/?x',
  ]
  t.same(
    [...sorted].reverse().sort((a, b) => (isPreferred(a, b) ? -1 : 1)),
    sorted,
  )
  t.equal(isInLanguage('https://a.example/fr-ca/x', 'fr'), true)
  t.equal(isInLanguage('https://a.example/index.fr.html', 'fr'), true)
  t.equal(isInLanguage('https://a.example/frame/x', 'fr'), false)
  t.equal(isInLanguage('https://a.example//x', ''), false)
})
