/** A made-up corpus: words of ever more letters, as frequent as words are (Zipf), some pairs of them set phrases. */

/** The same numbers in [0, 1) for a seed: Marsaglia's xorshift. */
export function randomFrom(seed) {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

const CONSONANTS = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'

/** Word of rank `n`: syllables, the first ranks the shortest. */
function wordOf(n) {
  let word = ''
  for (let rest = n + CONSONANTS.length * VOWELS.length; rest > 0; ) {
    word += CONSONANTS[rest % CONSONANTS.length]
    rest = Math.floor(rest / CONSONANTS.length)
    word += VOWELS[rest % VOWELS.length]
    rest = Math.floor(rest / VOWELS.length)
  }
  return word
}

/** @returns a document a line */
export function makeSmallCorpus(documents, seed = 1) {
  const random = randomFrom(seed)
  const words = Array.from({ length: 30_000 }, (_, n) => wordOf(n))
  const lines = []
  for (let i = 0; i < documents; i++) {
    const line = []
    const length = 20 + Math.floor(random() * random() * 300)
    let rank = 0
    for (let at = 0; at < length; at++) {
      // Rank of a word: log-uniform is Zipf's law with exponent 1; one word in five follows from the one before.
      rank = random() < 0.2 ? (rank * 7 + 3) % words.length : Math.floor(words.length ** random()) - 1
      line.push(words[rank])
    }
    lines.push(line.join(' '))
  }
  return lines
}
