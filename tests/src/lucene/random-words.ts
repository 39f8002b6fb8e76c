/** Random queries that ask for words of a shape: what they match depends on the dictionary. */
import type { QueryNode } from './query-node.js'
import { type Draw, TEXT_FIELDS, wordField } from './vocabulary.js'

/** A word to be changed: of a text, or a keyword. */
function anyWord({ random, vocabulary }: Draw): { readonly field: string; readonly text: string } {
  if (random.chance(0.15)) return { field: 'tag', text: vocabulary.tag(random) }
  const field = wordField(random)
  return { field, text: vocabulary.word(random, field) }
}

/** A word of a text, or a keyword. */
export function randomTerm(draw: Draw): QueryNode {
  return { kind: 'term', ...anyWord(draw) }
}

/** Words of one field, some of them twice. */
export function randomTermSet({ random, vocabulary }: Draw): QueryNode {
  const field = random.pick([...TEXT_FIELDS, 'tag'] as const)
  const texts = Array.from({ length: 1 + random.below(random.chance(0.1) ? 60 : 5) }, () =>
    field === 'tag' ? vocabulary.tag(random) : vocabulary.word(random, field),
  )
  return { kind: 'termSet', field, texts }
}

/** A stretch of a text, of which the words are chosen that tell it from others. */
export function randomLike({ random, vocabulary }: Draw): QueryNode {
  const field = wordField(random)
  const text = vocabulary.stretch(random, field, 1 + random.below(field === 'body' ? 30 : 4)).join(' ')
  return {
    kind: 'like',
    field,
    text,
    minTermFreq: random.pick([1, 1, 2]),
    minDocFreq: random.pick([1, 2, 5]),
  }
}

/** The beginning of a word, all or nothing of it too. */
export function randomPrefix(draw: Draw): QueryNode {
  const { field, text } = anyWord(draw)
  const letters = [...text]
  return { kind: 'prefix', field, pattern: letters.slice(0, draw.random.below(letters.length + 1)).join('') }
}

/** A word in which letters are replaced by `?` or stretches by `*`, sometimes with escapes and strange runs. */
export function randomWildcard(draw: Draw): QueryNode {
  const { random } = draw
  const { field, text } = anyWord(draw)
  const letters = [...text]
  for (let n = 1 + random.below(2); n > 0; n--) {
    const at = random.below(letters.length + 1)
    if (random.chance(0.4)) letters.splice(at, 1, '?')
    else letters.splice(at, random.below(3), '*')
  }
  if (random.chance(0.1)) letters.splice(random.below(letters.length + 1), 0, random.pick(['\\*', '\\?', '*?', '**']))
  const escaped = random.below(letters.length)
  if (random.chance(0.1) && letters[escaped]!.length === 1) letters[escaped] = `\\${letters[escaped]}`
  return { kind: 'wildcard', field, pattern: letters.join('') }
}

/** A word in which letters have become classes, choices, repetitions; in Lucene's syntax. */
export function randomRegexp(draw: Draw): QueryNode {
  const { random } = draw
  const { field, text } = anyWord(draw)
  const parts = [...text].map((letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter : `\\${letter}`))
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(parts.length)
    const part = parts[at]!
    const other = random.pick(parts)
    parts[at] = random.pick([
      '.',
      '.*',
      `${part}?`,
      `${part}+`,
      `${part}{1,3}`,
      `(${part}|${other})`,
      `(${part}${other})*`,
      `[${part.at(-1)!.length === 1 ? 'a-z' : part}0-9]`,
      '[^ab]',
      `(${part}|<0-99>)`,
      `(.&${part})`,
      `(~${other}&.)`,
      '@',
    ])
  }
  if (random.chance(0.2)) parts.splice(random.below(parts.length + 1), parts.length, '.*')
  return { kind: 'regexp', field, pattern: parts.join('') }
}

/** A word with up to three letters changed, dropped, put in or exchanged. */
export function randomFuzzy(draw: Draw): QueryNode {
  const { random } = draw
  const { field, text } = anyWord(draw)
  const letters = [...text]
  for (let n = random.below(4); n > 0; n--) {
    const at = random.below(letters.length + 1)
    const letter = random.pick(['a', 'e', 's', 'w', '1', '中'])
    const edit = random.below(4)
    if (edit === 0) letters.splice(at, 0, letter)
    else if (edit === 1) letters.splice(at, 1, letter)
    else if (edit === 2 && letters.length > 1) letters.splice(at, 1)
    else letters.splice(at, 2, ...letters.slice(at, at + 2).reverse())
  }
  return {
    kind: 'fuzzy',
    field,
    text: letters.join(''),
    maxEdits: random.pick([2, 2, 1, 0]),
    prefixLength: random.pick([0, 0, 1, 2]),
    maxExpansions: random.pick([50, 50, 10, 3, 1]),
    transpositions: random.chance(0.6),
  }
}

/** From one word, or the beginning of one, to another; open, and the wrong way round, too. */
export function randomTermRange({ random, vocabulary }: Draw): QueryNode {
  const field = random.pick([...TEXT_FIELDS, 'tag', 'id'] as const)
  const bound = (): string | null => {
    if (random.chance(0.15)) return null
    if (field === 'tag') return vocabulary.tag(random)
    if (field === 'id') return `${random.below(2000)}`
    const word = vocabulary.word(random, field)
    return random.chance(0.3) ? [...word].slice(0, 2).join('') : word
  }
  let [lower, upper] = [bound(), bound()]
  if (lower !== null && upper !== null && lower > upper && random.chance(0.9)) [lower, upper] = [upper, lower]
  return { kind: 'termRange', field, lower, upper, includeLower: random.chance(0.5), includeUpper: random.chance(0.5) }
}
