/** The advanced form: what is filled in is what is searched for, whatever it is written with. */
import { type ClauseSyntax, KeywordAnalyzer, QueryParser, type SyntaxNode } from '@spindle/index'
import fc from 'fast-check'
import t from 'tap'
import { type AdvancedWhere, advancedQuery } from './search/advanced-query.js'
import { HOSTILE_TEXTS } from './test-support/hostile-texts.js'
import { attribute, auditPage } from './test-support/page-audit.js'
import { indexPages, openApp } from './test-support/site-fixture.js'

const parser = new QueryParser({
  field: 'body',
  analyzer: new KeywordAnalyzer(),
  knownFields: ['body', 'title', 'intitle', 'inurl', 'site', 'filetype', 'lang', 'date'],
  directives: ['sort'],
})

/** A clause as `modifier field kind text`, groups opened. */
function told({ modifier, node }: ClauseSyntax): unknown {
  return [modifier, ...content(node)]
}

function content(node: SyntaxNode): unknown[] {
  if (node.kind === 'group') return ['any', node.clauses.map(({ node }) => content(node))]
  if (node.kind === 'range') return [node.field, node.lower, node.upper, node.includeLower && node.includeUpper]
  return [node.field, node.kind, node.kind === 'text' || node.kind === 'phrase' ? node.text : '?']
}

const wordsOf = (text: string) => text.split(/\s+/u).filter((word) => word !== '')

t.test('2.5 Advanced search form', async (t) => {
  const piece = fc.oneof(
    fc.constantFrom(...'+-!(){}[]^"~*?:\\/&|@<>=（）“”「」：＋－＊ \u3000u'),
    fc.constantFrom(
      'AND',
      'OR',
      'NOT',
      'NEAR/3',
      'ADJ/2',
      'TO',
      '&&',
      '||',
      ' ',
      'sort:date',
      'title:',
      '\\u0041',
      'orange',
    ),
    fc.constantFrom(...HOSTILE_TEXTS.map((text) => text.toWellFormed().trim())),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const where = fc.constantFrom<AdvancedWhere>('anywhere', 'title', 'address')
  await t.test('comes back as the clauses meant', async (t) => {
    let checked = 0
    fc.assert(
      fc.property(text, text, text, text, where, text, (all, phrase, any, none, where, site) => {
        const field = { anywhere: null, title: 'intitle', address: 'inurl' }[where]
        const one = (word: string) => [field, 'text', word]
        const group = (values: unknown[][]) =>
          values.length > 1 ? [['required', 'any', values]] : values.map((value) => ['required', ...value])
        const meant = [
          ...wordsOf(all).map((word) => ['required', ...one(word)]),
          ...(phrase.trim() === '' ? [] : [['required', field, 'phrase', phrase.trim()]]),
          ...group(wordsOf(any).map(one)),
          ...wordsOf(none).map((word) => ['not', ...one(word)]),
          ...group(wordsOf(site).map((word) => ['site', 'text', word])),
          ['required', 'filetype', 'text', 'pdf'],
          ['required', 'date', '2024', null, true],
        ]
        const query = advancedQuery({ all, phrase, any, none, where, site, type: 'pdf', from: '2024' })
        const { syntax, directives } = parser.parseWithReport(query)
        checked++
        return directives.size === 0 && JSON.stringify(syntax.clauses.map(told)) === JSON.stringify(meant)
      }),
      { numRuns: 2000 },
    )
    t.equal(checked, 2000)
  })

  await t.test('leads to the result page, with one query that can be edited', async (t) => {
    const data = t.testdir()
    await indexPages(data, [
      {
        url: 'http://silk.example/road',
        title: 'Silk',
        body: 'silk road to Samarkand',
        lang: 'en',
        date: '2024-01-15',
      },
      { url: 'http://silk.example/loom', title: 'Loom', body: 'silk on a loom', lang: 'en', date: '2024-02-01' },
      { url: 'http://tea.example/', title: '茶', body: '丝绸之路 silk road', lang: 'zh', date: '2025-01-01' },
    ])
    const { app, close } = await openApp(data)
    t.teardown(close)
    const follow = async (filled: Record<string, string>) => {
      const reply = await app.inject(`/advanced?${new URLSearchParams(filled)}`)
      t.equal(reply.statusCode, 303, JSON.stringify(filled))
      const location = String(reply.headers.location)
      t.equal((await app.inject(location)).statusCode, 200)
      const answer = (await app.inject(`/api/v1${location}`)).json()
      return answer.hits.map((hit: { url: string }) => hit.url.slice(7))
    }
    t.same(await follow({ all: 'silk road', none: '丝绸' }), ['silk.example/road'])
    t.same(await follow({ phrase: 'silk road', lang: 'zh', type: '', from: '', to: '' }), ['tea.example/'])
    t.same((await follow({ any: 'loom samarkand' })).sort(), ['silk.example/loom', 'silk.example/road'])
    t.same(await follow({ all: 'loom', where: 'title' }), ['silk.example/loom'])
    t.same(await follow({ all: 'road', where: 'address' }), ['silk.example/road'])
    t.same(await follow({ site: 'silk.example', sort: 'date' }), ['silk.example/loom', 'silk.example/road'])
    t.same(await follow({ all: 'silk', from: '2024-01-15', to: '2024-01-15' }), ['silk.example/road'])
    t.same(await follow({ all: 'silk', from: '2024-02', to: '2024-01', sort: 'date' }), [
      'silk.example/loom',
      'silk.example/road',
    ])
    t.match((await app.inject('/advanced?all=silk&hl=zh')).headers.location, /hl=zh/)

    const empty = await app.inject('/advanced?hl=en&sort=date')
    t.equal(empty.statusCode, 200)
    for (const path of ['/', '/search?q=silk']) {
      t.ok(
        auditPage((await app.inject(path)).body)
          .all('a')
          .some((a) => attribute(a, 'href') === '/advanced'),
        path,
      )
    }
    for (const bad of ['from=then', `all=${'%2B'.repeat(600)}`]) {
      const reply = await app.inject(`/advanced?hl=en&none=loom&${bad}`)
      const page = auditPage(reply.body)
      t.equal(reply.statusCode, 400, bad.slice(0, 20))
      t.equal(
        page
          .all('input')
          .find((input) => attribute(input, 'name') === 'none')
          ?.attrs.find(({ name }) => name === 'value')?.value,
        'loom',
      )
      t.match(reply.body, /role="alert"/)
    }
    for (const text of HOSTILE_TEXTS) {
      const reply = await app.inject(
        `/advanced?${new URLSearchParams({ all: text, site: text, lang: text, from: 'x' })}`,
      )
      t.same(auditPage(reply.body).faults, [], text)
    }
  })
})
