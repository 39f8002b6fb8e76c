/**
 * The language of a page. The script of its text decides where it is clear, and a few English words where there are enough of
 * them; what the page says is believed unless its text speaks against it (templates often say `lang="en"` on pages in any
 * language); all other text is named by n-grams (eld).
 *
 * Measured on 2,678 pages of ten manuals in 27 languages. Costs some 50 µs for Chinese, Japanese, Korean and English pages and
 * 200 µs for others; eld takes 200 ms and 30 MB at its first use, and English sites seldom come to it.
 */

/** UTF-16 units of the text that are looked at. */
const SAMPLE = 4000
/** Share of the letters that makes a script the page's own; a Chinese character is about as much as a word. */
const CJK_SHARE = 0.15
/** The same for a page that says it is in one of these languages: a translation not yet finished. */
const CJK_SHARE_NAMED = 0.05
/** Share of the Chinese characters of a page that only Japanese pages have as kana. */
const KANA_SHARE = 0.1
/** Letters from which a text says something of its language, and from which it outweighs what the page says. */
const MIN_LETTERS = 40
const MIN_LETTERS_AGAINST = 120
/** How much better another language must fit than the one that the page names; English is what templates say. */
const MARGIN = 0.1
const MARGIN_OVER_ENGLISH = 0.05
/** Words that are frequent in English and hardly ever stand in another language, and the share of them. */
const ENGLISH = new Set(['the', 'and', 'with', 'this', 'that', 'from', 'The', 'And', 'With', 'This', 'That', 'From'])
const MIN_ENGLISH = 3
const ENGLISH_SHARE = 0.07
const ENGLISH_SHARE_NAMED = 0.04

/** Characters that eld looks at. */
const NGRAM_SAMPLE = 1000
const PIECES = 5

let detector: Promise<{ eld: typeof import('eld/extrasmall').eld; known: ReadonlySet<string> }> | undefined

/**
 * @param declared language tag of the page, or ''
 * @returns primary language subtag in lower case (`zh`, `en`), '' where nothing is known
 */
export async function detectLanguage(text: string, declared: string): Promise<string> {
  const sample = text.length > SAMPLE ? text.slice(0, SAMPLE) : text
  const said = primaryLanguage(declared)
  const { letters, cjk, share } = lettersOf(sample)
  if (share >= CJK_SHARE || (share >= CJK_SHARE_NAMED && cjk === said)) return cjk
  if (letters < MIN_LETTERS) return said
  if (said === 'en' && looksEnglish(sample, ENGLISH_SHARE_NAMED)) return 'en'
  if (said === '' && looksEnglish(sample, ENGLISH_SHARE)) return 'en'
  if (said !== '' && letters < MIN_LETTERS_AGAINST) return said
  return byNgrams(text, said)
}

/** The primary subtag, canonical (`iw` is `he`, `deu` is `de`); of Norwegian the macrolanguage. */
export function primaryLanguage(tag: string): string {
  const subtag = /^[a-z]{2,3}(?=$|[-_])/.exec(tag.toLowerCase())?.[0]
  if (subtag === undefined) return ''
  const [canonical = subtag] = Intl.getCanonicalLocales(subtag)
  return canonical === 'nb' ? 'no' : canonical
}

/** The number of letters, the share of Chinese, Japanese and Korean ones, and what language these would be. */
function lettersOf(sample: string): { letters: number; share: number; cjk: 'zh' | 'ja' | 'ko' } {
  let letters = 0
  let han = 0
  let kana = 0
  let hangul = 0
  for (let i = 0; i < sample.length; i++) {
    const unit = sample.charCodeAt(i)
    if (unit < 0x41 || unit === 0x3000) continue
    if (unit >= 0x3040 && unit <= 0x30ff) kana++
    else if ((unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0x3400 && unit <= 0x4dbf)) han++
    // A supplementary ideograph: its high surrogate.
    else if (unit >= 0xd840 && unit <= 0xd888) han++
    else if (unit >= 0xac00 && unit <= 0xd7a3) hangul++
    // Punctuation of East Asia, full-width forms and low surrogates say nothing.
    else if ((unit >= 0x3001 && unit <= 0x303f) || (unit >= 0xdc00 && unit <= 0xdfff) || unit >= 0xff00) continue
    letters++
  }
  const share = letters === 0 ? 0 : (han + kana + hangul) / letters
  if (hangul > han + kana) return { letters, share, cjk: 'ko' }
  // Japanese mixes kana into Han; Chinese has none but in a quotation.
  return { letters, share, cjk: kana >= han * KANA_SHARE ? 'ja' : 'zh' }
}

/** Whether so large a share of the words is English. By hand: a regular expression takes longer than eld. */
function looksEnglish(sample: string, share: number): boolean {
  let words = 0
  let english = 0
  let start = 0
  for (let i = 0; i <= sample.length; i++) {
    if (isLetter(sample.charCodeAt(i))) continue
    const length = i - start
    if (length > 0) words++
    if ((length === 3 || length === 4) && ENGLISH.has(sample.slice(start, i))) english++
    start = i + 1
  }
  return english >= MIN_ENGLISH && english >= words * share
}

/** ASCII letters, and all from U+00C0 on but the punctuation that stands between words in English; NaN at the end is none. */
function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && !(unit >> 8 === 0x20))
}

async function byNgrams(text: string, said: string): Promise<string> {
  detector ??= import('eld/extrasmall').then(({ eld }) => ({
    eld,
    // Malay and Indonesian are one for it
    known: new Set([...Object.values(eld.info().Languages), 'id']),
  }))
  const { eld, known } = await detector
  // what it does not know it takes for something like it
  if (said !== '' && !known.has(said)) return said
  const result = eld.detect(spread(text))
  const found = result.language === 'ms' && said !== 'ms' ? 'id' : result.language
  if (found === said) return found
  if (!result.isReliable()) return said
  if (said === '') return found
  const scores = result.getScores()
  const lead = (scores[result.language] ?? 0) - (scores[said === 'id' ? 'ms' : said] ?? 0)
  return lead > (said === 'en' ? MARGIN_OVER_ENGLISH : MARGIN) ? found : said
}

/** As much as eld looks at, in pieces from all over the text: a page may begin with a menu in another language. */
function spread(text: string): string {
  if (text.length <= NGRAM_SAMPLE) return text
  const length = Math.floor(NGRAM_SAMPLE / PIECES) - 1
  const pieces: string[] = []
  for (let i = 0; i < PIECES; i++) {
    const start = Math.floor(((text.length - length) * i) / (PIECES - 1))
    pieces.push(text.slice(start, start + length))
  }
  return pieces.join(' ')
}
