/** Writes a syntax tree as a text that a strict parser reads as the same tree. */
import {
  type ClauseSyntax,
  type GroupSyntax,
  isSpace,
  type LeafSyntax,
  type NearSyntax,
  nearOperator,
  OPERATORS,
  type SyntaxNode,
  TWINS,
} from './syntax-tree.js'

/** Characters that have a meaning wherever they stand outside quotation marks. */
const SPECIAL = '\\():^[]{}"~*?'
/** Characters that have one at the begin of a clause only. */
const LEADING = '+-!/'

const CONJUNCTION = { none: '', and: 'AND ', or: 'OR ' } as const
const MODIFIER = { none: '', not: '-', required: '+' } as const

/**
 * @param root a tree of {@link ParsedQuery.syntax}
 * @returns the query in one notation: operators AND, OR, + and −, everything escaped that has to be
 */
export function printSyntax(root: GroupSyntax): string {
  return root.clauses.map(printClause).join(' ')
}

function printClause({ conjunction, modifier, node }: ClauseSyntax): string {
  return CONJUNCTION[conjunction] + MODIFIER[modifier] + printNode(node)
}

function printNode(node: SyntaxNode): string {
  const field = node.field === null ? '' : `${escapeText(node.field)}:`
  const boost = node.boost === null ? '' : `^${node.boost}`
  return `${field}${printContent(node)}${boost}`
}

function printContent(content: LeafSyntax | NearSyntax | GroupSyntax): string {
  switch (content.kind) {
    case 'text':
      return printWord(content.text)
    case 'phrase':
      return quote(content.text) + (content.slop === 0 ? '' : `~${content.slop}`)
    case 'fuzzy':
      return `${printWord(content.text)}~${content.amount}`
    case 'prefix':
      return `${escapeText(content.text)}*`
    case 'wildcard':
      return escapePattern(content.pattern)
    case 'regexp':
      return `/${escapeSlashes(content.pattern)}/`
    case 'range': {
      const { lower, upper, includeLower, includeUpper } = content
      return `${includeLower ? '[' : '{'}${printBound(lower)} TO ${printBound(upper)}${includeUpper ? ']' : '}'}`
    }
    case 'any':
      return '*'
    case 'everything':
      return '*:*'
    case 'near':
      return content.clauses.map(printContent).join(` ${content.inOrder ? 'ADJ' : 'NEAR'}/${content.slop} `)
    case 'group': {
      const atLeast = content.minimumShouldMatch === 0 ? '' : `@${content.minimumShouldMatch}`
      return `(${printSyntax(content)})${atLeast}`
    }
  }
}

/** A word that is no operator. */
function printWord(text: string): string {
  return OPERATORS.has(text) || nearOperator(text) !== null ? `\\${text}` : escapeText(text)
}

/** Every UTF-16 unit for itself: half a pair of surrogates is nothing special. */
function escapeText(text: string): string {
  let printed = ''
  for (let i = 0; i < text.length; i++) printed += escapeChar(text[i]!, i === 0)
  return printed
}

function escapeChar(char: string, isFirst: boolean): string {
  const isSpecial = SPECIAL.includes(char) || TWINS.has(char) || isSpace(char) || (isFirst && LEADING.includes(char))
  return isSpecial ? `\\${char}` : char
}

function escapePattern(pattern: string): string {
  let printed = ''
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (char === '*' || char === '?') printed += char
    else printed += escapeChar(char === '\\' ? (pattern[++i] ?? char) : char, i === 0)
  }
  return printed
}

/** A slash in a regular expression has a backslash before it; other backslashes stay with what is behind them. */
function escapeSlashes(pattern: string): string {
  let printed = ''
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === '\\' && i + 1 < pattern.length) printed += pattern[i++]! + pattern[i]!
    else printed += pattern[i] === '/' ? '\\/' : pattern[i]!
  }
  return printed
}

function printBound(bound: string | null): string {
  if (bound === null) return '*'
  return isPlainBound(bound) ? bound : quote(bound)
}

function isPlainBound(bound: string): boolean {
  if (bound === '' || bound === '*' || bound === 'TO' || bound.startsWith('"')) return false
  return ![...bound].some((char) => isSpace(char) || ']}\\'.includes(char) || TWINS.has(char))
}

function quote(text: string): string {
  let printed = '"'
  for (const char of text) printed += char === '\\' || char === '"' || TWINS.get(char) === '"' ? `\\${char}` : char
  return `${printed}"`
}
