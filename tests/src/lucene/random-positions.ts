/** Random queries that ask where words stand: phrases, and words near each other. */
import type { Random } from '../support/random.js'
import type { NearNode, QueryNode, SpanNode } from './query-node.js'
import { type Draw, type TextField, wordField } from './vocabulary.js'

/**
 * Words for a phrase: mostly such as stand so in some text, some of which miss it by one word.
 * @param spread words of the text that may stand between them
 */
function phraseWords({ random, vocabulary }: Draw, field: TextField, spread: number): string[] {
  const length = random.pick([1, 2, 2, 2, 3, 3, 4, 6])
  if (random.chance(0.15)) return Array.from({ length }, () => vocabulary.word(random, field))
  const texts = vocabulary.stretch(random, field, length + random.below(spread + 1))
  while (texts.length > length) texts.splice(random.below(texts.length), 1)
  if (random.chance(0.2)) texts[random.below(length)] = vocabulary.word(random, field)
  return texts
}

/** An exact phrase, also with gaps and several words at one place. */
export function randomPhrase(draw: Draw): QueryNode {
  const { random, vocabulary } = draw
  const field = wordField(random)
  const words = phraseWords(draw, field, 0).map((text, position) => ({ text, position }))
  if (random.chance(0.2) && words.length > 2) words.splice(1 + random.below(words.length - 2), 1)
  if (random.chance(0.1)) words.push({ text: vocabulary.word(random, field), position: words.at(-1)!.position })
  return { kind: 'phrase', field, slop: 0, words }
}

/** A phrase with slop, its words in any order, none of them twice: what Lucene finds for a repeated one is its own affair. */
export function randomSloppyPhrase(draw: Draw): QueryNode {
  const { random } = draw
  const field = wordField(random)
  const texts = shuffledALittle([...new Set(phraseWords(draw, field, 3))], random)
  return {
    kind: 'phrase',
    field,
    slop: 1 + random.below(6),
    words: texts.map((text, i) => ({ text, position: i + (i > 1 && random.chance(0.1) ? 1 : 0) })),
  }
}

/** A phrase with a choice of words at some places, exact or with slop; then without repeated words. */
export function randomMultiPhrase(draw: Draw): QueryNode {
  const { random, vocabulary } = draw
  const field = wordField(random)
  const slop = random.chance(0.5) ? 0 : 1 + random.below(5)
  const seen = new Set<string>()
  const isNew = (text: string): boolean => slop === 0 || (!seen.has(text) && seen.add(text) !== undefined)
  const places = phraseWords(draw, field, slop === 0 ? 0 : 2).map((text, position) => {
    const others = Array.from({ length: random.below(3) }, () => vocabulary.word(random, field))
    return { position, texts: [...new Set([text, ...others])].filter(isNew) }
  })
  const filled = places.filter(({ texts }) => texts.length > 0)
  return { kind: 'multiPhrase', field, slop, places: filled }
}

/** Words near each other, in order or not, with alternatives and nearness within nearness. */
export function randomNear(draw: Draw, depth = 1): NearNode {
  const { random } = draw
  const field = wordField(random)
  return nearOf(draw, field, depth)
}

function nearOf(draw: Draw, field: TextField, depth: number): NearNode {
  const { random, vocabulary } = draw
  const texts = shuffledALittle(phraseWords(draw, field, 4), random)
  const spans = texts.map((text): SpanNode => {
    const word: SpanNode = { kind: 'spanTerm', field, text }
    if (random.chance(0.15)) {
      return { kind: 'spanOr', spans: [word, { kind: 'spanTerm', field, text: vocabulary.word(random, field) }] }
    }
    return depth > 0 && random.chance(0.15) ? nearOf(draw, field, depth - 1) : word
  })
  if (spans.length === 1) spans.push({ kind: 'spanTerm', field, text: vocabulary.word(random, field) })
  return { kind: 'near', slop: random.pick([0, 0, 1, 2, 3, 5, 10]), inOrder: random.chance(0.6), spans }
}

/** Now and then two neighbours exchanged. */
function shuffledALittle(texts: readonly string[], random: Random): string[] {
  const at = random.below(texts.length)
  if (at + 1 === texts.length || random.chance(0.6)) return [...texts]
  return texts.with(at, texts[at + 1]!).with(at + 1, texts[at]!)
}
