/**
 * The language of a page: the script of its text decides where it is clear (templates often say `lang="en"` on Chinese pages),
 * otherwise what the page says.
 */

const SAMPLE = 4000
/** Share of the letters that makes a script the page's own. */
const SHARE = 0.15

/**
 * @param declared language tag of the page, or ''
 * @returns primary language subtag in lower case (`zh`, `en`), '' where nothing is known
 */
export function detectLanguage(text: string, declared: string): string {
  let letters = 0
  let han = 0
  let kana = 0
  let hangul = 0
  const end = Math.min(text.length, SAMPLE)
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i)
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
  if (letters > 0 && (han + kana + hangul) / letters >= SHARE) {
    if (hangul > han + kana) return 'ko'
    // Japanese mixes kana into Han; Chinese has none but in a quotation.
    if (kana * 10 >= han) return 'ja'
    return 'zh'
  }
  return /^[a-z]{2,3}(?=$|[-_])/.exec(declared.toLowerCase())?.[0] ?? ''
}
