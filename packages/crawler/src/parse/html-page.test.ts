import t from 'tap'
import { Fetcher } from '../fetch/fetcher.js'
import { redirect, serveSite } from '../test-support/test-site.js'
import { HTMLPage } from './html-page.js'

t.test('a page opened by its address: links, pictures, forms, its parts in order', async (t) => {
  const body = `<title>T</title><!-- c --><p>a<br>b<a href="/x">link</a><img src=i.png alt=" An  image "><img src="/j.png"><img>
    <form name=f method=POST action=../send><label for=u>User <b>name</b></label><input id=u name=user value=me>
    <label>Colour <select name=c><option value=r>Red<option selected>Green</select></label>
    <textarea name=t>\nmore</textarea><input type=checkbox name=k><button name=go>Send it</button></form>
    <form></form><input name=outside>`
  const site = await serveSite(t, { '/a/old': redirect('/a/b.html'), '/a/b.html': body })
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  const parts: string[] = []
  const page = new HTMLPage(fetcher)
  t.same([page.getLinks(), page.getImages(), page.getForms()], [[], [], []])
  await page.open(`${site.origin}/a/old`, {
    text: (text) => text.trim() !== '' && parts.push(text.trim()),
    comment: (text) => parts.push(`!${text}`),
    simpleTag: (name) => parts.push(`<${name}/>`),
    startTag: (name) => parts.push(`<${name}>`),
    endTag: (name) => parts.push(`</${name}>`),
  })
  t.equal(page.getHTTP(), fetcher)
  t.equal(page.getResponse()?.url, `${site.origin}/a/b.html`)
  t.equal(page.getPage()?.title, 'T')
  t.same(
    page.getLinks().map(({ url, text }) => [url, text]),
    [[`${site.origin}/x`, 'link']],
  )
  t.same(page.getImages(), [
    { url: `${site.origin}/a/i.png`, alt: 'An image' },
    { url: `${site.origin}/j.png`, alt: '' },
  ])
  t.equal(page.getImage(1)?.url, `${site.origin}/j.png`)
  t.equal(page.getImage(2), undefined)
  const [form, empty] = page.getForms()
  t.match(form, { name: 'f', method: 'post', action: `${site.origin}/send` })
  t.same(
    form!.fields.map(({ name, type, value, label }) => [name, type, value, label]),
    [
      ['user', 'text', 'me', 'User name'],
      ['c', 'select', 'Green', 'Colour'],
      ['t', 'textarea', 'more', ''],
      ['k', 'checkbox', '', ''],
      ['go', 'button', '', 'Send it'],
    ],
  )
  t.same(form!.fields[1]!.options, [
    { value: 'r', text: 'Red', selected: false },
    { value: 'Green', text: 'Green', selected: true },
  ])
  t.same([empty?.method, empty?.action, empty?.fields], ['get', `${site.origin}/a/b.html`, []])
  t.same(parts.slice(0, 14), [
    '<html>',
    '<head>',
    '<title>',
    'T',
    '</title>',
    '! c ',
    '</head>',
    '<body>',
    '<p>',
    'a',
    '<br/>',
    'b',
    '<a>',
    'link',
  ])
  t.equal(
    parts.filter((part) => /^<[a-z0-9]+>$/.test(part)).length,
    parts.filter((part) => part.startsWith('</')).length,
  )
})

t.test('a page of any depth', async (t) => {
  const body = `${'<div><form>'.repeat(50_000)}<input name=x>${'</div>'.repeat(10)}<img src=a>`
  const site = await serveSite(t, {
    '/': body,
    '/p.png': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('\x89PNG'),
  })
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  const page = await new HTMLPage(fetcher).open(`${site.origin}/`)
  t.equal(page.getForms().length, 1)
  t.equal(page.getImages().length, 1)
  await page.open(`${site.origin}/p.png`)
  t.same([page.getPage(), page.getForms(), page.getImages(), page.getLinks()], [undefined, [], [], []])
})
