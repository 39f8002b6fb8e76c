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

t.test('text beyond ASCII that is too little to be Chinese, or anything', async (t) => {
  const read = (text: string, encoding: 'latin1') => decodeText(Buffer.from(text, encoding), undefined, false)
  for (const text of ['Domena jest oficjaln\xb9 w r', 'nique et de la pr\xe9sente licence', 'le r\xe9seau']) {
    const { charset, text: decoded } = read(text, 'latin1')
    t.match(charset, /^(?:windows|iso-8859)-/, text)
    t.equal(decoded.length, text.length, 'one character a byte')
  }
  const greek = decodeText(Buffer.from('Ελληνικά και άλλα', 'utf16le'), undefined, false)
  t.strictSame([greek.text, greek.charset], ['Ελληνικά και άλλα', 'utf-16le'])
})

t.test('signs of a wrong encoding', async (t) => {
  const doubt = (bytes: Buffer, label?: string) => decodeText(bytes, label, true).doubt
  const chinese = '天安门广场位于北京市中心，是世界上最大的城市广场之一。'
  // gbk has these two bytes for each
  const gbk = Buffer.from('ccecb0b2c3c5b9e3b3a1cebbd3dab1b1bea9cad0d6d0d0c4'.repeat(4), 'hex')
  const utf8 = Buffer.from(chinese)
  t.equal(doubt(utf8), undefined)
  t.equal(doubt(utf8, 'utf-8'), undefined)
  t.equal(doubt(gbk, 'gb2312'), undefined)
  t.equal(doubt(gbk), undefined, 'found by its bytes')
  t.strictSame(doubt(gbk, 'utf-8'), { reason: 'invalid', bytesLike: 'gb18030' })
  t.strictSame(doubt(gbk, 'iso-8859-1'), { reason: 'not-latin', bytesLike: 'gb18030' })
  t.strictSame(doubt(utf8, 'iso-8859-1'), { reason: 'utf-8', bytesLike: 'utf-8' })
  t.strictSame(doubt(utf8, 'gb2312')?.bytesLike, 'utf-8')
  t.strictSame(doubt(Buffer.from('plain English text'), 'utf-16'), { reason: 'utf-8', bytesLike: 'utf-8' })
  t.equal(doubt(Buffer.from('plain English text', 'utf16le'), 'utf-16'), undefined)
  t.equal(doubt(Buffer.from('plain English text'), 'gbk'), undefined, 'ASCII is the same in all of them')
  t.equal(doubt(utf8.subarray(0, utf8.length - 1), 'utf-8'), undefined, 'cut within its last character')
  t.equal(doubt(gbk.subarray(0, gbk.length - 1), 'gb2312'), undefined, 'cut within its last character')
  t.equal(doubt(Buffer.from(`${chinese}\ufffd`.repeat(9)), 'utf-8'), undefined, 'the character itself')
  // one invalid byte in 162 and in 27 characters
  t.equal(doubt(Buffer.concat([Buffer.from(chinese.repeat(6)), Buffer.from([0xff, 0x20])]), 'utf-8'), undefined)
  t.equal(doubt(Buffer.concat([utf8, Buffer.from([0xff, 0x20])]), 'utf-8')?.reason, 'invalid')
  for (const latin of ['Żółć i zażółć gęślą jaźń, proszę bardzo', 'Åäö på svenska', 'naïve café déjà vu']) {
    t.equal(doubt(Buffer.from(latin, 'latin1'), 'iso-8859-1'), undefined, latin)
  }
  t.equal(doubt(Buffer.alloc(400, 0xa0), 'iso-8859-1'), undefined, 'rows of no-break spaces')
  t.equal(doubt(Buffer.from([0x81, 0x20, 0x8d, 0x20, 0x8f, 0x20]))?.reason, 'unknown')
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

t.test('what is known of beginnings of pages is said of none that begin otherwise', async (t) => {
  const declaration = '<?xml version="1.0" encoding="big5"?>'
  const cases: [page: string, charset: string, source: string][] = [
    [`${declaration}<meta charset="euc-kr"><p>`, 'euc-kr', 'meta'],
    [`${declaration}<p>`, 'big5', 'xml'],
    [`${declaration}<meta charset="euc-jp"><p>`, 'euc-jp', 'meta'],
    ['<meta charset="euc-kr">', 'euc-kr', 'meta'],
    ['<meta charset="euc-kr"', 'euc-kr', 'meta'],
    ['<meta charset="euc-k', 'utf-8', 'utf8'],
    [`<title>${'x'.repeat(5000)}</title><meta charset="big5">`, 'big5', 'meta'],
  ]
  // more than are kept
  for (let i = 0; i < 20; i++) cases.push([`<i id=${i}><meta charset=big5><p>`, 'big5', 'meta'])
  for (let round = 0; round < 2; round++) {
    for (const [page, charset, source] of cases) {
      t.match(detectCharset(Buffer.from(page), undefined, true), { charset, source }, page.slice(0, 60))
    }
  }
})
