/** Which language a page is shown in: what its address says (`hl=`), else what the browser prefers, else English. */
import type { PageLanguage } from './translator.js'

const MAX_RANGES = 20

/** The language that `hl` names, or undefined. */
export function languageOfTag(tag: string | undefined): PageLanguage | undefined {
  const primary = tag?.toLowerCase().split(/[-_]/, 1)[0]
  return primary === 'zh' || primary === 'en' ? primary : undefined
}

/**
 * @param hl the field `hl` of the address
 * @param acceptLanguage the header (RFC 9110 §12.5.4); of equal weights the first counts
 */
export function pageLanguage(hl: string | undefined, acceptLanguage: string | undefined): PageLanguage {
  const chosen = languageOfTag(hl)
  if (chosen !== undefined) return chosen
  let best: PageLanguage = 'en'
  let bestWeight = 0
  for (const range of (acceptLanguage ?? '').split(',', MAX_RANGES)) {
    const [tag = '', ...parameters] = range.split(';')
    const language = languageOfTag(tag.trim())
    if (language === undefined) continue
    const weight = weightOf(parameters)
    if (weight > bestWeight) {
      best = language
      bestWeight = weight
    }
  }
  return best
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=')
    if (name?.trim() !== 'q') continue
    const weight = Number(value)
    return weight >= 0 && weight <= 1 ? weight : 0
  }
  return 1
}
