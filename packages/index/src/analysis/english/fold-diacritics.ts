/**
 * Takes the marks off letters, so that Zurich finds Zürich and the reverse. Only where a reader would leave them out,
 * too: Latin and Greek accents, vowel signs of Arabic and Hebrew. The marks of other scripts (й, ビ, Indic vowels) make
 * other letters and stay.
 */

/** Letters that do not fall apart into a letter and a mark. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ı: 'i',
    ł: 'l',
    ŋ: 'n',
    ŧ: 't',
    ς: 'σ',
    ё: 'е',
  }),
)
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'gu')
const ACCENTS = /([\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu
const VOWEL_SIGNS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]/g

/** @param word folded by `foldWord`; the result may be empty where the word is nothing but marks */
export function foldDiacritics(word: string): string {
  if (isAscii(word)) return word
  return word
    .normalize('NFD')
    .replace(ACCENTS, '$1')
    .normalize('NFC')
    .replace(LETTER, (letter) => LETTERS.get(letter)!)
    .replace(VOWEL_SIGNS, '')
}

/** Whether all characters are of ASCII. */
export function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) >= 0x80) return false
  return true
}
