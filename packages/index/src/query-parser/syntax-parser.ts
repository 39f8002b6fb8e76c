/**
 * Tokens → syntax tree, by the grammar of Lucene's classic query parser. The parser keeps its own stack, so no nesting can
 * exhaust the machine's; what it passes over where it is lenient is not in the tree, which is always one of a query
 * without mistakes.
 */
import type { ParseProblems } from './parse-problem.js'
import { QueryLexer, type QueryToken } from './query-lexer.js'
import type {
  Conjunction,
  GroupSyntax,
  LeafSyntax,
  Modifier,
  NearSyntax,
  SyntaxNode,
  SyntaxRange,
} from './syntax-tree.js'

/** How much a query may ask. */
export interface SyntaxLimits {
  /** Most clauses as typed. */
  readonly maxClauses: number
  /** Deepest nesting of parentheses; also the most operators in a row. */
  readonly maxDepth: number
  /** Largest distance within a phrase or of NEAR. */
  readonly maxSlop: number
}

/** Settings of {@link parseSyntax}. */
export interface SyntaxOptions extends SyntaxLimits {
  readonly isField: (name: string) => boolean
  readonly strict: boolean
}

/** A tree and what the lexer saw on the way. */
export interface SyntaxReading {
  readonly root: GroupSyntax
  /** Names before a colon that are no fields, a few of them: they are words. */
  readonly unknownFields: readonly string[]
}

/** What stands before a clause. */
interface Prefix {
  conjunction: Conjunction
  modifier: Modifier
  field: string | null
  /** Where the name of the field begins. */
  fieldStart: number
  /** The token that has no clause behind it yet. */
  pending: QueryToken | null
}

/** A group under construction: the whole query or a pair of parentheses. */
interface Group {
  readonly clauses: { conjunction: Conjunction; modifier: Modifier; node: SyntaxNode }[]
  /** What stands before the opening parenthesis. */
  readonly outer: Prefix
  readonly open: QueryToken | null
}

/** The clause read last, while something right behind it may still belong to it. */
interface Recent {
  end: number
  /** Null where the clause was passed over. */
  readonly clause: Group['clauses'][number] | null
  hasBoost: boolean
}

const MAX_INT = 2 ** 31 - 1
const OPERATOR_KINDS: ReadonlySet<QueryToken['kind']> = new Set(['and', 'or', 'not', 'minus', 'plus'])
const PENDING = 'an operator or field name with no clause behind it'

function noPrefix(): Prefix {
  return { conjunction: 'none', modifier: 'none', field: null, fieldStart: 0, pending: null }
}

/** Parses one text. @throws QueryParseError where the problems are not lenient */
export function parseSyntax(text: string, options: SyntaxOptions, problems: ParseProblems): SyntaxReading {
  return new SyntaxParser(text, options, problems).run()
}

class SyntaxParser {
  readonly #options: SyntaxOptions
  readonly #problems: ParseProblems
  readonly #lexer: QueryLexer
  readonly #stack: Group[] = []
  #group: Group = { clauses: [], outer: noPrefix(), open: null }
  #prefix = noPrefix()
  #clauses = 0
  /** Parentheses that are open beyond the deepest nesting allowed; they are passed over. */
  #tooDeep = 0
  #recent: Recent | null = null
  /** Operators that others follow at once; told when the row of them has ended, which may be too long. */
  #followed: QueryToken[] = []
  /** An operator of nearness that waits for the clause behind it. */
  #near: (QueryToken & { kind: 'near' }) | null = null

  constructor(text: string, options: SyntaxOptions, problems: ParseProblems) {
    this.#options = options
    this.#problems = problems
    const report = (start: number, end: number, message: string): void => this.#problem({ start, end }, message)
    this.#lexer = new QueryLexer(text, { isField: options.isField, strict: options.strict, report })
  }

  #problem(place: SyntaxRange, message: string): void {
    this.#problems.add('QUERY_SYNTAX', place, message)
  }

  run(): SyntaxReading {
    let token = this.#lexer.next()
    for (; token.kind !== 'end'; token = this.#lexer.next()) this.#take(token)
    this.#endOperators()
    while (this.#stack.length > 0) {
      this.#problem(this.#group.open!, 'a parenthesis that is never closed')
      this.#close(token)
    }
    this.#dropPrefix()
    const root: GroupSyntax = { kind: 'group', clauses: this.#group.clauses, minimumShouldMatch: 0 }
    return { root, unknownFields: [...this.#lexer.unknownFields] }
  }

  #take(token: QueryToken): void {
    if (!OPERATOR_KINDS.has(token.kind)) this.#endOperators()
    switch (token.kind) {
      case 'boost':
        this.#boost(token)
        return
      case 'tilde':
        this.#tilde(token)
        return
      case 'atLeast':
        this.#atLeast(token)
        return
      case 'near':
        this.#nearness(token)
        return
    }
    this.#recent = null
    switch (token.kind) {
      case 'and':
      case 'or':
        this.#conjunction(token, token.kind)
        break
      case 'not':
      case 'minus':
        this.#modifier(token, 'not')
        break
      case 'plus':
        this.#modifier(token, 'required')
        break
      case 'field':
        this.#prefix.field = token.name
        this.#prefix.fieldStart = token.start
        this.#prefix.pending = token
        break
      case 'open':
        this.#open(token)
        break
      case 'close':
        this.#close(token)
        break
      case 'leaf':
        this.#leaf(token, token.leaf)
    }
  }

  #conjunction(token: QueryToken, kind: 'and' | 'or'): void {
    this.#dropNear()
    const { pending } = this.#prefix
    if (pending !== null) this.#followed.push(pending)
    else if (this.#group.clauses.length === 0) {
      this.#problem(token, 'an operator with no clause before it')
      return
    }
    const conjunction = this.#group.clauses.length === 0 ? 'none' : kind
    this.#prefix = { ...noPrefix(), conjunction, pending: token }
  }

  #modifier(token: QueryToken, modifier: 'not' | 'required'): void {
    this.#dropNear()
    const { pending } = this.#prefix
    if (pending !== null && pending.kind !== 'and' && pending.kind !== 'or') {
      this.#followed.push(pending)
      this.#prefix.field = null
    }
    this.#prefix.modifier = modifier
    this.#prefix.pending = token
  }

  #endOperators(): void {
    const [first] = this.#followed
    if (first === undefined) return
    const { maxDepth } = this.#options
    if (this.#followed.length > maxDepth) this.#problems.limit(first, `more than ${maxDepth} operators stand in a row`)
    for (const token of this.#followed) this.#problem(token, PENDING)
    this.#followed = []
  }

  #open(token: QueryToken): void {
    this.#dropNear()
    const { maxDepth } = this.#options
    if (this.#stack.length >= maxDepth) {
      this.#problems.limit(token, `the query is nested deeper than ${maxDepth} parentheses`)
      this.#tooDeep++
      return
    }
    this.#stack.push(this.#group)
    this.#group = { clauses: [], outer: this.#prefix, open: token }
    this.#prefix = noPrefix()
  }

  #close(token: QueryToken): void {
    if (this.#tooDeep > 0 && token.kind === 'close') {
      this.#tooDeep--
      return
    }
    const outer = this.#stack.pop()
    if (outer === undefined) {
      this.#problem(token, 'a closing parenthesis without an opening one')
      return
    }
    this.#dropPrefix()
    const { clauses, outer: prefix, open } = this.#group
    this.#group = outer
    this.#prefix = prefix
    if (clauses.length > 0) {
      this.#add({ kind: 'group', clauses, minimumShouldMatch: 0 }, { start: open!.start, end: token.end })
      return
    }
    this.#problem({ start: open!.start, end: token.end }, 'parentheses with nothing between them')
    this.#passOver(token)
  }

  /** Passes over operators and field names that have no clause behind them. */
  #dropPrefix(): void {
    this.#dropNear()
    const { pending } = this.#prefix
    if (pending !== null) this.#problem(pending, PENDING)
    this.#prefix = noPrefix()
  }

  #dropNear(): void {
    if (this.#near === null) return
    this.#problem(this.#near, 'NEAR or ADJ without a word or phrase on both sides')
    this.#near = null
  }

  #leaf(place: SyntaxRange, leaf: LeafSyntax): void {
    const { maxClauses } = this.#options
    if (++this.#clauses > maxClauses) {
      this.#problems.limit(place, `the query has more than ${maxClauses} clauses`)
      this.#near = null
      this.#passOver(place)
      return
    }
    if (this.#near === null || !this.#joinNear(place, leaf)) this.#add(leaf, place)
  }

  #add(content: LeafSyntax | GroupSyntax, { start, end }: SyntaxRange): void {
    const { conjunction, modifier, field, fieldStart } = this.#prefix
    this.#prefix = noPrefix()
    const node: SyntaxNode = { ...content, field, boost: null, start: field === null ? start : fieldStart, end }
    const clause = { conjunction, modifier, node }
    this.#group.clauses.push(clause)
    this.#recent = { end, clause, hasBoost: false }
  }

  #passOver({ end }: SyntaxRange): void {
    this.#prefix = noPrefix()
    this.#recent = { end, clause: null, hasBoost: false }
  }

  /** The clause that ends right before a token, or undefined where there is none. */
  #target(token: QueryToken): Recent | undefined {
    const recent = this.#recent
    if (recent === null || recent.end !== token.start) return undefined
    recent.end = token.end
    return recent
  }

  #boost(token: QueryToken & { kind: 'boost' }): void {
    const target = this.#target(token)
    if (target === undefined || target.hasBoost) {
      this.#problem(token, 'a boost without a clause right before it')
      return
    }
    target.hasBoost = true
    const { clause } = target
    if (clause !== null) clause.node = { ...clause.node, boost: token.factor, end: token.end }
  }

  /** Makes a word fuzzy and a phrase sloppy. */
  #tilde(token: QueryToken & { kind: 'tilde' }): void {
    const target = this.#target(token)
    const node = target?.clause?.node
    if (target?.clause === null) return
    if (node?.kind === 'text') {
      // Lucene's: two edits where nothing is told, and no part of an edit.
      const amount = token.amount ?? 2
      if (amount >= 1 && !Number.isInteger(amount)) {
        this.#problem(token, 'a part of an edit cannot be asked for: write ~0, ~1 or ~2')
        return
      }
      const { text, field, boost, start } = node
      const rounded = amount < 1 ? Number(amount.toFixed(4)) : Math.min(amount, 2)
      target!.clause!.node = { kind: 'fuzzy', text, amount: rounded, field, boost, start, end: token.end }
    } else if (node?.kind === 'phrase' && node.slop === 0) {
      const slop = Math.trunc(token.amount ?? 0)
      target!.clause!.node = { ...node, slop: this.#slop(slop, token), end: token.end }
    } else this.#problem(token, "a '~' without a word or phrase right before it")
  }

  #slop(slop: number, place: SyntaxRange): number {
    const { maxSlop } = this.#options
    if (slop <= maxSlop) return Math.min(slop, MAX_INT)
    this.#problems.limit(place, `a distance is larger than ${maxSlop}`)
    return maxSlop
  }

  #atLeast(token: QueryToken & { kind: 'atLeast' }): void {
    const clause = this.#target(token)?.clause
    const node = clause?.node
    if (node?.kind !== 'group') {
      if (clause !== null) this.#problem(token, "a '@' without parentheses right before it")
      return
    }
    clause!.node = { ...node, minimumShouldMatch: token.count, end: token.end }
  }

  /** Takes an operator of nearness; words and phrases stand before and behind it. */
  #nearness(token: QueryToken & { kind: 'near' }): void {
    this.#recent = null
    this.#dropNear()
    const before = this.#group.clauses.at(-1)?.node
    const isOperand =
      before?.kind === 'text' || (before?.kind === 'phrase' && before.slop === 0) || before?.kind === 'near'
    if (!isOperand || before.boost !== null || this.#prefix.pending !== null) {
      this.#problem(token, 'NEAR or ADJ without a word or phrase on both sides')
      return
    }
    this.#near = { ...token, slop: this.#slop(token.slop, token) }
  }

  /** Joins a leaf to the clause before it; false where it cannot be joined and stands for itself. */
  #joinNear(place: SyntaxRange, leaf: LeafSyntax): boolean {
    const { slop, inOrder } = this.#near!
    const last = this.#group.clauses.at(-1)!
    const isOperand = leaf.kind === 'text' || leaf.kind === 'phrase'
    if (!isOperand || this.#prefix.pending !== null) {
      this.#dropNear()
      return false
    }
    const { node } = last
    const { field, start } = node
    let clauses: NearSyntax['clauses']
    if (node.kind === 'text') clauses = [{ kind: 'text', text: node.text }]
    else if (node.kind === 'phrase') clauses = [{ kind: 'phrase', text: node.text, slop: 0 }]
    else if (node.kind === 'near' && node.slop === slop && node.inOrder === inOrder) clauses = node.clauses
    else {
      this.#dropNear()
      return false
    }
    this.#near = null
    last.node = { kind: 'near', clauses: [...clauses, leaf], slop, inOrder, field, boost: null, start, end: place.end }
    this.#recent = { end: place.end, clause: last, hasBoost: false }
    return true
  }
}
