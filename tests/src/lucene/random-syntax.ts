/** Random texts in the language of Lucene's classic query parser, some of them with a mistake. */
import type { Random } from '../support/random.js'

const WORDS = [
  'a',
  'b',
  'silk',
  'Road',
  'x1',
  '中',
  '天安门',
  'é',
  'wi-fi',
  'a.b',
  "o'neil",
  '3.14',
  'not',
  'TOP',
  'http',
]
const ESCAPED = ['\\(', '\\:', '\\*a', 'a\\?', '\\\\', '\\u0041b', 'a\\ b', '\\+', '\\-x', '\\"', 'AND\\ ', '\\AND']
const FIELDS = ['title', 'x', 'long_field', 'a.b']
const PIECES = [...'()[]{}"~^:\\*?/+-!&|', ' ', '  ', 'AND', 'OR', 'NOT', 'TO', '&&', '||', 'a', '^2', '~1', '"b c"']

/** A text, and whether it is as the grammar makes it, so that both parsers have to take it. */
export interface SyntaxText {
  readonly text: string
  readonly isWhole: boolean
}

/** Makes texts. */
export class RandomSyntax {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** The next text; of every third, pieces are missing, doubled or put in somewhere. */
  next(): SyntaxText {
    const random = this.#random
    const whole = this.#clauses(2)
    if (random.chance(0.67)) return { text: whole, isWhole: true }
    let text = whole
    for (let n = 1 + random.below(2); n > 0; n--) {
      const at = random.below(text.length + 1)
      const rest = random.chance(0.5) ? text.slice(at + 1) : text.slice(at)
      text = text.slice(0, at) + (random.chance(0.5) ? random.pick(PIECES) : '') + rest
    }
    return { text, isWhole: text === whole }
  }

  #clauses(depth: number): string {
    const random = this.#random
    let text = ''
    for (let n = 1 + random.below(4); n > 0; n--) {
      if (text !== '') text += random.pick([' ', ' ', ' ', '  ', ' AND ', ' OR ', ' && ', ' || '])
      text += random.pick(['', '', '', '', '+', '-', 'NOT ', '!'])
      if (random.chance(0.2)) text += `${random.pick(FIELDS)}:`
      text += depth > 0 && random.chance(0.2) ? `(${this.#clauses(depth - 1)})` : this.#leaf()
      if (random.chance(0.12)) text += random.pick(['^2', '^0.5', '^3.25', '^10'])
    }
    return text
  }

  #leaf(): string {
    const random = this.#random
    const word = random.pick(WORDS)
    const other = random.pick(WORDS)
    switch (random.below(14)) {
      case 0:
        return random.pick([`"${word} ${other}"`, `"${word}"`, `"${word} ${other} ${word}"~${random.below(5)}`, '""'])
      case 1:
        return `${word}*`
      case 2:
        return random.pick([`${word}?${other}`, `*${word}`, `?${word}*`, `${word}*${other}`])
      case 3:
        return word + random.pick(['~', '~1', '~2', '~0', '~0.5', '~0.7'])
      case 4:
        return random.pick(['/a[bc]+/', '/x.*y/', '/a\\/b/', '/(a|b)?c/'])
      case 5: {
        const bound = (): string => random.pick([random.pick(WORDS), '*', `"${word} ${other}"`])
        return `${random.pick('[{'.split(''))}${bound()} TO ${bound()}${random.pick(']}'.split(''))}`
      }
      case 6:
        return random.pick(ESCAPED)
      case 7:
        return random.pick(['*:*', '*', 'x:*'])
      default:
        return word
    }
  }
}
