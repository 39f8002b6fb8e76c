/**
 * The stemmer of Porter 1980 with the later rules of its author (bli, logi), as Lucene's PorterStemFilter has it: for figures
 * beside Lucene's. M. F. Porter, An algorithm for suffix stripping, Program 14 (3), 130–137.
 */
/** Letters as c (consonant) and v (vowel). */
function pattern(stem) {
  let shape = ''
  for (let i = 0; i < stem.length; i++) {
    const letter = stem[i]
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && i > 0 && shape[i - 1] === 'c')
    shape += isVowel ? 'v' : 'c'
  }
  return shape
}

/** How often a vowel is followed by a consonant. */
const measure = (stem) => pattern(stem).match(/vc/g)?.length ?? 0
const hasVowel = (stem) => pattern(stem).includes('v')
const endsDouble = (stem) => /([^aeiouy])\1$/.test(stem) || /yy$/.test(stem)
const endsShort = (stem) => pattern(stem).endsWith('cvc') && !/[wxy]$/.test(stem)

const STEP_2 = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
}
const STEP_3 = { icate: 'ic', ative: '', alize: 'al', iciti: 'ic', ical: 'ic', ful: '', ness: '' }
const STEP_4 = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
]

const longest = (word, suffixes) =>
  suffixes.filter((suffix) => word.endsWith(suffix)).sort((a, b) => b.length - a.length)[0]

function replaceSuffix(word, table) {
  const suffix = longest(word, Object.keys(table))
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  return measure(stem) > 0 ? stem + table[suffix] : word
}

/** @param word in lower case */
export function porterStem(word) {
  if (word.length < 3) return word
  let stem = word
  if (/sses$|ies$/.test(stem)) stem = stem.slice(0, -2)
  else if (/[^s]s$/.test(stem)) stem = stem.slice(0, -1)

  if (stem.endsWith('eed')) {
    if (measure(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1)
  } else {
    const suffix = longest(stem, ['ed', 'ing'])
    if (suffix !== undefined && hasVowel(stem.slice(0, -suffix.length))) {
      stem = stem.slice(0, -suffix.length)
      if (/(?:at|bl|iz)$/.test(stem)) stem += 'e'
      else if (endsDouble(stem) && !/[lsz]$/.test(stem)) stem = stem.slice(0, -1)
      else if (measure(stem) === 1 && endsShort(stem)) stem += 'e'
    }
  }
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`

  stem = replaceSuffix(replaceSuffix(stem, STEP_2), STEP_3)

  const last = longest(stem, STEP_4)
  if (last !== undefined) {
    const rest = stem.slice(0, -last.length)
    if (measure(rest) > 1 && (last !== 'ion' || /[st]$/.test(rest))) stem = rest
  }
  if (stem.endsWith('e')) {
    const rest = stem.slice(0, -1)
    if (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest))) stem = rest
  }
  if (stem.endsWith('ll') && measure(stem) > 1) stem = stem.slice(0, -1)
  return stem
}
