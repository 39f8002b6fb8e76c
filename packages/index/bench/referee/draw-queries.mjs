/**
 * Queries over a corpus, fifty of each class, by how many documents have their words: h, more than 3 %; m, 0.2 to 2 %;
 * l, from 5 documents to 0.05 %. The same ones for the same corpus.
 */
import { randomFrom } from './make-small-corpus.mjs'

const EACH = 50
const isWord = (word) => /^[a-z]{3,}$/.test(word)

/** Number of documents that have each word. */
function docFreqs(lines) {
  const freqs = new Map()
  for (const line of lines) for (const word of new Set(line.split(' '))) freqs.set(word, (freqs.get(word) ?? 0) + 1)
  return freqs
}

/** @returns lines `class TAB query` */
export function drawQueries(lines, seed = 1) {
  const freqs = docFreqs(lines)
  const bands = { h: [], m: [], l: [] }
  for (const [word, freq] of freqs) {
    if (!isWord(word)) continue
    const share = freq / lines.length
    if (share > 0.03) bands.h.push(word)
    else if (share > 0.002 && share < 0.02) bands.m.push(word)
    else if (freq >= 5 && share < 0.0005) bands.l.push(word)
  }
  // In a small corpus nothing is both rare and in five documents.
  if (bands.l.length < EACH) bands.l = [...freqs.keys()].filter((word) => isWord(word) && freqs.get(word) <= 5)
  for (const band of Object.values(bands)) band.sort()

  const random = randomFrom(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  /** Different words, one of each band. */
  const words = (kinds) => {
    for (let tries = 0; tries < 100; tries++) {
      const drawn = Array.from(kinds, (kind) => pick(bands[kind]))
      if (new Set(drawn).size === drawn.length && !drawn.includes(undefined)) return drawn
    }
    throw new Error('the corpus is too small to draw words from')
  }
  /** Neighbours in a text that pass the test; none where the corpus is too small for any. */
  const phrase = (length, test) => {
    for (let tries = 0; tries < 10_000; tries++) {
      const text = pick(lines).split(' ')
      const at = Math.floor(random() * (text.length - length + 1))
      const drawn = text.slice(at, at + length)
      if (drawn.length === length && drawn.every(isWord) && new Set(drawn).size === length && test(drawn)) return drawn
    }
    throw new Error('the corpus is too small to draw phrases from')
  }
  const frequent = new Set(bands.h)
  const any = (kinds) => () => words(kinds).join(' ')
  const all = (kinds) => () =>
    words(kinds)
      .map((word) => `+${word}`)
      .join(' ')
  const quoted = (length, test) => () => `"${phrase(length, test).join(' ')}"`
  const classes = {
    term_high: any('h'),
    term_mid: any('m'),
    term_low: any('l'),
    or2_hh: any('hh'),
    or2_hl: any('hl'),
    or2_mm: any('mm'),
    or3_hmm: any('hmm'),
    or5: any('hhmml'),
    and2_hh: all('hh'),
    and2_hm: all('hm'),
    and2_hl: all('hl'),
    and3_hhm: all('hhm'),
    phrase2_hh: quoted(2, (drawn) => drawn.every((word) => frequent.has(word))),
    phrase2_mix: quoted(2, (drawn) => drawn.some((word) => !frequent.has(word) && freqs.get(word) > 50)),
    phrase3: quoted(3, (drawn) => drawn.some((word) => !frequent.has(word))),
  }
  const queries = []
  for (const [name, draw] of Object.entries(classes)) {
    const drawn = new Set()
    for (let tries = 0; drawn.size < EACH && tries < 100 * EACH; tries++) drawn.add(draw())
    for (const text of drawn) queries.push(`${name}\t${text}`)
  }
  return queries
}
