import t from 'tap'
import { foldDiacritics } from './fold-diacritics.js'

t.test('marks are left out where readers leave them out', (t) => {
  const folded: Readonly<Record<string, string>> = {
    zürich: 'zurich',
    'e\u0301cole': 'ecole',
    straße: 'strasse',
    smørrebrød: 'smorrebrod',
    łódź: 'lodz',
    ấn: 'an',
    άλφας: 'αλφασ',
    йод: 'йод',
    ёж: 'еж',
    ビール: 'ビール',
    हिन्दी: 'हिन्दी',
    كِتَاب: 'كتاب',
    שָׁלוֹם: 'שלום',
    ไทย: 'ไทย',
    '\u064b': '',
    plain: 'plain',
  }
  for (const [word, expected] of Object.entries(folded)) {
    t.equal(foldDiacritics(word), expected.normalize('NFC'), word)
    t.equal(foldDiacritics(foldDiacritics(word)), foldDiacritics(word), `${word} twice`)
  }
  t.end()
})
