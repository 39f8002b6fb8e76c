/**
 * Numbers written in Han characters, which no dictionary can list: 二〇二六, 三百多万, 十几, 第二十一, 百分之三点五, and the
 * dates among them, 二〇二六年, 十二月, 三十一日. A measure word behind a number stays a word of its own (三 本).
 */

/** Longest number in characters; a longer run is cut there. */
export const MAX_NUMBER_LENGTH = 32

const DIGIT = 1
/** 十 百 千 万 亿, and what stands for one in a row of them. */
const UNIT = 2

const KINDS = new Map<number, number>()
for (const char of '〇零○一二三四五六七八九两壹贰叁肆伍陆柒捌玖') KINDS.set(char.charCodeAt(0), DIGIT)
for (const char of '十百千万亿拾佰仟') KINDS.set(char.charCodeAt(0), UNIT)

const [TEN, FEW, SEVERAL, MANY, OVER, ORDINAL] = Array.from('十几数多余第', (x) => x.charCodeAt(0))
const [PART, OF, POINT, YEAR, MONTH, DAY] = Array.from('分之点年月日', (x) => x.charCodeAt(0))

/** The digits in order. */
const DIGITS = Array.from('〇一二三四五六七八九', (x) => x.charCodeAt(0))
const TWO = '两'.charCodeAt(0)

/** Characters with which a number may begin. */
export const NUMBER_STARTS: readonly number[] = [...KINDS.keys(), FEW!, SEVERAL!, ORDINAL!]

/** Words that stand behind a number written in digits. */
const MEASURES: ReadonlySet<number> = new Set(
  Array.from('年月日时分秒点号个元人名次位种条件岁天周米吨亩倍万亿', (x) => x.charCodeAt(0)),
)

/** Whether a folded character is a word where a number in digits stands before it. */
export function isMeasure(code: number): boolean {
  return MEASURES.has(code)
}

/** Whether a folded character is a digit or a unit. */
export function isNumeral(code: number): boolean {
  return KINDS.has(code)
}

/**
 * Where the number that begins at a cell ends, and where a date does that it is part of.
 * @param codes folded characters
 * @returns the end of the number (`start` where there is none of two characters or more), and that of the date or 0
 */
export function findNumber(
  codes: ArrayLike<number>,
  start: number,
  length: number,
): { readonly end: number; readonly date: number } {
  const limit = Math.min(length, start + MAX_NUMBER_LENGTH)
  const first = codes[start]!
  if (first === ORDINAL) {
    const end = numeralsEnd(codes, start + 1, limit)
    return { end: end > start + 1 ? end : start, date: 0 }
  }
  if (start + 3 < limit && codes[start + 1] === PART && codes[start + 2] === OF && KINDS.get(first) === UNIT) {
    const end = fractionEnd(codes, start + 3, limit)
    if (end > start + 3) return { end, date: 0 }
  }
  const end = numeralsEnd(codes, start, limit)
  const date = end > start && end < limit && isDate(codes, start, end) ? end + 1 : 0
  return { end: end - start > 1 ? end : start, date }
}

/** The end of digits and units; 几 and 数 may stand for a digit before a unit, 几, 多 and 余 behind one. */
function numeralsEnd(codes: ArrayLike<number>, start: number, limit: number): number {
  let at = start
  let last = 0
  while (at < limit) {
    const code = codes[at]!
    let kind = KINDS.get(code) ?? 0
    if (kind === 0 && (code === FEW || code === SEVERAL) && last !== DIGIT) {
      const before = at + 1 < limit && KINDS.get(codes[at + 1]!) === UNIT
      if (before || (code === FEW && last === UNIT && codes[at - 1] === TEN)) kind = DIGIT
    } else if (kind === 0 && (code === MANY || code === OVER) && last === UNIT) kind = DIGIT
    if (kind === 0) break
    last = kind
    at++
  }
  return at
}

function fractionEnd(codes: ArrayLike<number>, start: number, limit: number): number {
  const end = numeralsEnd(codes, start, limit)
  if (end === start || codes[end] !== POINT) return end
  const more = numeralsEnd(codes, end + 1, limit)
  return more > end + 1 ? more : end
}

/** Whether a number and the character behind it are a year of two or four digits, a month or a day of one. */
function isDate(codes: ArrayLike<number>, start: number, end: number): boolean {
  const digits = end - start
  const mark = codes[end]
  if (mark === YEAR) {
    if (digits !== 2 && digits !== 4) return false
    for (let i = start; i < end; i++) if (KINDS.get(codes[i]!) !== DIGIT) return false
    // 两三年 and 七八年 are so many years.
    return (
      digits === 4 || (codes[start] !== TWO && DIGITS.indexOf(codes[start]!) + 1 !== DIGITS.indexOf(codes[start + 1]!))
    )
  }
  if (mark !== MONTH && mark !== DAY) return false
  if (digits > 3) return false
  for (let i = start; i < end; i++) if (KINDS.get(codes[i]!) === UNIT && codes[i] !== TEN) return false
  // 三 or 十, 十二, 三十, 三十一; not 一二月.
  return digits === 1 || codes[start] === TEN || codes[start + 1] === TEN
}
