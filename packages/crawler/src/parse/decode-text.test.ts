import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { decodeText, detectCharset } from './decode-text.js'

const DATA = new URL('../../../../../shared/data/conformance/', import.meta.url)
const skip = existsSync(DATA) ? false : 'needs ../shared/data'

t.test('declarations found in the first bytes', { skip }, async (t) => {
  const cases: { data_base64: string; encoding: string }[] = JSON.parse(
    readFileSync(new URL('html-encoding/html5lib.json', DATA), 'utf8'),
  )
  t.ok(cases.length > 0)
  for (const { data_base64, encoding } of cases) {
    const bytes = Buffer.from(data_base64, 'base64')
    const { charset, source } = detectCharset(bytes, undefined, true)
    // without a declaration the cases expect the default of a Western browser; here the bytes are looked at
    const declared = source === 'bom' || source === 'meta' || source === 'xml'
    t.equal(declared ? charset : 'windows-1252', encoding.toLowerCase(), bytes.toString('latin1').slice(0, 100))
  }
})

t.test('unlabelled text', { skip }, async (t) => {
  const lines = readFileSync(new URL('text-encoding/reencoded.jsonl', DATA), 'utf8').trim().split('\n')
  let samples = 0
  let right = 0
  let same = 0
  for (const line of lines) {
    const { encoding, chars, text, data_base64 } = JSON.parse(line)
    if (chars < 120) continue
    const decoded = decodeText(Buffer.from(data_base64, 'base64'), undefined, false)
    samples++
    if (decoded.charset === (encoding === 'gbk' ? 'gb18030' : encoding)) right++
    if (decoded.text === text) same++
  }
  t.ok(samples > 200)
  t.ok(right / samples >= 0.98, `${right} of ${samples} encodings named`)
  t.ok(same / samples >= 0.98, `${same} of ${samples} texts read as they were written`)
})

t.test('labels and bytes', async (t) => {
  const read = (bytes: Buffer | string, label?: string, markup = true) => {
    const { text, charset, source } = decodeText(Buffer.from(bytes as string), label, markup)
    return [text, charset, source]
  }
  t.strictSame(read('', undefined), ['', 'utf-8', 'utf8'])
  t.strictSame(read('plain'), ['plain', 'utf-8', 'utf8'])
  t.strictSame(read(Buffer.from([0x80, 0x93]), 'iso-8859-1'), ['€“', 'windows-1252', 'http'])
  t.strictSame(read(Buffer.from([0xa4, 0xa4]), 'BIG5'), ['中', 'big5', 'http'])
  t.strictSame(read(Buffer.from([0xd6]), 'gbk'), ['\ufffd', 'gb18030', 'http'], 'cut within a character')
  t.strictSame(read(Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'gbk'), ['\ufffd', 'utf-16le', 'bom'], 'a lone surrogate')
  t.strictSame(read('中', 'constructor'), ['中', 'utf-8', 'utf8'])
  t.strictSame(read('中', 'hz-gb-2312'), ['中', 'utf-8', 'utf8'], 'a label that stands for nothing safe')
  t.strictSame(
    read('<meta charset=gbk>', undefined, false).slice(1),
    ['utf-8', 'utf8'],
    'no declarations in plain text',
  )
  t.strictSame(read('<meta charset=utf-16>').slice(1), ['utf-8', 'meta'])
  t.strictSame(read('\u001b[1mcoloured\u001b[0m').slice(1), ['utf-8', 'utf8'], 'a terminal escape is no encoding')
  t.equal(read(Buffer.from([0xff, 0xff, 0xff])).length, 3, 'noise is read as something')
  t.equal(decodeText(Buffer.alloc(3000, 0xe9), undefined, true).text.length > 0, true)
})
