import t from 'tap'
import { addressWords } from './address-words.js'

t.test('the words of addresses', (t) => {
  const words: Readonly<Record<string, string>> = {
    'https://docs.example.org/library/asyncio-queue.html': 'docs example library asyncio queue',
    'http://www.example.com/': 'example',
    'http://localhost:8080/index.html': '',
    'http://127.0.0.1/3/whatsnew/3.9.html': 'whatsnew',
    'https://example.org/%E6%89%8B%E5%86%8C/%E8%A1%A8?id=7f3a': 'example 手册 表',
    'https://example.org/%E6%89/100%25_off': 'example off',
    'file:///home/someone/notes/list-of-birds.txt': 'list of birds txt',
    'file:///records.jsonl#12': 'records jsonl',
  }
  for (const [url, expected] of Object.entries(words)) t.equal(addressWords(url), expected, url)
  const long = addressWords(`http://a.example/${'word/'.repeat(1000)}`)
  t.equal(long.split(' ').length, 40, 'a bounded number of them')
  t.end()
})
