/** The rules for English are taken from a package that is several times as fast as Snowball's own translation: they are the same. */
import { stem } from 'porter2'
import { newStemmer } from 'snowball-stemmers'
import t from 'tap'
import { Random, testSeed } from '../../test-support/random.js'

const SUFFIXES =
  `s es ed ing ly edly ingly y 's s' ational tional enci anci izer ation ator alism aliti iveness fulness ousness
  biliti logi logist li cli icate ative alize iciti ical ful ness ement ment ent ion sion tion able ible ism ous ive e ee eed
  eedly l ll yy`.split(/\s+/)
/** Words that the rules name. */
const EXCEPTIONS =
  `skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes inning
  outing canning herring earring proceed exceed succeed generous communism arsenal yes say youth boyish`.split(/\s+/)

t.test('stems of English are those of Snowball', (t) => {
  const snowball = newStemmer('english')
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  const random = new Random(seed)
  let different = 0
  const compare = (word: string): void => {
    const expected = snowball.stem(word)
    if (stem(word) !== expected && different++ < 10) t.equal(stem(word), expected, word)
  }
  for (const word of EXCEPTIONS) for (const suffix of ['', ...SUFFIXES]) compare(word + suffix)
  for (let i = 0; i < 50_000; i++) {
    let word = ''
    for (let length = random.below(7); length > 0; length--) word += random.pick([...'bcdfghklmnprstvwxzaeiouyaeiouy'])
    for (let count = random.below(3); count > 0; count--) word += random.pick(SUFFIXES)
    if (word !== '') compare(word)
  }
  t.equal(different, 0)
  t.end()
})
