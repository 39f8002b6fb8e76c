/** `<meta http-equiv="refresh">`: the shared declarative refresh steps of the HTML standard, without regular expressions over page text. */

/** Seconds beyond which a refresh is no redirect but a page that renews itself. */
const MAX_SECONDS = 100

/** The target of a refresh, or undefined where there is none or it comes too late to be a redirect. */
export function parseMetaRefresh(content: string): string | undefined {
  let i = skipBlanks(content, 0)
  const digits = i
  while (isDigit(content.charCodeAt(i))) i++
  if (i === digits && content[i] !== '.') return undefined
  const seconds = Number(content.slice(digits, i) || '0')
  while (isDigit(content.charCodeAt(i)) || content[i] === '.') i++
  if (seconds > MAX_SECONDS || i >= content.length) return undefined
  const afterTime = i
  i = skipBlanks(content, i)
  if (content[i] === ';' || content[i] === ',') i = skipBlanks(content, i + 1)
  else if (i === afterTime) return undefined
  if (content.slice(i, i + 3).toLowerCase() === 'url') {
    const equals = skipBlanks(content, i + 3)
    if (content[equals] === '=') i = skipBlanks(content, equals + 1)
  }
  const quote = content[i]
  let target: string
  if (quote === '"' || quote === "'") {
    const end = content.indexOf(quote, i + 1)
    target = content.slice(i + 1, end < 0 ? undefined : end)
  } else target = content.slice(i)
  target = target.trim()
  return target === '' ? undefined : target
}

function skipBlanks(text: string, start: number): number {
  let i = start
  while (i < text.length && ' \t\n\r\f'.includes(text[i]!)) i++
  return i
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
