/** The words of a collection by how frequent they are, and stretches of its texts: what random queries are made of. */
import type { Random } from '../support/random.js'
import type { TestDocument } from './engine.js'

/** Fields of texts. */
export const TEXT_FIELDS = ['title', 'body'] as const
export type TextField = (typeof TEXT_FIELDS)[number]

/** What random queries are drawn from. */
export interface Draw {
  readonly random: Random
  readonly vocabulary: Vocabulary
}

/** A field of texts, the longer one more often. */
export function wordField(random: Random): TextField {
  return random.chance(0.7) ? 'body' : 'title'
}

/** Shares of the documents that bound the bands: above the first a word is frequent, below the second it is rare. */
const FREQUENT = 0.03
const RARE = 0.002

/** Words to be asked. */
export class Vocabulary {
  readonly #documents: readonly TestDocument[]
  readonly #bands = new Map<TextField, readonly (readonly string[])[]>()
  readonly #tags: readonly string[]

  constructor(documents: readonly TestDocument[]) {
    this.#documents = documents
    for (const field of TEXT_FIELDS) this.#bands.set(field, bandsOf(documents, field))
    this.#tags = [...new Set(documents.flatMap(({ tags }) => tags))]
  }

  /** A word of a text field, of a band drawn before the word; now and then one that is nowhere. */
  word(random: Random, field: TextField): string {
    if (random.chance(0.03)) return random.pick(['absent', 'zzz', '0absent'])
    const bands = this.#bands.get(field)!
    return bands.length === 0 ? 'absent' : random.pick(random.pick(bands))
  }

  /** A keyword; now and then one that is nowhere. */
  tag(random: Random): string {
    return this.#tags.length === 0 || random.chance(0.05) ? 'no-tag' : random.pick(this.#tags)
  }

  /** So many words that follow each other in some text, where there is one of this length. */
  stretch(random: Random, field: TextField, length: number): string[] {
    for (let tries = 0; tries < 20; tries++) {
      const words = random.pick(this.#documents)[field].split(' ')
      if (words.length < length) continue
      const from = random.below(words.length - length + 1)
      return words.slice(from, from + length)
    }
    return Array.from({ length }, () => this.word(random, field))
  }

  /** A document's number of a field, if it has one. */
  number(random: Random, field: 'size' | 'rank'): number {
    const { sizes, rank } = random.pick(this.#documents)
    return (field === 'size' ? sizes[0] : rank) ?? random.below(100)
  }
}

/** The words of each band that has any. */
function bandsOf(documents: readonly TestDocument[], field: TextField): string[][] {
  const docFreqs = new Map<string, number>()
  for (const document of documents) {
    if (document[field] === '') continue
    for (const word of new Set(document[field].split(' '))) docFreqs.set(word, (docFreqs.get(word) ?? 0) + 1)
  }
  const bands: string[][] = [[], [], [], []]
  for (const [word, docFreq] of docFreqs) {
    const share = docFreq / documents.length
    bands[docFreq === 1 ? 3 : share < RARE ? 2 : share < FREQUENT ? 1 : 0]!.push(word)
  }
  return bands.filter((band) => band.length > 0)
}
