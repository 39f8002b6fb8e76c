import t from 'tap'
import { messagesEn } from './messages-en.js'
import { messagesZh } from './messages-zh.js'
import { pageLanguage } from './page-language.js'
import { translator } from './translator.js'

t.test('both languages have the same texts with the same placeholders', async (t) => {
  t.same(Object.keys(messagesZh).sort(), Object.keys(messagesEn).sort())
  for (const key of Object.keys(messagesEn) as (keyof typeof messagesEn)[]) {
    const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
    t.same(placeholders(messagesZh[key]), placeholders(messagesEn[key]), key)
    t.not(messagesZh[key].trim(), '', key)
    if (!/^(results\.type\.pdf|site\.name|help\.title\.example|help\.site\.example)/.test(key)) {
      t.match(messagesZh[key], /\p{Script=Han}|^\{/u, `${key} is in Chinese`)
    }
    t.notMatch(messagesEn[key].replace('词语', '').replace('丝绸之路', ''), /\p{Script=Han}/u, `${key} is in English`)
  }
})

t.test('numbers, plurals, dates and languages are written in the language', async (t) => {
  const en = translator('en')
  const zh = translator('zh')
  t.equal(en.plural('results.count', 1), '1 result')
  t.equal(en.plural('results.count', 12345), '12,345 results')
  t.equal(zh.plural('results.count', 1), '1 条结果')
  t.equal(en.date('2026-01-02T23:59:00Z'), 'Jan 2, 2026')
  t.equal(zh.date('2026-01-02'), '2026年1月2日')
  t.equal(en.date('yesterday'), '')
  t.equal(en.seconds(3.6), '0.004')
  t.equal(zh.languageName('ko'), '韩语')
  t.equal(en.languageName('not a tag'), 'not a tag')
  t.same(zh.around('none.lead', 'query'), ['没有网页符合 ', '。'])
  t.equal(
    en.text('results.title', { query: '{n} $& {query}' }),
    '{n} $& {query} – Spindle',
    'values are not searched again',
  )
})

t.test('the page language is what the address says, else what the browser prefers', async (t) => {
  const cases: [hl: string | undefined, header: string | undefined, expected: string][] = [
    [undefined, undefined, 'en'],
    ['zh', 'en', 'zh'],
    ['EN-gb', 'zh', 'en'],
    ['fr', 'zh-CN,zh;q=0.9', 'zh'],
    [undefined, 'zh-TW,zh;q=0.9,en;q=0.8', 'zh'],
    [undefined, 'fr,en;q=0.5,zh;q=0.7', 'zh'],
    [undefined, 'fr, de', 'en'],
    [undefined, 'zh;q=0, en;q=0.1', 'en'],
    [undefined, 'zh;q=0', 'en'],
    [undefined, '*', 'en'],
    [undefined, ';;;,,zh;q=abc,q=1,=', 'en'],
    [undefined, `${'x,'.repeat(10_000)}zh`, 'en'],
  ]
  for (const [hl, header, expected] of cases)
    t.equal(pageLanguage(hl, header), expected, `${hl} ${header?.slice(0, 40)}`)
})
